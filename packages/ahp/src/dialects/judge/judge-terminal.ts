// Which actions of a client a terminal can take, claims aside.
import type { Action } from "../../model/channel.ts";
import type { TerminalState } from "../../model/terminal/terminal.ts";
import type { Verdict } from "../dialect.ts";
import { accept, HOST_ONLY, refuse } from "./verdict.ts";

const onlyShown = "The agent runs this command itself: it is only shown.";

/** Judges an action on a terminal. */
export function judgeTerminal(action: Action, terminal: TerminalState): Verdict {
  const hasExited = terminal.lifecycle.status === "exited";
  const isUse = action.type === "terminal/input" || action.type === "terminal/resized";
  if (isUse && terminal.run === "display") return refuse(onlyShown);
  switch (action.type) {
    case "terminal/input":
      if (hasExited) return refuse("The program has ended: nobody reads what is typed.");
      return terminal.run === "tty" ? accept(action) : refuse("This terminal takes no input.");
    case "terminal/resized": {
      const { cols, rows } = action;
      if (hasExited) return refuse("The program has ended: its size no longer changes.");
      const isSize = Number.isInteger(cols) && Number.isInteger(rows) && cols > 0 && rows > 0;
      return isSize ? accept(action) : refuse("A terminal has at least one whole column and row.");
    }
    case "terminal/claimed": {
      const { claim } = action;
      // That a client is gone is the host's to say.
      return accept(
        claim.kind === "client"
          ? { type: action.type, claim: { kind: "client", clientId: claim.clientId } }
          : action,
      );
    }
    case "terminal/titleChanged":
      return accept({ type: action.type, title: action.title, source: "person" });
    case "terminal/cleared":
      return accept({ type: action.type, offset: terminal.output.endOffset });
    default:
      return HOST_ONLY;
  }
}
