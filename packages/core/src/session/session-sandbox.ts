// The sandbox of a session: opened for its first process, published in its state, closed with it.
import { isDeepStrictEqual } from "node:util";
import type { SessionAction, SessionIsolation, SessionState } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import {
  type HeldSandbox,
  ISOLATION_LEVELS,
  type IsolationLevel,
  type Sandbox,
  type SandboxSpec,
  TerminalError,
} from "@holdfast/terminal/port";
import type { AgentEntry } from "../agent/agent-entry.ts";
import { isReachable } from "../isolation/reach.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The session, as far as its sandbox needs it. */
export interface SandboxContext {
  readonly entry: AgentEntry;
  readonly deps: Pick<SessionDeps, "processPort" | "isolation" | "agentFolders">;
  readonly state: SessionState;
  readonly realRoots: readonly string[];
  /** The name by which the next host finds it; absent: it is closed then. */
  readonly sandboxTag?: string;
  publish(action: SessionAction): void;
}

/** The sandbox of a process that is about to be started. */
export interface SandboxUse {
  /** The sandbox to run in; undefined where the session is not isolated. */
  readonly id: string | undefined;
  readonly level: IsolationLevel;
}

/** At most one sandbox at a time. Processes in one that was closed live on in it. */
export class SessionSandbox {
  readonly #context: SandboxContext;
  #opened: { readonly spec: SandboxSpec; readonly sandbox: Promise<Sandbox | undefined> } | undefined;

  constructor(context: SandboxContext) {
    this.#context = context;
  }

  /** The level that the session asked for. */
  get wanted(): IsolationLevel {
    const { state, deps } = this.#context;
    return readLevel(state.isolation?.wanted ?? deps.isolation.level);
  }

  /** The isolation in force, for the audit: the level and its backend. */
  get description(): string {
    const { level = "none", backend } = this.#context.state.isolation ?? {};
    return backend === undefined ? level : `${level} (${backend})`;
  }

  /** Whether a process that enters now would get another sandbox than those before: the session works elsewhere. */
  get isOutdated(): boolean {
    return this.#opened !== undefined && !isDeepStrictEqual(this.#opened.spec, this.#spec());
  }

  /** The sandbox for a process that is about to be started. */
  async enter(): Promise<SandboxUse> {
    const level = this.wanted;
    const spec = this.#spec();
    if (spec === undefined) return { id: undefined, level };
    if (this.#opened === undefined || !isDeepStrictEqual(this.#opened.spec, spec)) {
      this.close();
      this.#opened = { spec, sandbox: this.#open(spec) };
    }
    const opened = this.#opened;
    try {
      return { id: (await opened.sandbox)?.id, level };
    } catch (error) {
      // The next process tries again.
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  /** Continues with the sandbox of an earlier host: processes join it as long as it is what they need. */
  restore({ spec, sandbox }: HeldSandbox): void {
    this.#opened = { spec, sandbox: Promise.resolve(sandbox) };
  }

  /** Nobody enters any more; the sandbox ends with its last process. */
  close(): void {
    this.#opened?.sandbox.then(
      (sandbox) => sandbox?.close(),
      () => {},
    );
    this.#opened = undefined;
  }

  /** Whether the host may read or write a file for the agent; its own files stay closed without isolation, too (V630). */
  reaches(access: "read" | "write", realPath: string): Promise<boolean> {
    return isReachable(this.#specOf(this.wanted === "workspace" ? "workspace" : "guard"), access, realPath);
  }

  #spec(): SandboxSpec | undefined {
    return this.wanted === "none" ? undefined : this.#specOf(this.wanted);
  }

  #specOf(level: SandboxSpec["level"]): SandboxSpec {
    const { deps, entry, state, realRoots: roots } = this.#context;
    return deps.isolation.specFor(level, { roots, ownFolders: deps.agentFolders(entry, state) });
  }

  async #open(spec: SandboxSpec): Promise<Sandbox | undefined> {
    const { processPort, isolation } = this.#context.deps;
    const wanted = spec.level;
    try {
      const sandbox = await isolation.open(processPort, spec, this.#context.sandboxTag);
      const { level, backend, gaps } = sandbox;
      this.#publish({ wanted, level, backend, ...(gaps.length > 0 && { gaps }) });
      return sandbox;
    } catch (error) {
      if (!(error instanceof TerminalError) || error.code !== "not_supported") throw error;
      if (isolation.isRequired) {
        throw new HostError("ISOLATION_UNAVAILABLE", `${error.message}. Run holdfast doctor for help.`, {
          cause: error,
        });
      }
      this.#publish({ wanted, level: "none", backend: "none", reason: `${error.message}.` });
      return undefined;
    }
  }

  #publish(isolation: SessionIsolation): void {
    if (isDeepStrictEqual(this.#context.state.isolation, isolation)) return;
    this.#context.publish({ type: "session/isolationChanged", isolation });
  }
}

/** A level that this host does not know is taken for the strongest. */
function readLevel(wanted: string): IsolationLevel {
  return ISOLATION_LEVELS.find((level) => level === wanted) ?? "workspace";
}
