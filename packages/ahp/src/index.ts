// The public face of @holdfast/ahp: the model that the host and its clients share.
export { MODEL_VERSION } from "./model/version.ts";
export type { JsonObject, JsonValue, OpenEnum, Timestamp, Uri } from "./model/json.ts";
export {
  formatSessionKey,
  isId,
  makeId,
  parseSessionKey,
  type AgentId,
  type AppId,
  type ApprovalId,
  type BackgroundWorkId,
  type ChatId,
  type ChatUri,
  type ClientId,
  type CommandId,
  type Id,
  type IdKind,
  type InputRequestId,
  type NoticeId,
  type PartId,
  type PendingMessageId,
  type PlanId,
  type SessionId,
  type SessionKey,
  type SessionKeyParts,
  type SessionUri,
  type TerminalId,
  type TerminalUri,
  type ToolCallId,
  type TurnId,
} from "./model/ids.ts";
export {
  ROOT_URI,
  chatUri,
  defaultChatUri,
  parseChannelUri,
  sessionUri,
  terminalUri,
  type ChannelAddress,
} from "./model/uri.ts";
export type { Actor, ErrorInfo, LimitFired } from "./model/failure.ts";
export type { Checked } from "./model/shape.ts";
export type { Changes } from "./model/immutable.ts";

export {
  channelModels,
  type Action,
  type ChannelActions,
  type ChannelKind,
  type ChannelModel,
  type ChannelStates,
} from "./model/channel.ts";

export type { AgentInfo, AgentInstallation, ModelInfo } from "./model/root/agent.ts";
export { newRootState, type RootConfig, type RootState } from "./model/root/root.ts";
export type { RootAction, SessionSummaryChanges } from "./model/root/root-actions.ts";
export { reduceRoot } from "./model/root/root-reducer.ts";

export {
  newSessionState,
  type ActiveClient,
  type ConnectedAgent,
  type ContextLoss,
  type NewSession,
  type SessionInputRequest,
  type SessionLifecycle,
  type SessionOwner,
  type SessionState,
  type StaleCause,
} from "./model/session/session.ts";
export {
  sessionPhase,
  summarizeSession,
  type SessionPhase,
  type SessionSummary,
} from "./model/session/session-summary.ts";
export type {
  ApprovalPolicy,
  AvailableCommand,
  ConfigChoice,
  ConfigOption,
  ConfigValues,
  RuntimeOptions,
  SessionMode,
  SessionModes,
} from "./model/session/settings.ts";
export type {
  ChatSummaryChanges,
  SessionAction,
  SessionChatAction,
  SessionDetailAction,
  SessionLifecycleAction,
  SessionSettingAction,
} from "./model/session/session-actions.ts";
export { KEPT_NOTICES, reduceSession } from "./model/session/session-reducer.ts";

export {
  chatPhase,
  newChatState,
  summarizeChat,
  type AgentUpdate,
  type BackgroundWork,
  type ChatPhase,
  type ChatState,
  type ChatSummary,
  type ContextUsage,
  type NewChat,
} from "./model/chat/chat.ts";
export type {
  Attachment,
  Message,
  MessageOrigin,
  ModelSelection,
  PendingMessage,
  RequestMark,
} from "./model/chat/message.ts";
export type { Approval, ApprovalDecision, ApprovalOption } from "./model/chat/approval.ts";
export {
  isUnfinished,
  type CancelledToolCall,
  type CompletedToolCall,
  type Confirmed,
  type FailedToolCall,
  type FileVersion,
  type PendingToolCall,
  type RunningToolCall,
  type StreamingToolCall,
  type TerminalResult,
  type ToolCall,
  type ToolCallDetails,
  type ToolCancelReason,
  type ToolContent,
  type ToolContributor,
  type ToolFailure,
  type ToolKind,
  type ToolLocation,
  type ToolSuccess,
} from "./model/chat/tool-call.ts";
export type {
  InputAnswer,
  InputAnswers,
  InputOption,
  InputQuestion,
  InputRequest,
  InputResponse,
  InputValue,
} from "./model/chat/input-request.ts";
export {
  turnParts,
  waitingFor,
  type ActiveTurn,
  type InputRequestPart,
  type Notice,
  type Plan,
  type PlanEntry,
  type ResponsePart,
  type StopReason,
  type TextPart,
  type ToolCallPart,
  type Turn,
  type TurnEnd,
  type TurnUsage,
  type TurnWaits,
  type WaitingFor,
  type WholePart,
} from "./model/chat/turn.ts";
export type {
  ChatAction,
  ChatDetailAction,
  InputAction,
  PartAction,
  PendingMessageAction,
  TurnAction,
} from "./model/chat/chat-actions.ts";
export type { Confirmation, ToolCallAction, ToolCallChanges } from "./model/chat/tool-call-actions.ts";
export { reduceChat } from "./model/chat/chat-reducer.ts";

export {
  newTerminalState,
  summarizeTerminal,
  type ClientClaim,
  type FinishedCommand,
  type NewTerminal,
  type OpenCommand,
  type SessionClaim,
  type TerminalClaim,
  type TerminalExit,
  type TerminalInfo,
  type TerminalLifecycle,
  type TerminalOutput,
  type TerminalRun,
  type TerminalSize,
  type TerminalState,
  type TitleSource,
} from "./model/terminal/terminal.ts";
export type { TerminalAction } from "./model/terminal/terminal-actions.ts";
export { reduceTerminal } from "./model/terminal/terminal-reducer.ts";
