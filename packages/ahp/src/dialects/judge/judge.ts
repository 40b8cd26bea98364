// Says of an action that a client dispatched whether it may, and makes what the host vouches for the host's own.
import type { Action } from "../../model/channel.ts";
import type { RootAction } from "../../model/root/root-actions.ts";
import type { ReadContext, Verdict } from "../dialect.ts";
import { judgeChat } from "./judge-chat.ts";
import { judgeSession } from "./judge-session.ts";
import { judgeTerminal } from "./judge-terminal.ts";
import { accept, HOST_ONLY } from "./verdict.ts";

/**
 * Judges an action of the model on the state that it meets (E20).
 * Who may hold, type into or end a terminal is not judged here: that needs to know who is connected.
 */
export function judge(action: Action, context: ReadContext): Verdict {
  switch (context.kind) {
    case "root":
      return isRootAction(action) && action.type === "root/configChanged" ? accept(action) : HOST_ONLY;
    case "session":
      return judgeSession(action, context.state, context);
    case "chat":
      return judgeChat(action, context.state, context);
    case "terminal":
      return judgeTerminal(action, context.state);
  }
}

function isRootAction(action: Action): action is RootAction {
  return action.type.startsWith("root/");
}
