// Finds the host that a command speaks to: the one it was told of, the one of its home, or one that it starts (C15).
import { CommandError } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { findHome } from "../serve/home.ts";
import { findRunningHost } from "../serve/host-file.ts";
import { readToken } from "../serve/token.ts";
import { startInBackground } from "./background-host.ts";
import type { HostPlace } from "./host-link.ts";

/** Which host is meant. */
export interface HostChoice {
  /** `--url`, for a host elsewhere. */
  readonly url?: string | undefined;
  /** `--home`. */
  readonly home?: string | undefined;
}

/** What looking for a host needs of the world around it. */
export interface HostSearch {
  readonly choice: HostChoice;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly console: Console;
  /** Whether a host is started when none runs. */
  readonly mayStart: boolean;
  /** The file of this very program. */
  readonly programPath: string;
}

/** The host that was asked for; one that had to be started goes on running. */
export async function findHost(search: HostSearch): Promise<HostPlace> {
  const { choice, environment, console, mayStart, programPath } = search;
  const home = findHome(choice.home, environment);
  const running = await findRunningHost(home);
  const url = choice.url ?? given(environment["HOLDFAST_URL"]);
  if (url !== undefined) return remotePlace(url, running?.url, home, environment);
  const token = given(environment["HOLDFAST_TOKEN"]);
  if (running !== undefined) return { url: running.url, token: token ?? readToken(home) };
  if (!mayStart) {
    throw new CommandError("HOST_NOT_RUNNING", `No host runs in ${home}.`, {
      exitCode: EXIT_CODES.unreachable,
      remedy: "Start one with `holdfast serve`, or name another with --home or --url.",
    });
  }
  const progress = console.progress("Starting a host");
  try {
    const started = await startInBackground(home, programPath);
    progress.close();
    console.note(`No host was running, so one was started: ${started.url} (\`holdfast stop\` ends it).`);
    return started;
  } finally {
    progress.close();
  }
}

function remotePlace(
  named: string,
  ownUrl: string | undefined,
  home: string,
  environment: HostSearch["environment"],
): HostPlace {
  const url = readUrl(named);
  const token = given(environment["HOLDFAST_TOKEN"]) ?? (url === ownUrl ? readToken(home) : undefined);
  if (token !== undefined) return { url, token };
  throw new CommandError("TOKEN_MISSING", `There is no token for ${url}.`, {
    exitCode: EXIT_CODES.refused,
    remedy: "Put its token, or a key made there with `holdfast keys create`, into HOLDFAST_TOKEN.",
  });
}

function readUrl(text: string): string {
  try {
    const url = new URL(text);
    if (url.protocol === "http:" || url.protocol === "https:") return url.href.replace(/\/+$/, "");
  } catch {
    // Said below, together with addresses of other kinds.
  }
  throw new CommandError("WRONG_ARGUMENTS", `"${text}" is not the address of a host.`, {
    exitCode: EXIT_CODES.setup,
    remedy: "An address looks like http://127.0.0.1:4747.",
  });
}

/** An empty variable is one that was left empty. */
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
