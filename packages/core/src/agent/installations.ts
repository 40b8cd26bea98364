// Finds out which agents are installed, in which version, and whether they can log in. Looks; never downloads.
import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import type { Keeper, KeeperExit } from "@holdfast/keeper/port";
import type { Launch } from "@holdfast/protocol";
import type { AgentEntry } from "./agent-entry.ts";
import { ReportedModels } from "./reported-models.ts";

/** What was found. */
export type Installation =
  | { readonly installed: false }
  | {
      readonly installed: true;
      readonly launch: Launch;
      readonly version: string | null;
      readonly authReady: boolean;
    };

/** How long a finding holds: somebody may install an agent while the host runs. */
const cacheMs = 60_000;
const probeTimeoutMs = 10_000;
const maxProbeBytes = 64 * 1024;

/** What is installed on this machine; each look is kept for a minute. */
export class Installations {
  /** What the agents themselves have said of their models. */
  readonly models = new ReportedModels();
  readonly #keeper: Keeper;
  readonly #builtInVersion: string;
  readonly #found = new Map<string, { readonly at: number; readonly installation: Promise<Installation> }>();

  /** A built-in agent has the version of the host that ships it. */
  constructor(keeper: Keeper, builtInVersion: string) {
    this.#keeper = keeper;
    this.#builtInVersion = builtInVersion;
  }

  find(entry: AgentEntry): Promise<Installation> {
    const known = this.#found.get(entry.id);
    if (known !== undefined && performance.now() - known.at < cacheMs) return known.installation;
    const installation = this.#look(entry);
    this.#found.set(entry.id, { at: performance.now(), installation });
    return installation;
  }

  async #look(entry: AgentEntry): Promise<Installation> {
    const env = await this.#keeper.buildEnvironment({ audience: "person", hasScreen: false });
    for (const launch of [entry.launch, ...entry.alternatives]) {
      if (!(await isProgram(launch.command, env["PATH"] ?? ""))) continue;
      const [version, authReady] = await Promise.all([
        this.#probeVersion(entry, launch, env),
        hasLogin(entry, env),
      ]);
      return { installed: true, launch, version, authReady };
    }
    return { installed: false };
  }

  async #probeVersion(
    entry: AgentEntry,
    launch: Launch,
    env: Record<string, string>,
  ): Promise<string | null> {
    if (entry.builtIn) return this.#builtInVersion;
    if (entry.versionProbe === undefined) return null;
    const chunks: Buffer[] = [];
    let ended = (_exit: KeeperExit): void => {};
    const exited = new Promise<KeeperExit>((resolve) => {
      ended = resolve;
    });
    try {
      const run = await this.#keeper.start(
        {
          kind: "text",
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
    }
    return /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/.exec(Buffer.concat(chunks).toString("utf8"))?.[0] ?? null;
  }
}

async function isProgram(command: string, path: string): Promise<boolean> {
  const places = isAbsolute(command)
    ? [command]
    : path.split(delimiter).map((folder) => join(folder, command));
  for (const place of places) {
    // A folder may have the name, and can be entered, which looks the same as executable.
    const isFile = await stat(place).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile && (await exists(place, constants.X_OK))) return true;
  }
  return false;
}

async function hasLogin({ auth }: AgentEntry, env: Record<string, string>): Promise<boolean> {
  if (auth === undefined || (auth.env.length === 0 && auth.files.length === 0)) return true;
  if (auth.env.some((name) => (env[name] ?? "") !== "")) return true;
  const home = env["HOME"] ?? homedir();
  for (const file of auth.files) if (await exists(file.replace(/^~/, home), constants.R_OK)) return true;
  return false;
}

async function exists(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    // Not there, or not for us: the same to whoever asks.
    return false;
  }
}
