// The host without transports, for whoever serves it, and what starts an agent, for whoever examines one.
export type { AcpInitializeResult, AcpSessionResult, AcpUpdate } from "./agent/acp.ts";
export { AgentConnection, type AgentServices } from "./agent/agent-connection.ts";
export { AgentEntries, type AgentEntry, type BuiltInProgram } from "./agent/agent-entry.ts";
export { Installations, type Installation } from "./agent/installations.ts";
export type { AuditEntry, AuditStore } from "./audit/audit.ts";
export { maySee, type Caller } from "./caller.ts";
export type { Cursor, Reading } from "./channel/cursor.ts";
export type { EntryFeed } from "./channel/entry-feed.ts";
export { Hub, type Subscription } from "./channel/hub.ts";
export type { LogEntry, Projection } from "./channel/log-entry.ts";
export type { HostEvent, HostFigures, HostWatcher } from "./host-event.ts";
export { Host, type AhpDesk, type HostOptions } from "./host.ts";
export { MemoryStorage } from "./storage/memory-storage.ts";
export type { FollowRequest, FollowedSession, StreamedTurn } from "./session/turn-feeds.ts";
export type { TurnRequest } from "./session/session-turns.ts";
export type { FoundChannel, SessionDesk, WantedSession } from "./session/session-desk.ts";
export type { CompletedPath, ReadResource, SharedFiles } from "./resource/shared-files.ts";
export type { Meta, SessionPage } from "./ports.ts";
export { DEFAULT_PATIENCE } from "./patience.ts";
export { buildLaunch, type AgentLaunch } from "./session/agent-launch.ts";
export { Redactor } from "./redaction/redactor.ts";
export type {
  NewCommand,
  NewPersonTerminal,
  Submission,
  TerminalDesk,
  TerminalSnapshot,
  TerminalSubscription,
  TerminalViewer,
} from "./terminal/terminal-desk.ts";
export type { InputPlace } from "./terminal/piped-input.ts";
export type { TerminalFeed, TerminalReading } from "./terminal/terminal-feed.ts";
export { MemoryMeta } from "./storage/memory-meta.ts";
export type { Log } from "./session/session-tools.ts";
