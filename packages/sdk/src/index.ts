// The public face of @holdfast/sdk: the client of a Holdfast host, for Node and browsers.
export { Holdfast, Holdfast as RealtimeXSDK } from "./holdfast.ts";
export type { HoldfastOptions, RealtimeXOptions } from "./options.ts";
export type { RetryOptions } from "./retry.ts";
export type { Registration } from "./registration.ts";
export { HoldfastError } from "./error.ts";
export type { ClientErrorCode, HoldfastErrorCode } from "./error.ts";
export type { EventStream } from "./event-stream.ts";
export type { AcpAgent, ChatOptions, EventOptions } from "./acp-agent.ts";
export type { CallOptions } from "./connection.ts";
export type {
  AcpAgentInfo,
  AcpAttachment,
  AcpChatResponse,
  AcpPermissionDecision,
  AcpPermissionResolution,
  AcpRuntimeOptionPatch,
  AcpSession,
  AcpSessionOptions,
  AcpSessionStatus,
  AcpStreamEvent,
} from "./acp-types.ts";
export type { App, AppPermission, Apps } from "./app.ts";
export type { Approvals, PendingApproval } from "./approval.ts";
export type { Audit, AuditQuery, AuditRecord } from "./audit.ts";
export type { ApiKey, KeyRequest, Keys, NewKey } from "./key.ts";
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
