// A session as it is kept: what a list shows of it, its settings, its history.
import { isObject } from "../acp/params.ts";
import type { Mode, OutputSetting } from "../acp/session-settings.ts";
import type { HistoryUpdate } from "../acp/session-update.ts";
import type { HistoryRecord } from "./history.ts";

/** What a person can allow for the rest of a session. */
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
