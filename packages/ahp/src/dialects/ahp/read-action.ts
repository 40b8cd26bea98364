// Reads any action that a client of an AHP version dispatched, and judges it.
import type { Action } from "../../model/channel.ts";
import { jsonObject, flag, object, optional, type Checked } from "../../model/shape.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ReadContext, Verdict, WireClientAction } from "../dialect.ts";
import { judge } from "../judge/judge.ts";
import { HOST_ONLY, refuse } from "../judge/verdict.ts";
import { reader, type ActionReader } from "./action-reader.ts";
import type { RootAction } from "../../model/root/root-actions.ts";
import type { SessionAction } from "../../model/session/session-actions.ts";
import type { SessionState } from "../../model/session/session.ts";
import type { Author } from "../judge/verdict.ts";
import { chatActionReaders } from "./read-chat-action.ts";
import { terminalActionReaders } from "./read-terminal-action.ts";

/** What differs between versions: the actions on a session, and the prefix of those on a chat. */
export interface ReadStyle {
  readonly chatPrefix: "chat/" | "session/";
  readonly sessionReaders: {
    readonly [type: string]: ActionReader<Author & { readonly state: SessionState }, SessionAction>;
  };
}

const readRootConfig: ActionReader<unknown, RootAction> = reader(
  object<{ config: JsonObject; replace?: boolean }>({ config: jsonObject, replace: optional(flag) }),
  ({ config, replace }) => ({ type: "root/configChanged", config, replace }),
);

/** An action of the model that is allowed on the state it meets, or the reason why not. */
export function readAhpAction(action: WireClientAction, context: ReadContext, style: ReadStyle): Verdict {
  const read = translate(action, context, style);
  if (!read) return HOST_ONLY;
  return read.ok ? judge(read.value, context) : refuse(read.problem);
}

function translate(
  action: WireClientAction,
  context: ReadContext,
  { chatPrefix, sessionReaders }: ReadStyle,
): Checked<Action> | undefined {
  const { type } = action;
  switch (context.kind) {
    case "root":
      return type === "root/configChanged" ? readRootConfig(action, context) : undefined;
    case "session":
      return own(sessionReaders, type)?.(action, context);
    case "chat": {
      if (!type.startsWith(chatPrefix)) return undefined;
      return own(chatActionReaders, type.slice(chatPrefix.length))?.(action, context);
    }
    case "terminal":
      return own(terminalActionReaders, type)?.(action, context);
  }
}

/** A type such as `toString` names no reader. */
function own<Value>(table: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
