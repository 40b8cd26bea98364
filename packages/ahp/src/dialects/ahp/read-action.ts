// Translation of the actions that clients of an AHP version dispatch to actions of the model.
import { reader, undispatchable, type ActionReader, type WireAction } from "./wire-action.ts";
import type { Action } from "../../model/channel.ts";
import { flag, jsonObject, object, optional, type Checked } from "../../model/shape.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ReadAction, ReadContext, Sender } from "../dialect.ts";
import type { RootAction } from "../../model/root/root.ts";
import type { SessionAction, SessionState } from "../../model/session/session.ts";
import { annotationActionReaders } from "./annotation.ts";
import { REVIEW_ACTION } from "./changeset.ts";
import { chatActionReaders } from "./read-chat-action.ts";
import { sessionActionReaders } from "./session.ts";
import { terminalActionReaders } from "./terminal.ts";

/** Differences between versions: the actions on a session, and the prefix of those on a chat. */
export interface ReadStyle {
  readonly chatPrefix: "chat/" | "session/";
  /** Actions on a chat, without the prefix, that the version does not have. */
  readonly unknownChatActions: ReadonlySet<string>;
  readonly sessionReaders: {
    readonly [type: string]: ActionReader<Sender & { readonly state: SessionState }, SessionAction>;
  };
}

/** The actions that a client of the newest version can dispatch. */
export function dispatchableActions(): readonly string[] {
  return [
    "root/configChanged",
    ...Object.keys(sessionActionReaders),
    ...Object.keys(chatActionReaders).map((name) => `chat/${name}`),
    ...Object.keys(terminalActionReaders),
    REVIEW_ACTION,
    ...Object.keys(annotationActionReaders),
  ];
}

const readRootConfig: ActionReader<unknown, RootAction> = reader(
  object<{ config: JsonObject; replace?: boolean }>({ config: jsonObject, replace: optional(flag) }),
  ({ config, replace }) => ({ type: "root/configChanged", config, replace }),
);

/** An action of the model, or why it is none; whether it is allowed, the host's rules say. */
export function readAhpAction(action: WireAction, context: ReadContext, style: ReadStyle): ReadAction {
  const read = translate(action, context, style);
  if (!read) return { ok: false, reason: undispatchable(action) };
  return read.ok ? { ok: true, action: read.value } : { ok: false, reason: read.problem };
}

function translate(
  action: WireAction,
  context: ReadContext,
  { chatPrefix, sessionReaders, unknownChatActions }: ReadStyle,
): Checked<Action> | undefined {
  const { type } = action;
  switch (context.kind) {
    case "root":
      return type === "root/configChanged" ? readRootConfig(action, context) : undefined;
    case "session":
      return own(sessionReaders, type)?.(action, context);
    case "chat": {
      if (!type.startsWith(chatPrefix)) return undefined;
      const name = type.slice(chatPrefix.length);
      return unknownChatActions.has(name) ? undefined : own(chatActionReaders, name)?.(action, context);
    }
    case "terminal":
      return own(terminalActionReaders, type)?.(action, context);
  }
}

/** AHP: "Any action referencing a non-existent chat: Server MUST silently ignore the action"; first written of sessions. */
export function ignoresLost({ type }: WireAction): boolean {
  return type.startsWith("chat/") || type.startsWith("session/");
}

/** A type such as `toString` names no reader. */
function own<Value>(table: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
