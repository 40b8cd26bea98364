// The host without transports, for whoever serves it.
export type { AuditEntry, AuditStore } from "./audit/audit.ts";
export type { Cursor, Reading } from "./channel/cursor.ts";
export { Hub, type Subscription } from "./channel/hub.ts";
export type { LogEntry, Projection } from "./channel/log-entry.ts";
export { type Caller, Host, type HostOptions, type StreamedTurn } from "./host.ts";
export type { Log } from "./session/session-tools.ts";
