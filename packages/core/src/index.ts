// The host without transports, for whoever serves it.
export type { AuditEntry, AuditStore } from "./audit/audit.ts";
export { type Cursor, Hub, type LogEntry, type Reading, type Subscription } from "./channel/index.ts";
export { type Caller, Host, type HostOptions, type StreamedTurn } from "./host.ts";
export type { Log } from "./session/session-tools.ts";
