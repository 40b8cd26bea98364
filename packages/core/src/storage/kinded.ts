// States whose kind is only known at run time: reducing them and reading them back.
import {
  type Action,
  channelModels,
  type ChannelActions,
  type ChannelKind,
  type Checked,
  reduceChat,
  reduceRoot,
  reduceSession,
  reduceTerminal,
} from "@holdfast/ahp";
import type { KindedState } from "../channel/channel.ts";

/** The state after an action; the same object when nothing changes or the action is of another kind. */
export function reduceKinded(kinded: KindedState, action: Action): KindedState {
  switch (kinded.kind) {
    case "root": {
      if (!isActionOf("root", action)) return kinded;
      const state = reduceRoot(kinded.state, action);
      return state === kinded.state ? kinded : { kind: "root", state };
    }
    case "session": {
      if (!isActionOf("session", action)) return kinded;
      const state = reduceSession(kinded.state, action);
      return state === kinded.state ? kinded : { kind: "session", state };
    }
    case "chat": {
      if (!isActionOf("chat", action)) return kinded;
      const state = reduceChat(kinded.state, action);
      return state === kinded.state ? kinded : { kind: "chat", state };
    }
    case "terminal": {
      if (!isActionOf("terminal", action)) return kinded;
      const state = reduceTerminal(kinded.state, action);
      return state === kinded.state ? kinded : { kind: "terminal", state };
    }
  }
}

/** A value that was written down, as a state of its kind. */
export function checkKinded(kind: ChannelKind, value: unknown): Checked<KindedState> {
  switch (kind) {
    case "root":
      return withKind(channelModels.root.checkState(value), (state) => ({ kind, state }));
    case "session":
      return withKind(channelModels.session.checkState(value), (state) => ({ kind, state }));
    case "chat":
      return withKind(channelModels.chat.checkState(value), (state) => ({ kind, state }));
    case "terminal":
      return withKind(channelModels.terminal.checkState(value), (state) => ({ kind, state }));
  }
}

function withKind<State>(
  checked: Checked<State>,
  build: (state: State) => KindedState,
): Checked<KindedState> {
  return checked.ok ? { ok: true, value: build(checked.value) } : checked;
}

function isActionOf<Kind extends ChannelKind>(kind: Kind, action: Action): action is ChannelActions[Kind] {
  return action.type.startsWith(`${kind}/`);
}
