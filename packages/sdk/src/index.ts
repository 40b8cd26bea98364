// The public face of @holdfast/sdk: the client of a Holdfast host, for Node and browsers.
export {
  Holdfast,
  Holdfast as RealtimeXSDK,
  type HoldfastOptions,
  type RealtimeXOptions,
} from "./holdfast.ts";
export { HoldfastError, type ClientErrorCode, type HoldfastErrorCode } from "./error.ts";
export type { EventStream, RetryOptions } from "./event-stream.ts";
export type { CallOptions } from "./connection.ts";
export type {
  AcpAgent,
  AcpAgentInfo,
  AcpAttachment,
  AcpChatResponse,
  AcpRuntimeOptionPatch,
  AcpSession,
  AcpSessionOptions,
  AcpSessionStatus,
  AcpStreamEvent,
  ChatOptions,
  EventOptions,
} from "./acp-agent.ts";
export type { App, AppPermission, Apps, Registration } from "./app.ts";
export type {
  AcpPermissionDecision,
  AcpPermissionResolution,
  Approvals,
  PendingApproval,
} from "./approval.ts";
export type { ChangedFile, ChangeHunk, ChangeList, Changes, ChangesOptions, FileDiff } from "./changes.ts";
export type { PermissionRuleInfo, PermissionRules } from "./permission-rule.ts";
export type { PolicyInForce, PolicyRules } from "./policy.ts";
export type { Audit, AuditChain, AuditLink, AuditQuery, AuditRecord } from "./audit.ts";
export type { Search, SearchOptions, SearchResult } from "./search.ts";
export type { SignIn, SignInLink, SignIns } from "./sign-in.ts";
export type { ApiKey, Ceiling, KeyRequest, Keys, NewKey, WantedCeiling } from "./key.ts";
export type {
  NewTerminal,
  TerminalEvent,
  TerminalInputOptions,
  Terminals,
  TerminalStatus,
  TerminalStreamOptions,
  TerminalText,
} from "./terminal.ts";
export type { DeadLetter, NewWebhook, Webhook, WebhookEvent, WebhookRequest, Webhooks } from "./webhook.ts";
export type { ErrorCode, PermissionOption, TurnEvent, TurnEventOf, TurnEventType } from "@holdfast/protocol";
