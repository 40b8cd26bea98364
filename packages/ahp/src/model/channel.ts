// The four kinds of channel, each with its reducer, its checks and its way to join actions, for code that treats them alike.
import type { ChatAction } from "./chat/chat-actions.ts";
import { reduceChat } from "./chat/chat-reducer.ts";
import { chatActionShape, chatStateShape } from "./chat/chat-shape.ts";
import type { ChatState } from "./chat/chat.ts";
import { mergeChatActions } from "./chat/merge.ts";
import type { RootAction } from "./root/root-actions.ts";
import { reduceRoot } from "./root/root-reducer.ts";
import { rootActionShape, rootStateShape } from "./root/root-shape.ts";
import type { RootState } from "./root/root.ts";
import type { SessionAction } from "./session/session-actions.ts";
import { reduceSession } from "./session/session-reducer.ts";
import { sessionActionShape, sessionStateShape } from "./session/session-shape.ts";
import type { SessionState } from "./session/session.ts";
import { checkShape, type Checked } from "./shape.ts";
import { mergeTerminalActions } from "./terminal/merge.ts";
import type { TerminalAction } from "./terminal/terminal-actions.ts";
import { reduceTerminal } from "./terminal/terminal-reducer.ts";
import { terminalActionShape, terminalStateShape } from "./terminal/terminal-shape.ts";
import type { TerminalState } from "./terminal/terminal.ts";

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

/** What can be done with a channel of some kind. */
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
  root: {
    reduce: reduceRoot,
    merge: () => undefined,
    checkState: (value) => checkShape(rootStateShape, value),
    checkAction: (value) => checkShape(rootActionShape, value),
  },
  session: {
    reduce: reduceSession,
    merge: () => undefined,
    checkState: (value) => checkShape(sessionStateShape, value),
    checkAction: (value) => checkShape(sessionActionShape, value),
  },
  chat: {
    reduce: reduceChat,
    merge: mergeChatActions,
    checkState: (value) => checkShape(chatStateShape, value),
    checkAction: (value) => checkShape(chatActionShape, value),
  },
  terminal: {
    reduce: reduceTerminal,
    merge: mergeTerminalActions,
    checkState: (value) => checkShape(terminalStateShape, value),
    checkAction: (value) => checkShape(terminalActionShape, value),
  },
};
