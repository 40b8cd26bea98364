// The host without transports, for packages that serve it, and the launch of agents, for packages that examine one.
export type {
  AcpAuthMethod,
  AcpAuthStatus,
  AcpInitializeResult,
  AcpSessionResult,
  AcpUpdate,
} from "./agent/acp.ts";
export { AgentConnection, type AgentServices } from "./agent/agent-connection.ts";
export { rejectingServices } from "./agent/agent-wire.ts";
export { AgentConfigError, AgentEntries, type AgentEntry, type BuiltInProgram } from "./agent/agent-entry.ts";
export { openSignedIn, saysLoginNeeded, signInRemedy } from "./agent/sign-in.ts";
export { Installations, type Installation } from "./agent/installations.ts";
export type { WaitingQuestion } from "./approval/approvals.ts";
export { rightsEntry } from "./audit/rights-entry.ts";
export type { Audit, AuditEntry, AuditStore } from "./audit/audit.ts";
export { maySee, submitterOf, type Caller } from "./caller.ts";
export type { HostSearch } from "./search/host-search.ts";
export type { HostUsage } from "./usage/host-usage.ts";
export type { ChangeListeners } from "./changes/change-listeners.ts";
export type { HostApprovals } from "./approval/host-approvals.ts";
export type { HostChanges } from "./changes/host-changes.ts";
export { earliest, type LogReader, type NoEntry } from "./channel/log-reader.ts";
export { runsOutside } from "./approval/subject.ts";
export { explainStorageError, type Recording } from "./channel/recording.ts";
export { Hub, type Subscription } from "./channel/hub.ts";
export {
  CLIENT_TOOLS_PATH,
  type ClientToolLeases,
  type LentToolResult,
  type OfferedTool,
  type ToolAccess,
  type ToolBridge,
} from "./editor/client-tools.ts";
export type { Editor, Editors, EditorTerminal } from "./editor/editors.ts";
export type { LogEntry, Projection } from "./channel/log-entry.ts";
export type { HostEvent, HostStats, HostWatcher } from "./host-event.ts";
export { Host, type AhpHost, type HostOptions, type MarkerOwner } from "./host.ts";
export type { PolicySource } from "./policy/host-policy.ts";
export { isDurable } from "./storage/durable.ts";
export type { FollowRequest, FollowedSession, StreamedTurn } from "./session/turn-readers.ts";
export type { TurnRequest } from "./session/session-turns.ts";
export { isListCursor, type FoundChannel, type SessionDirectory } from "./session/session-directory.ts";
export { FolderWatch, type PathChange, type WatchOptions } from "./resource/folder-watch.ts";
export { FileGrants, type FileAccess } from "./resource/file-grants.ts";
export type { ListedEntry, ResourceInfo, ResourceWrite, Resources } from "./resource/resources.ts";
export type { FileClient, SharedAccess } from "./resource/shared-access.ts";
export type { CompletedPath, ReadResource, SharedFiles } from "./resource/shared-files.ts";
export type { Meta, SessionPage } from "./ports.ts";
export { type BucketSize, TokenBucket } from "./token-bucket.ts";
export { DEFAULT_TIMEOUTS } from "./timeouts.ts";
export { buildLaunch, type AgentLaunch } from "./session/agent-launch.ts";
export { Redactor } from "./redaction/redactor.ts";
export type { SubmittingActor } from "./rules/rule.ts";
export {
  requireAccepted,
  type NewCommand,
  type NewShell,
  type Request,
  type Submission,
  type Submit,
  type SubmittedBy,
  accepted,
} from "./submit/submission.ts";
export type { ChangesRequest } from "./submit/changes-executor.ts";
export { ProcessOwners } from "./terminal/process-owners.ts";
export { terminalIdOf } from "./terminal/terminal-id.ts";
export type { TerminalClaims } from "./terminal/terminal-claims.ts";
export type {
  TerminalSnapshot,
  TerminalSubscription,
  TerminalSubscriptions,
  TerminalViewer,
} from "./terminal/terminal-subscriptions.ts";
export type { TerminalOperations } from "./terminal/terminal-operations.ts";
export { incompleteTailBytes, withoutEscapes } from "@holdfast/terminal/view";
export type { TerminalReader, TerminalReading } from "./terminal/terminal-reader.ts";
export type { Log } from "./session/session-deps.ts";
