// The public face of @holdfast/protocol.
export { readCatalogue } from "./catalogue.ts";
export type {
  Catalogue,
  CatalogueAgent,
  ForwardedVariable,
  Forwarding,
  Launch,
  ModelChoice,
  Quirk,
} from "./catalogue.ts";
export { configJsonSchema, readConfig } from "./config.ts";
export type { Config, OwnAgent } from "./config.ts";
export { errorEnvelope, success } from "./envelope.ts";
export type { ErrorEnvelope, SuccessEnvelope } from "./envelope.ts";
export { ERRORS, HostError, toHostError, unknownAgent } from "./errors.ts";
export type { ErrorCode, HostErrorOptions } from "./errors.ts";
export { EVENT_STREAM_TYPE, HEARTBEAT, formatEvent } from "./event-stream.ts";
export { permissionOption, textDelta } from "./events.ts";
export type { PermissionOption, TurnEvent, TurnEventOf, TurnEventType } from "./events.ts";
export type { JsonSchema } from "./json-schema.ts";
export { LIMITS } from "./limits.ts";
export { openApiDocument } from "./openapi.ts";
export type { OpenApiContent, OpenApiDocument, OpenApiOperation } from "./openapi.ts";
export { operationPath, PERMISSIONS, routePattern } from "./operation.ts";
export type { Operation, OperationInput, OperationOutput, Permission } from "./operation.ts";
export { OPERATIONS } from "./operations.ts";
export type { OperationName, Operations } from "./operations.ts";
export { modelMembers } from "./operations/agent.ts";
export type { AgentInfo, ModelListing } from "./operations/agent.ts";
export { APP_PERMISSIONS, appRegistrationSchema, appSchema, permissionWishSchema } from "./operations/app.ts";
export type { App, AppPermission } from "./operations/app.ts";
export { apiKeySchema } from "./operations/key.ts";
export type { ApiKey, KeyRequest } from "./operations/key.ts";
export type { PendingApproval } from "./operations/approval.ts";
export type { AuditQuery, AuditRecord } from "./operations/audit.ts";
export type { ConnectedClient } from "./operations/client.ts";
export type { PermissionDecision } from "./operations/permission.ts";
export type { Session, SessionOptions, SessionStatus } from "./operations/session.ts";
export type { NewTerminalRequest } from "./operations/terminal.ts";
export type { Attachment, ChatRequest, ChatResponse, DeniedAction } from "./operations/turn.ts";
export { WEBHOOK_EVENTS } from "./operations/webhook.ts";
export type { DeadLetter, Webhook, WebhookEvent, WebhookRequest } from "./operations/webhook.ts";
export { problemSentence } from "./problem.ts";
export type { Checked, Problem } from "./problem.ts";
export { readJsonBody, readRequest } from "./request.ts";
export type { RawRequest } from "./request.ts";
export { APPROVAL_POLICIES } from "./runtime-option.ts";
export type { ApprovalPolicy, RuntimeOptions } from "./runtime-option.ts";
export { formatSessionKey, parseSessionKey } from "./session-key.ts";
export type { SessionKeyParts } from "./session-key.ts";
export { OWNER_CLIENT_ID } from "./terminal.ts";
export type { TerminalEvent, TerminalEventOf, TerminalStatus, TerminalText } from "./terminal.ts";
