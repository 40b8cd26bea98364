// The isolation of a host's sessions: which level one gets, and what a sandbox of that level hides and allows.
import { realpathSync } from "node:fs";
import path from "node:path";
import { type Config, HostError } from "@holdfast/protocol";
import {
  ISOLATION_LEVELS,
  type IsolationLevel,
  type ProcessPort,
  type Sandbox,
  type SandboxSpec,
  TerminalError,
} from "@holdfast/terminal/port";
import type { Caller } from "../caller.ts";
import { linkedRepository } from "./linked-repository.ts";
import { makeExpectedCaches, workspaceHidden, workspaceWritable } from "./workspace-paths.ts";

/** The host's own paths, which only the program that runs it knows. */
export interface HostPaths {
  /** Its home: token, database, spool, FIFOs. */
  readonly hidden: readonly string[];
  /** Its program where it was not installed; a session in one of these folders may change that, to work on Holdfast (V702). */
  readonly readOnly: readonly string[];
  /** Its configuration, its policy, and its program where that was installed: no session may change these. */
  readonly fixed?: readonly string[];
  /** Folders below the hidden ones in which no session may work; in others it may. */
  readonly private: readonly string[];
}

const nothing: HostPaths = { hidden: [], readOnly: [], private: [] };

/** The session that a sandbox is for. */
interface SandboxedSession {
  readonly roots: readonly string[];
  /** Folders of the host that its agent keeps its own files in. */
  readonly ownFolders: readonly string[];
}

/** The rules of one host. */
export class Isolation {
  readonly #config: Config["isolation"];
  readonly #paths: HostPaths;

  constructor(config: Config["isolation"], paths: HostPaths = nothing) {
    this.#config = config;
    this.#paths = paths;
  }

  /** The level of sessions that name none. */
  get level(): IsolationLevel {
    return this.#config.level;
  }

  /** Whether sessions are refused that cannot be isolated. */
  get isRequired(): boolean {
    return this.#config.require;
  }

  /** Secrets that commands keep under `workspace`. */
  get keepSecrets(): readonly string[] {
    return this.#config.keepSecrets;
  }

  /** The levels that the owner may choose from, weakest first. */
  get choices(): readonly IsolationLevel[] {
    const { level, require } = this.#config;
    return require ? ISOLATION_LEVELS.slice(ISOLATION_LEVELS.indexOf(level)) : ISOLATION_LEVELS;
  }

  /** The level of a new session; the owner may choose any unless isolation is required, all others only a stronger one (V640). */
  choose(wanted: IsolationLevel | undefined, caller: Caller): IsolationLevel {
    const { level } = this.#config;
    if (wanted === undefined) return level;
    const isWeaker = ISOLATION_LEVELS.indexOf(wanted) < ISOLATION_LEVELS.indexOf(level);
    const isAllowed = caller.kind === "owner" ? this.choices.includes(wanted) : !isWeaker;
    if (!isAllowed) throw new HostError("ISOLATION_NOT_ALLOWED");
    return wanted;
  }

  /** The sandbox of a session. */
  specFor(level: SandboxSpec["level"], { roots, ownFolders }: SandboxedSession): SandboxSpec {
    const { hidden, readOnly, fixed = [] } = this.#paths;
    const config = this.#config;
    const visible = [...ownFolders, ...roots.filter((root) => this.#isShown(root))];
    const isIn = (root: string, each: string): boolean => root === each || isBelow(root, [each]);
    if (level === "guard") {
      // Only roots that a read-only folder would affect: a session that moves keeps its sandbox and so its processes.
      const writable = readOnly.flatMap((each) => {
        const worked = roots.filter((root) => isIn(root, each));
        // A commit in a folder of the repository changes the repository's own.
        return worked.length === 0 ? [] : [...worked, path.join(each, ".git")];
      });
      return { level, hidden: [...hidden, ...config.hidden], visible, readOnly, fixed, writable };
    }
    const listed = new Set(config.visible);
    const secrets = workspaceHidden(process.env).filter((each) => !listed.has(each));
    const isWorkedOn = (each: string): boolean => roots.some((root) => isIn(root, each));
    const writable = [...roots, ...ownFolders, ...workspaceWritable(), ...config.writable];
    const places = writable.flatMap((each) => [each, withoutLinks(each)]);
    // Inside a writable folder it is writable, and the agent could exchange it for a link before it is mounted (V741).
    const repositories = roots
      .flatMap((root) => linkedRepository(root) ?? [])
      .filter((each) => !places.includes(each) && !isBelow(each, places));
    return {
      level,
      hidden: [...hidden, ...config.hidden, ...secrets],
      visible,
      // Caches and temporary folders are writable, also where the program was installed there.
      readOnly: readOnly.filter((each) => isWorkedOn(each)),
      fixed: [...fixed, ...readOnly.filter((each) => !isWorkedOn(each))],
      writable: [...writable, ...repositories],
    };
  }

  /** Opens a sandbox that is described. */
  open(processPort: Pick<ProcessPort, "openSandbox">, spec: SandboxSpec, tag?: string): Promise<Sandbox> {
    if (spec.level === "workspace") makeExpectedCaches();
    return processPort.openSandbox(spec, tag);
  }

  /** Opens a sandbox; undefined at the level `none`, and where the machine cannot and need not. */
  async openFor(
    processPort: Pick<ProcessPort, "openSandbox">,
    level: IsolationLevel,
    session: SandboxedSession,
  ): Promise<Sandbox | undefined> {
    if (level === "none") return undefined;
    try {
      return await this.open(processPort, this.specFor(level, session));
    } catch (error) {
      const isMissing = error instanceof TerminalError && error.code === "not_supported";
      if (isMissing && !this.isRequired) return undefined;
      throw error;
    }
  }

  /** A session's folder below the home is there, unless it is one of the host's own. */
  #isShown(root: string): boolean {
    const { hidden, private: own } = this.#paths;
    return isBelow(root, hidden) && !own.includes(root) && !isBelow(root, own);
  }
}

function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // It is not there.
    return folder;
  }
}

/** Whether a path is below one of these. */
function isBelow(folder: string, parents: readonly string[]): boolean {
  return parents.some((parent) => folder.startsWith(`${parent}${path.sep}`));
}
