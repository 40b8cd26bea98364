// The entry point of @holdfast/ahp: the model that the host and its clients share.
export {
  channelModels,
  MODEL_VERSION,
  type Action,
  type ChannelActions,
  type ChannelKind,
  type ChannelModel,
  type ChannelStates,
} from "./model/channel.ts";
export type { JsonObject, JsonValue, OpenEnum, Timestamp, Uri } from "./model/json.ts";
export {
  isId,
  makeId,
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
  type SessionUri,
  type TerminalId,
  type TerminalUri,
  type ToolCallId,
  type TurnId,
} from "./model/ids.ts";
export {
  chatUri,
  defaultChatUri,
  mayNameTerminal,
  parseChannelUri,
  ROOT_URI,
  sessionUri,
  terminalUri,
  type ChannelAddress,
} from "./model/uri.ts";
export type { Actor, ErrorInfo, LimitFired, Remedy } from "./model/failure.ts";
export type { Checked } from "./model/shape.ts";
export type { Changes } from "./model/immutable.ts";

export type { AgentInfo, AgentInstallation, ModelInfo } from "./model/root/agent.ts";
export {
  newRootState,
  reduceRoot,
  type RootAction,
  type RootConfig,
  type RootState,
  type SessionSummaryChanges,
} from "./model/root/root.ts";

export {
  newSessionState,
  type ActiveClient,
  type ChatSummaryChanges,
  type ConnectedAgent,
  type ContextLoss,
  type NewSession,
  type SessionAction,
  type SessionChatAction,
  type SessionDetailAction,
  type SessionInputRequest,
  type SessionLifecycle,
  type SessionLifecycleAction,
  type IsolationLevel,
  type SessionIsolation,
  type SessionOwner,
  type SessionSettingAction,
  type SessionState,
  type StaleCause,
} from "./model/session/session.ts";
export {
  sessionPhase,
  summarizeSession,
  type SessionPhase,
  type SessionSummary,
} from "./model/session/session-summary.ts";
export {
  chooseValues,
  APPROVAL_POLICIES,
  type ApprovalPolicy,
  type AvailableCommand,
  type ConfigChoice,
  type ConfigOption,
  type ConfigValues,
  type RuntimeOptions,
  type SessionMode,
  type SessionModes,
} from "./model/session/settings.ts";
export {
  AGENT_NAME_PATTERN,
  formatSessionKey,
  mayNameSession,
  parseSessionKey,
  type SessionKeyParts,
} from "./model/session/session-key.ts";
export { KEPT_NOTICES, reduceSession } from "./model/session/session-reducer.ts";

export {
  chatPhase,
  newChatState,
  summarizeChat,
  type AgentUpdate,
  type BackgroundWork,
  type ChatAction,
  type ChatDetailAction,
  type ChatPhase,
  type ChatState,
  type ChatSummary,
  type ContextUsage,
  type InputAction,
  type NewChat,
  type PartAction,
  type PendingMessageAction,
  type TurnAction,
} from "./model/chat/chat.ts";
export type {
  Attachment,
  Message,
  MessageOrigin,
  ModelSelection,
  PendingMessage,
  RequestMark,
} from "./model/chat/message.ts";
export {
  isAllowing,
  type Approval,
  type ApprovalDecision,
  type ApprovalOption,
} from "./model/chat/approval.ts";
export {
  isUnfinished,
  type CancelledToolCall,
  type CompletedToolCall,
  type Confirmation,
  type Confirmed,
  type FailedToolCall,
  type FileVersion,
  type PendingToolCall,
  type RunningToolCall,
  type StreamingToolCall,
  type TerminalResult,
  type ToolCall,
  type ToolCallAction,
  type ToolCallChanges,
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
  findInputRequest,
  findTextPart,
  findToolCall,
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
export { checkTurn } from "./model/chat/turn-shape.ts";
export { reduceChat } from "./model/chat/chat-reducer.ts";

export {
  newTerminalState,
  summarizeTerminal,
  type ClientClaim,
  type FinishedCommand,
  type LeftProcess,
  type NewTerminal,
  type OpenCommand,
  type SessionClaim,
  type TerminalAction,
  type TerminalClaim,
  type TerminalExit,
  type TerminalInfo,
  type TerminalLeftovers,
  type TerminalLifecycle,
  type TerminalOutput,
  type TerminalRun,
  type TerminalSize,
  type TerminalState,
  type TitleSource,
} from "./model/terminal/terminal.ts";
export { reduceTerminal } from "./model/terminal/terminal-reducer.ts";
