// Every kind of id, as a string that cannot be mistaken for another kind.

declare const brand: unique symbol;

/** A string that names a thing of one kind; the kind is known to the compiler alone. */
export type Id<Kind extends string> = string & { readonly [brand]: Kind };

/** Names a session inside its URI and its key. */
export type SessionId = Id<"session">;
/** Names a chat inside its URI. */
export type ChatId = Id<"chat">;
/** Names a terminal inside its URI. */
export type TerminalId = Id<"terminal">;
/** Names a turn of a chat. */
export type TurnId = Id<"turn">;
/** Names a text or content part of a turn. */
export type PartId = Id<"part">;
/** Names a tool call of a turn, as the agent chose it. */
export type ToolCallId = Id<"tool call">;
/** Names a request for permission; the app API calls it `requestId`. */
export type ApprovalId = Id<"approval">;
/** Names a question that an agent asks a person. */
export type InputRequestId = Id<"input request">;
/** Names a message that waits for its turn. */
export type PendingMessageId = Id<"pending message">;
/** Names a plan of a turn. */
export type PlanId = Id<"plan">;
/** Names a notice. */
export type NoticeId = Id<"notice">;
/** Names work that continues after its turn. */
export type BackgroundWorkId = Id<"background work">;
/** Names a command that ran in a terminal. */
export type CommandId = Id<"command">;
/** Names a connected client. */
export type ClientId = Id<"client">;
/** Names an app that uses the app API. */
export type AppId = Id<"app">;
/** Names an agent of the catalogue; AHP calls it the provider. */
export type AgentId = Id<"agent">;
/** The name of a session in the app API: `agent:<handle>:acp:<id>`. */
export type SessionKey = Id<"session key">;
/** The URI of a session's channel, as its creator chose it. */
export type SessionUri = Id<"session URI">;
/** The URI of a chat's channel. */
export type ChatUri = Id<"chat URI">;
/** The URI of a terminal's channel. */
export type TerminalUri = Id<"terminal URI">;
/** Names a standing permission. */
export type PermissionRuleId = Id<"permission rule">;

/** The kinds of things that have ids. */
export type IdKind =
  | "session"
  | "chat"
  | "terminal"
  | "turn"
  | "part"
  | "tool call"
  | "approval"
  | "input request"
  | "pending message"
  | "plan"
  | "notice"
  | "background work"
  | "command"
  | "client"
  | "app"
  | "agent"
  | "session key"
  | "session URI"
  | "chat URI"
  | "terminal URI"
  | "permission rule";

/** Makes an id. An empty string names nothing and is refused. */
export function makeId<Kind extends IdKind>(kind: Kind, text: string): Id<Kind> {
  if (!isId(kind, text)) throw new TypeError(`The name of a ${kind} must have at least one character.`);
  return text;
}

/** Whether a value can serve as an id of a kind. */
export function isId<Kind extends IdKind>(_kind: Kind, value: unknown): value is Id<Kind> {
  return typeof value === "string" && value !== "";
}
