// `holdfast client-tools`: serves the tools that clients lend to a session to its agent, over stdio (C831).
import process from "node:process";
import { EXIT_CODES } from "../exit-codes.ts";
import { HostEndpoint } from "./host-endpoint.ts";
import { ToolBridge } from "./tool-bridge.ts";

/** A host that is upgraded is away for a few seconds. */
const awayMs = 60_000;

/** Runs until the input ends; gives the exit code. */
export async function runToolBridge(): Promise<number> {
  const { env, stdin: input, stdout: output } = process;
  const { HOLDFAST_CLIENT_TOOLS_URL: url, HOLDFAST_CLIENT_TOOLS_TOKEN: token } = env;
  if (url === undefined || token === undefined || !URL.canParse(url)) {
    process.stderr.write(
      "holdfast: Agents start this command themselves, with HOLDFAST_CLIENT_TOOLS_URL and HOLDFAST_CLIENT_TOOLS_TOKEN in its environment. (WRONG_ARGUMENTS)\n",
    );
    return EXIT_CODES.setup;
  }
  await new ToolBridge({ input, output, endpoint: new HostEndpoint({ url, token, awayMs }) }).run();
  return EXIT_CODES.done;
}
