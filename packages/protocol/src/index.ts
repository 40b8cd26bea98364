// The entry point of @holdfast/protocol.
export {
  readCatalogue,
  type Catalogue,
  type CatalogueAgent,
  type ForwardedVariable,
  type Forwarding,
  type Launch,
  type ModelChoice,
  type Quirk,
} from "./catalogue.ts";
export { readSessionLimits, type LimitsConfig } from "./command-limits.ts";
export { readExtras } from "./runtime-option.ts";
export { configJsonSchema, readConfig, type Config, type OwnAgent } from "./config.ts";
export { policyJsonSchema, readPolicy, type PolicyFile } from "./policy.ts";
export { errorEnvelope, success, type ErrorEnvelope, type SuccessEnvelope } from "./envelope.ts";
export { ERRORS, type ErrorCode } from "./errors.ts";
export { HostError, toHostError, unknownAgent, type HostErrorOptions } from "./host-error.ts";
export {
  EVENT_STREAM_TYPE,
  formatEvent,
  HEARTBEAT,
  permissionOption,
  textDelta,
  type PermissionOption,
  type TurnEvent,
  type TurnEventOf,
  type TurnEventType,
} from "./events.ts";
export { problemSentence, type Checked, type JsonSchema, type Problem } from "./schema.ts";
export { LIMITS } from "./limits.ts";
export {
  openApiDocument,
  type OpenApiContent,
  type OpenApiDocument,
  type OpenApiOperation,
} from "./openapi.ts";
export {
  APP_PERMISSIONS,
  operationPath,
  OWNER_CLIENT_ID,
  PERMISSIONS,
  routePattern,
  type Operation,
  type OperationInput,
  type OperationOutput,
  type Permission,
} from "./operation.ts";
export { OPERATIONS, type OperationName, type Operations } from "./operations.ts";
export { modelMembers, type AgentInfo, type ModelListing } from "./operations/agent.ts";
export {
  appRegistrationSchema,
  appSchema,
  permissionWishSchema,
  type App,
  type AppPermission,
} from "./operations/app.ts";
export { apiKeySchema, type ApiKey, type KeyRequest } from "./operations/key.ts";
export { signInSchema, type SignIn } from "./operations/sign-in.ts";
export { completeCeiling, DEFAULT_CEILING, type Ceiling, type WantedCeiling } from "./ceiling.ts";
export type { PendingApproval, PermissionDecision, PermissionRuleInfo } from "./operations/approval.ts";
export type { PolicyInForce } from "./operations/policy.ts";
export type { AuditChain, AuditLink, AuditQuery, AuditRecord } from "./operations/audit.ts";
export type {
  ChangedFile,
  ChangeHunk,
  ChangeList,
  CommitRequest,
  FileDiff,
  OmittedChange,
  RevertRequest,
} from "./operations/changes.ts";
export type { ConnectedClient } from "./operations/client.ts";
export type { Usage } from "./operations/usage.ts";
export type { ProcessList } from "./operations/process.ts";
export type { SearchResult, SearchSessionsQuery } from "./operations/search.ts";
export type { Session, SessionOptions, SessionPatch, SessionStatus } from "./operations/session.ts";
export type {
  NewTerminalRequest,
  TerminalEvent,
  TerminalEventOf,
  TerminalStatus,
  TerminalText,
} from "./operations/terminal.ts";
export type {
  Attachment,
  ChatRequest,
  ChatResponse,
  DeniedAction,
  TurnCancellation,
} from "./operations/turn.ts";
export {
  WEBHOOK_EVENTS,
  type DeadLetter,
  type Webhook,
  type WebhookEvent,
  type WebhookRequest,
} from "./operations/webhook.ts";
export { readJsonBody, readRequest, type EventPlace, type RawRequest } from "./request.ts";
