// A session that is open: where it works, how it is set, what has happened in it.
import { History } from "./history.ts";
import type { SessionSettings } from "../acp/agent-methods.ts";
import type { Mode, OutputSetting } from "../acp/session-settings.ts";
import type { KeptSession, PermissionScope } from "./session-record.ts";
import { listConfigOptions, listModes } from "./settings.ts";

/** An open session. */
export class Session {
  readonly id: string;
  cwd: string;
  mode: Mode = "ask";
  output: OutputSetting = "tail";
  title: string | undefined;
  /** What the person allowed for good in this session. */
  readonly allowed: Set<PermissionScope>;
  readonly history: History;
  #updatedAt: string;

  private constructor(id: string, cwd: string, kept?: KeptSession) {
    this.id = id;
    this.cwd = cwd;
    this.allowed = new Set(kept?.record.allowed);
    this.history = kept === undefined ? new History() : History.restore(kept.history);
    this.#updatedAt = kept?.record.updatedAt ?? new Date().toISOString();
  }

  /** A new session. */
  static create(id: string, cwd: string): Session {
    return new Session(id, cwd);
  }

  /** A session taken up again, in the folder that the client names now. */
  static restore(kept: KeptSession, cwd: string): Session {
    const { record } = kept;
    const session = new Session(record.sessionId, cwd, kept);
    session.mode = record.mode;
    session.output = record.output;
    session.title = record.title;
    return session;
  }

  /** When something last happened in it. */
  get updatedAt(): string {
    return this.#updatedAt;
  }

  /** What a client learns when it opens the session. */
  get settings(): SessionSettings {
    return { modes: listModes(this.mode), configOptions: listConfigOptions(this.output) };
  }

  /** Notes that something happens in it. */
  touch(): void {
    this.#updatedAt = new Date().toISOString();
  }

  /** The session as it is kept. */
  toKept(): KeptSession {
    const { id, cwd, title, updatedAt, mode, output } = this;
    const record = { sessionId: id, cwd, title, updatedAt, mode, output, allowed: [...this.allowed] };
    return { record, history: this.history.toRecord() };
  }
}
