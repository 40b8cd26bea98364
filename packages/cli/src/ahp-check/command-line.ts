// The command line of `holdfast-ahp-check`.
import { parseArgs } from "node:util";
import { CHECKED_VERSIONS } from "./check-client.ts";
import { checks } from "./checks.ts";
import { describeReport, runChecks } from "./run-checks.ts";

const usage = `Usage: holdfast-ahp-check [options] ws://HOST:PORT/PATH?tkn=TOKEN

Checks an AHP host from outside. It opens terminals on the host and types into them.

Options:
  --versions LIST  versions of AHP to check, such as 0.9.0,1.0.0 (default: ${CHECKED_VERSIONS.join(",")})
  --only LIST      checks to run, such as K1,K14 (default: all)
  --timeout MS     how long anything may take (default: 5000)
  --json           print the report as JSON
  --list           list the checks
  --help           print this text

Exit codes: 0 all passed, 1 a check failed, 2 wrong arguments.`;

/** Where the program writes. */
export interface Output {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Runs the program; returns its exit code. */
export async function main(args: readonly string[], { print, complain }: Output): Promise<number> {
  let parsed: ReturnType<typeof readArgs>;
  try {
    parsed = readArgs(args);
  } catch (error) {
    complain(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (typeof parsed === "string") {
    print(parsed);
    return 0;
  }
  const { isJson, ...options } = parsed;
  const report = await runChecks(options);
  print(isJson ? JSON.stringify(report, undefined, 2) : describeReport(report));
  return report.failed === 0 ? 0 : 1;
}

/** The options, or a text to print instead; throws when something is wrong. */
function readArgs(args: readonly string[]): string | (Parameters<typeof runChecks>[0] & { isJson: boolean }) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      versions: { type: "string" },
      only: { type: "string" },
      timeout: { type: "string", default: "5000" },
      json: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return usage;
  if (values.list) return checks.map(({ id, title }) => `${id.padEnd(4)} ${title}`).join("\n");
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0 || !/^wss?:\/\//.test(url)) {
    throw new Error("Name the host by one address that starts with ws:// or wss://.");
  }
  const timeoutMs = Number(values.timeout);
  if (!Number.isInteger(timeoutMs) || timeoutMs <= 0) throw new Error("--timeout takes milliseconds.");
  const versions = values.versions?.split(",").map((each) => {
    const known = CHECKED_VERSIONS.find((version) => version === each);
    if (known === undefined) {
      throw new Error(`Version ${each} cannot be checked. Known: ${CHECKED_VERSIONS.join(", ")}.`);
    }
    return known;
  });
  const only = values.only?.split(",");
  const unknown = only?.find((each) => !checks.some(({ id }) => id === each));
  if (unknown !== undefined) throw new Error(`There is no check ${unknown}. --list shows them.`);
  return { url, timeoutMs, versions: versions ?? CHECKED_VERSIONS, only, isJson: values.json };
}
