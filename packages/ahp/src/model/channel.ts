// The four kinds of channel with their reducers and checks, for code that treats them alike.
import { mergeChatActions, reduceChat } from "./chat/chat-reducer.ts";
import { chatActionShape, chatStateShape } from "./chat/chat-shape.ts";
import type { ChatAction, ChatState } from "./chat/chat.ts";
import { reduceRoot, rootActionShape, rootStateShape, type RootAction, type RootState } from "./root/root.ts";
import { reduceSession } from "./session/session-reducer.ts";
import { sessionActionShape, sessionStateShape } from "./session/session-shape.ts";
import type { SessionAction, SessionState } from "./session/session.ts";
import { checkShape, type Checked, type Shape } from "./shape.ts";
import { mergeTerminalActions, reduceTerminal } from "./terminal/terminal-reducer.ts";
import { terminalActionShape, terminalStateShape } from "./terminal/terminal-shape.ts";
import type { TerminalAction, TerminalState } from "./terminal/terminal.ts";

/** The version of the states and actions in this folder; it grows when an old row needs translating to be read. */
export const MODEL_VERSION = 1;

/** The state of each kind of channel. */
export interface ChannelStates {
  readonly root: RootState;
  readonly session: SessionState;
  readonly chat: ChatState;
  readonly terminal: TerminalState;
}

/** The actions of each kind of channel. */
export interface ChannelActions {
  readonly root: RootAction;
  readonly session: SessionAction;
  readonly chat: ChatAction;
  readonly terminal: TerminalAction;
}

/** A kind of channel. */
export type ChannelKind = keyof ChannelStates;

/** Any action of any channel; the word before the slash of its `type` is the kind of the channel. */
export type Action = ChannelActions[ChannelKind];

/** The model of one kind of channel. */
export interface ChannelModel<Kind extends ChannelKind> {
  /** The state after an action; the same object when nothing changes. */
  readonly reduce: (state: ChannelStates[Kind], action: ChannelActions[Kind]) => ChannelStates[Kind];
  /** One action that does what two adjacent ones do, if there is one. */
  readonly merge: (
    earlier: ChannelActions[Kind],
    later: ChannelActions[Kind],
  ) => ChannelActions[Kind] | undefined;
  readonly checkState: (value: unknown) => Checked<ChannelStates[Kind]>;
  readonly checkAction: (value: unknown) => Checked<ChannelActions[Kind]>;
}

/** The model of each kind of channel. */
export const channelModels: { readonly [Kind in ChannelKind]: ChannelModel<Kind> } = {
  root: modelOf("root", reduceRoot, rootStateShape, rootActionShape),
  session: modelOf("session", reduceSession, sessionStateShape, sessionActionShape),
  chat: modelOf("chat", reduceChat, chatStateShape, chatActionShape, mergeChatActions),
  terminal: modelOf(
    "terminal",
    reduceTerminal,
    terminalStateShape,
    terminalActionShape,
    mergeTerminalActions,
  ),
};

function modelOf<Kind extends ChannelKind>(
  _kind: Kind,
  reduce: ChannelModel<Kind>["reduce"],
  stateShape: Shape<ChannelStates[Kind]>,
  actionShape: Shape<ChannelActions[Kind]>,
  merge: ChannelModel<Kind>["merge"] = () => undefined,
): ChannelModel<Kind> {
  return {
    reduce,
    merge,
    checkState: (value) => checkShape(stateShape, value),
    checkAction: (value) => checkShape(actionShape, value),
  };
}
