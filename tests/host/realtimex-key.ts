// The key that the guide for programs of the RealtimeX SDK has its readers make.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { testedProgram } from "../setup/tested-program.ts";
import type { TestedHost } from "./real-host.ts";

const run = promisify(execFile);

/** Makes it with the command of the guide: sessions in one folder, with these agents, up to `approve-all`. */
export async function makeRealtimexKey({ home, project }: TestedHost): Promise<string> {
  const options = ["--policy", "approve-all", "--root", project, "--agents", "claude,qwen,shell"];
  const words = ["keys", "create", "--name", "realtimex", "--scope", "acp.agent", "terminal", ...options];
  const { stdout } = await run(process.execPath, [testedProgram, ...words, "--home", home]);
  return stdout.trim();
}
