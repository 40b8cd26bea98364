// One session: its settings (S17), its history and the record that is kept of it.
import type { ConfigOption, Mode, ModeState, OutputSetting, SessionSettings } from "../acp/agent-methods.ts";
import { isObject } from "../acp/params.ts";
import type { HistoryUpdate } from "../acp/session-update.ts";
import { History, type HistoryRecord } from "./history.ts";

export class Session {
  readonly id: string;
  cwd: string;
  mode: Mode = "ask";
  output: OutputSetting = "tail";
  title: string | undefined;
  /** Scopes that the person allowed for the rest of this session. */
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

  /** A restored session, in the folder that the client names now. */
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

  /** Settings for a client that opens the session. */
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

/** The modes, the careful one first. */
export const MODES: readonly Mode[] = ["ask", "trust"];

export const OUTPUT_OPTION_ID = "output";

export const OUTPUT_SETTINGS: readonly OutputSetting[] = ["tail", "none"];

function listModes(currentModeId: Mode): ModeState {
  return {
    currentModeId,
    availableModes: [
      { id: "ask", name: "Ask", description: "Ask before each command and each written file" },
      { id: "trust", name: "Trust", description: "Never ask" },
    ],
  };
}

function listConfigOptions(currentValue: OutputSetting): ConfigOption[] {
  return [
    {
      type: "select",
      id: OUTPUT_OPTION_ID,
      name: "Output",
      description: "Whether what commands print is repeated as message text",
      currentValue,
      options: [
        { value: "tail", name: "Tail", description: "Repeat the last 32 KiB" },
        { value: "none", name: "None", description: "Say only how the command ended" },
      ],
    },
  ];
}

/** Actions that a person can allow for the rest of a session. */
export type PermissionScope = "commands" | "writes";

/** All of a session but its history. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string | undefined;
  /** ISO 8601 in UTC: sorts as text. */
  readonly updatedAt: string;
  readonly mode: Mode;
  readonly output: OutputSetting;
  readonly allowed: readonly PermissionScope[];
}

/** A session with its history. */
export interface KeptSession {
  readonly record: SessionRecord;
  readonly history: HistoryRecord;
}

/** Reads a record from JSON; `undefined` if it is none. */
export function parseRecord(json: string): SessionRecord | undefined {
  const value = parseObject(json);
  if (value === undefined) return undefined;
  const { sessionId, cwd, title, updatedAt, mode, output, allowed } = value;
  if (typeof sessionId !== "string" || typeof cwd !== "string" || typeof updatedAt !== "string") {
    return undefined;
  }
  const scopes: unknown[] = Array.isArray(allowed) ? allowed : [];
  return {
    sessionId,
    cwd,
    updatedAt,
    ...(typeof title === "string" && { title }),
    mode: mode === "trust" ? "trust" : "ask",
    output: output === "none" ? "none" : "tail",
    allowed: scopes.filter((scope) => scope === "commands" || scope === "writes"),
  };
}

/** Reads a history from JSON; `undefined` if it is none. */
export function parseHistory(json: string): HistoryRecord | undefined {
  const value = parseObject(json);
  if (value === undefined || !Array.isArray(value["updates"])) return undefined;
  const dropped = typeof value["dropped"] === "number" ? value["dropped"] : 0;
  // The file is this agent's own and its folder is closed to others: the updates are taken as they were written.
  return { dropped, updates: value["updates"] as HistoryUpdate[] };
}

function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    // Not JSON: somebody else's file, or a disk that lost its end.
    return undefined;
  }
}
