// One new state of each kind, from which cases and properties start.
import type { ChannelKind, ChannelStates } from "../model/channel.ts";
import { newChatState } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import { newRootState } from "../model/root/root.ts";
import { newSessionState } from "../model/session/session.ts";
import { newTerminalState } from "../model/terminal/terminal.ts";

const at = "2026-01-01T00:00:00.000Z";

/** A new state of each kind. */
export const newStates: { readonly [Kind in ChannelKind]: ChannelStates[Kind] } = {
  root: newRootState(),
  session: newSessionState({
    resource: makeId("session URI", "ahp-session:/s1"),
    key: makeId("session key", "agent:shell:acp:s1"),
    provider: makeId("agent", "shell"),
    owner: { kind: "person" },
    title: "",
    at,
    workingDirectories: ["file:///w"],
  }),
  chat: newChatState({ resource: makeId("chat URI", "ahp-chat:/c1"), title: "Chat", at }),
  terminal: newTerminalState({
    resource: makeId("terminal URI", "ahp-terminal:/x1"),
    run: "tty",
    title: "bash",
    claim: { kind: "client", clientId: makeId("client", "ada") },
  }),
};

/** Freezes a value and all that it holds. Parts that are frozen already are taken to be so throughout. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
