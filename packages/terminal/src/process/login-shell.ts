// Learns the environment that the user's login shell sets up, once, and in bounded time (T4).
import { accountShell } from "../account-shell.ts";
import type { ProcessPort, RunExit } from "./port.ts";

/** A profile that takes longer than this has to do without being heard. */
const captureBoundMs = 4000;
/** More than any environment; a profile that floods is cut. */
const maxCaptureBytes = 4 * 1024 * 1024;
/** Profiles print greetings: only what stands between these counts. */
const fence = "__holdfast_environment__";

/** Variables that describe the capturing shell itself. */
const shellsOwn = new Set(["_", "SHLVL", "PWD", "OLDPWD", "HOLDFAST_TERMINAL"]);

/** Captures by shell and home, shared by all engines of this process: a profile may take seconds. */
const captures = new Map<string, Promise<Record<string, string>>>();

/** The login shell's environment, captured once per process. */
export class LoginEnvironment {
  readonly #port: Pick<ProcessPort, "start">;
  #captured: Promise<Record<string, string>> | undefined;

  constructor(port: Pick<ProcessPort, "start">) {
    this.#port = port;
  }

  /** Never rejects: what cannot be captured is the host's own environment. */
  get(): Promise<Record<string, string>> {
    this.#captured ??= this.#share();
    return this.#captured;
  }

  #share(): Promise<Record<string, string>> {
    const key = JSON.stringify([loginShell(), process.env["HOME"], process.env["ZDOTDIR"]]);
    let capture = captures.get(key);
    if (capture === undefined) {
      capture = this.#capture();
      captures.set(key, capture);
      // Its engine may have been closed meanwhile: the next one tries again.
      capture.catch(() => captures.delete(key));
    }
    return capture.catch(() => ownEnvironment());
  }

  async #capture(): Promise<Record<string, string>> {
    const shell = loginShell();
    if (shell === undefined) return ownEnvironment();
    const chunks: Buffer[] = [];
    let resolveExited: (exit: RunExit) => void = () => {};
    const exited = new Promise<RunExit>((resolve) => {
      resolveExited = resolve;
    });
    // Interactive as well as login: many set up their PATH in the file that only an interactive shell reads.
    const script = `'${process.execPath.replaceAll("'", `'\\''`)}' -p '"${fence}" + JSON.stringify(process.env) + "${fence}"'`;
    const run = await this.#port.start(
      {
        kind: "text",
        command: shell,
        args: ["-i", "-l", "-c", script],
        cwd: "/",
        env: { ...ownEnvironment(), ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "" },
        limits: { wallClockMs: captureBoundMs, outputBytes: maxCaptureBytes },
        tree: "process-group",
      },
      {
        bytes: (_stream, bytes) => void chunks.push(Buffer.from(bytes)),
        exit: resolveExited,
        end: () => {},
      },
    );
    const { limit } = await exited;
    // A profile may have left an agent or a daemon running: that is the user's, and stays.
    run.release();
    // A profile that was cut off has set up only half of its variables.
    if (limit !== undefined) return ownEnvironment();
    return parseCapture(Buffer.concat(chunks).toString("utf8")) ?? ownEnvironment();
  }
}

/** The shell that `-i -l -c` means something to; undefined for an account that cannot log in. */
function loginShell(): string | undefined {
  const shell = process.env["SHELL"] ?? accountShell();
  return /\/(bash|zsh|fish|sh|dash|ksh|mksh)$/.test(shell) ? shell : undefined;
}

function parseCapture(text: string): Record<string, string> | undefined {
  const [, json] = text.split(fence);
  if (json === undefined) return undefined;
  const captured = JSON.parse(json) as Record<string, string>;
  const own = ownEnvironment();
  for (const name of [...shellsOwn, "ELECTRON_RUN_AS_NODE", "NODE_OPTIONS"]) {
    // Variables that the capture changed get the host's values back.
    if (own[name] === undefined) delete captured[name];
    else captured[name] = own[name];
  }
  return captured;
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
