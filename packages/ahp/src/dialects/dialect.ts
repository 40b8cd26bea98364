// Interface of a dialect: the model as one kind of client sees it, as pure functions.
import type { Action, ChannelActions, ChannelKind, ChannelStates } from "../model/channel.ts";
import type { ChatState } from "../model/chat/chat.ts";
import type { Turn } from "../model/chat/turn.ts";
import type { ChatUri, ClientId } from "../model/ids.ts";
import type { Timestamp } from "../model/json.ts";
import type { RootState } from "../model/root/root.ts";
import type { SessionSummary } from "../model/session/session-summary.ts";
import type { SessionState } from "../model/session/session.ts";
import type { Checked } from "../model/shape.ts";
import type { TerminalState } from "../model/terminal/terminal.ts";
import type { ChangesetStyle } from "./ahp/changeset.ts";
import type { TerminalPart } from "./ahp/terminal.ts";
import type { WireAction } from "./ahp/wire-action.ts";
import type { ErrorNumbers } from "./error-numbers.ts";
import type { AhpRequests, RequestMethod } from "./ahp/request.ts";

/** The dialects that the host speaks. */
export type DialectName =
  | "holdfast"
  | "v1_0"
  | "v0_10"
  | "v0_9"
  | "v0_8"
  | "v0_7"
  | "v0_6"
  | "v0_5_2"
  | "v0_5_1"
  | "v0_5_0"
  | "v0_1";

/** A notification as it is sent. */
export interface WireMessage {
  readonly method: string;
  readonly params: object;
}

/** A client that dispatched an action, and its own number for it. */
export interface WireOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
}

/** An entry of a channel's log without its action. */
export interface ShownEntry {
  readonly channel: string;
  readonly serverSeq: number;
  readonly origin?: WireOrigin | undefined;
}

/** An action of one kind of channel, with the states around it. */
export type StepOf<Kind extends ChannelKind> = {
  readonly kind: Kind;
  readonly action: ChannelActions[Kind];
  readonly before: ChannelStates[Kind];
  readonly after: ChannelStates[Kind];
};

/** An action with the states around it: a dialect may have to say with several what the model says with one. */
export type Step = { readonly [Kind in ChannelKind]: StepOf<Kind> }[ChannelKind];

/** A channel at one moment, with all that a snapshot of it may need. */
export type ShownChannel =
  | { readonly kind: "root"; readonly state: RootState }
  /** `chat` is the session's default chat, for a dialect that knows no other. */
  | { readonly kind: "session"; readonly state: SessionState; readonly chat?: ChatState | undefined }
  | { readonly kind: "chat"; readonly state: ChatState }
  | { readonly kind: "terminal"; readonly state: TerminalState; readonly content: readonly TerminalPart[] };

/** The state of a channel; every later action on it has a number above `fromSeq`. */
export interface WireSnapshot {
  readonly resource: string;
  readonly state: object;
  readonly fromSeq: number;
}

/** A client's dispatch, before any check whether it is allowed. */
export interface ClientDispatch {
  readonly clientSeq: number;
  /** The channel that is meant, to be looked up with `readUri`. */
  readonly channel: string;
  readonly action: WireAction;
  /** Where it was sent, as the client wrote it; a rejection goes back there. */
  readonly sentTo: string;
}

/** As much of a dispatch as its answer repeats. */
export interface AnsweredDispatch {
  readonly clientSeq: number;
  readonly action: object;
  readonly sentTo: string;
}

/** A client's dispatch, or what is wrong with it; `answered` where its author can be answered with a rejection. */
export type ReadDispatch =
  | { readonly ok: true; readonly value: ClientDispatch }
  | { readonly ok: false; readonly problem: string; readonly answered?: AnsweredDispatch };

/** The sender of a dispatch, and when the host received it. */
export interface Sender {
  readonly clientId: ClientId;
  readonly at: Timestamp;
}

/** The sender of an action, when it came, and the channel's state. */
export type ReadContext = Sender &
  {
    readonly [Kind in ChannelKind]: { readonly kind: Kind; readonly state: ChannelStates[Kind] };
  }[ChannelKind];

/** A dispatched action in the model's terms, or the reason why it has none, for its author alone. */
export type ReadAction =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly reason: string };

/** Some turns of a chat that a client asked for, oldest first. */
export interface TurnPage {
  readonly chat: ChatUri;
  readonly turns: readonly Turn[];
  /** Set when there are older ones. */
  readonly nextCursor?: string | undefined;
}

/** The answer to a client that asked for turns: notifications to send it first, and the result. */
export interface ShownTurns {
  readonly messages: readonly WireMessage[];
  readonly result: object;
}

/** One dialect. All functions are pure and cheap; what comes from a log entry is the same for all its viewers. */
export interface Dialect {
  readonly name: DialectName;
  readonly rootUri: string;
  /** How many numbers of the wire one number of the model stands for; see sequence.ts. */
  readonly seqStride: number;
  readonly errorNumbers: ErrorNumbers;
  readonly changesets: ChangesetStyle;
  /** A channel's URI as this dialect's clients know it. */
  showUri(uri: string): string;
  /** The channel that a client means; `exists` says whether there is one of that URI (E4). */
  readUri(uri: string, exists: (uri: string) => boolean): string;
  /** The channels that a subscription to one of them follows; empty when this dialect has no such channel. */
  channelsOf(uri: string, kind: ChannelKind): readonly string[];
  /** A snapshot; `undefined` when this dialect has no such channel. */
  showSnapshot(uri: string, serverSeq: number, shown: ShownChannel): WireSnapshot | undefined;
  /** The messages for an action: none, one, or several, of which one is the author's echo. */
  showAction(entry: ShownEntry, step: Step): readonly WireMessage[];
  /** An item of `listSessions`. */
  showSummary(summary: SessionSummary): object;
  showTurns(page: TurnPage, serverSeq: number): ShownTurns;
  readDispatch(params: unknown): ReadDispatch;
  /** Whether clients get no answer to such an action on a channel that does not exist (E77). */
  ignoresLost(action: WireAction): boolean;
  readAction(action: WireAction, context: ReadContext): ReadAction;
  /** The echo of an action that was refused, or that changed nothing and was not logged: to its author alone. */
  answerDispatch(
    dispatch: AnsweredDispatch,
    clientId: string,
    serverSeq: number,
    rejectionReason?: string,
  ): WireMessage;
  /** The params of a request in the host's own terms. */
  readRequest<Method extends RequestMethod>(method: Method, params: unknown): Checked<AhpRequests[Method]>;
}
