// Finds out which agents are installed, in which version, and whether they can log in. Looks; never downloads.
import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { ProcessPort, RunExit, Sandbox } from "@holdfast/terminal/port";
import type { Launch } from "@holdfast/protocol";
import type { AgentEntry } from "./agent-entry.ts";
import { listSignIns } from "./sign-in.ts";

/** The result of a search for an agent. */
export type Installation =
  | {
      readonly installed: false;
      /** The names and places that were searched, for a message. */ readonly searched: string;
    }
  | {
      readonly installed: true;
      /** Where only the host's own PATH has the program: its full path, and a PATH that has both. */
      readonly launch: Launch;
      readonly version: string | null;
      readonly authReady: boolean;
    };

/** How long a result is valid: somebody may install an agent while the host runs. */
const cacheMs = 60_000;
const probeTimeoutMs = 10_000;
const maxProbeBytes = 64 * 1024;

interface InstallationOptions {
  readonly hostPath?: string;
  /** A sandbox for one version probe: other agents can write to some folders of the PATH. */
  readonly openSandbox?: () => Promise<Sandbox | undefined>;
}

/** The agents installed on this machine; each result is kept for a minute. */
export class Installations {
  readonly #processPort: ProcessPort;
  readonly #builtInVersion: string;
  readonly #hostPath: string;
  readonly #openSandbox: NonNullable<InstallationOptions["openSandbox"]>;
  readonly #versions = new Map<string, string | null>();
  /** Whether agents are signed in, as far as they reported it themselves. */
  readonly #reported = new Map<string, boolean>();
  readonly #found = new Map<string, { readonly at: number; readonly installation: Promise<Installation> }>();

  /** A built-in agent has the version of the host that ships it. */
  constructor(
    processPort: ProcessPort,
    builtInVersion: string,
    { hostPath = process.env["PATH"] ?? "", openSandbox }: InstallationOptions = {},
  ) {
    this.#processPort = processPort;
    this.#builtInVersion = builtInVersion;
    this.#hostPath = hostPath;
    this.#openSandbox = openSandbox ?? (() => Promise.resolve(undefined));
  }

  async find(entry: AgentEntry): Promise<Installation> {
    const found = await this.#findLately(entry);
    if (!found.installed) return found;
    const reported = this.#reported.get(entry.id);
    if (reported === false && !found.authReady) {
      // A sign-in that appears later counts again.
      this.#reported.delete(entry.id);
      return found;
    }
    return reported === undefined ? found : { ...found, authReady: reported };
  }

  /** The sign-in state that an agent itself reported, which outweighs the one found on disk. */
  noteSignIn(id: string, isSignedIn: boolean): void {
    this.#reported.set(id, isSignedIn);
  }

  #findLately(entry: AgentEntry): Promise<Installation> {
    const known = this.#found.get(entry.id);
    if (known !== undefined && performance.now() - known.at < cacheMs) return known.installation;
    const installation = this.#look(entry);
    this.#found.set(entry.id, { at: performance.now(), installation });
    return installation;
  }

  /** The version that was found last; null where it is unknown. */
  versionOf(agentId: string): string | null {
    return this.#versions.get(agentId) ?? null;
  }

  async #look(entry: AgentEntry): Promise<Installation> {
    const env = await this.#processPort.buildEnvironment({ audience: "person", hasScreen: false });
    const loginPath = env["PATH"] ?? "";
    for (const candidate of [entry.launch, ...entry.alternatives]) {
      const launch = await this.#locate(candidate, loginPath);
      if (launch === undefined) continue;
      const [version, authReady] = await Promise.all([
        this.#probeVersion(entry, launch, env),
        hasLogin(entry, env),
      ]);
      this.#versions.set(entry.id, version);
      return { installed: true, launch, version, authReady };
    }
    return { installed: false, searched: this.#describeSearch(entry, loginPath) };
  }

  /** Looks in the PATH that the agent will have, then in the host's own: a login shell may have reset it (N284). */
  async #locate(launch: Launch, loginPath: string): Promise<Launch | undefined> {
    const { command, env } = launch;
    const path = env["PATH"] ?? loginPath;
    if ((await findProgram(command, path)) !== undefined) return launch;
    const program = await findProgram(command, this.#hostPath);
    if (program === undefined) return undefined;
    // The interpreter of the program, such as node, may be in the host's PATH alone as well.
    const both = [...new Set([...path.split(delimiter), ...this.#hostPath.split(delimiter)])].join(delimiter);
    return { ...launch, command: program, env: { ...env, PATH: both } };
  }

  #describeSearch({ launch, alternatives }: AgentEntry, loginPath: string): string {
    const commands = [launch, ...alternatives].map(({ command }) => command).join(" or ");
    const host = this.#hostPath === loginPath ? "" : `, nor in the host's (${this.#hostPath})`;
    return isAbsolute(launch.command)
      ? `there is no program ${commands}`
      : `there is no ${commands} in the login shell's PATH (${loginPath})${host}`;
  }

  async #probeVersion(
    entry: AgentEntry,
    launch: Launch,
    env: Record<string, string>,
  ): Promise<string | null> {
    if (entry.builtIn) return this.#builtInVersion;
    if (entry.versionProbe === undefined) return null;
    const chunks: Buffer[] = [];
    let ended = (_exit: RunExit): void => {};
    const exited = new Promise<RunExit>((resolve) => {
      ended = resolve;
    });
    let sandbox: Sandbox | undefined;
    try {
      sandbox = await this.#openSandbox();
      const run = await this.#processPort.start(
        {
          kind: "text",
          sandbox: sandbox?.id,
          command: launch.command,
          args: entry.versionProbe.args,
          cwd: "/",
          env: { ...env, ...launch.env },
          limits: { wallClockMs: probeTimeoutMs, outputBytes: maxProbeBytes },
        },
        { bytes: (_stream, bytes) => void chunks.push(Buffer.from(bytes)), exit: ended, end: () => {} },
      );
      const { exitCode } = await exited;
      await run.end(0);
      run.release();
      // The numbers in an error message are no version.
      if (exitCode !== 0) return null;
    } catch {
      // A program that cannot even say its version still may work; the version stays unknown.
      return null;
    } finally {
      sandbox?.close();
    }
    return /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/.exec(Buffer.concat(chunks).toString("utf8"))?.[0] ?? null;
  }
}

async function findProgram(command: string, path: string): Promise<string | undefined> {
  const places = isAbsolute(command)
    ? [command]
    : path.split(delimiter).map((folder) => join(folder, command));
  for (const place of places) {
    // A folder may have the name, and can be entered, which looks the same as executable.
    const isFile = await stat(place).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile && (await exists(place, constants.X_OK))) return place;
  }
  return undefined;
}

async function hasLogin({ auth }: AgentEntry, env: Record<string, string>): Promise<boolean> {
  if (auth === undefined || (auth.env.length === 0 && auth.files.length === 0)) return true;
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (listSignIns(auth).some((names) => names.every(isSet))) return true;
  const home = env["HOME"] ?? homedir();
  for (const file of auth.files) if (await exists(file.replace(/^~/, home), constants.R_OK)) return true;
  return false;
}

async function exists(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    // Missing or unreadable: the same to the caller.
    return false;
  }
}
