// Keys that work everywhere in the page, except where something is typed.
import { useEffect } from "react";
import { sessionListId } from "../session/session-list.tsx";
import { goTo } from "./route.ts";

/** `N` opens a new session, `I` the inbox, `T` the terminals, `O` the host, `H` home; `/` searches the sessions, and arrows walk through them. */
export function useShortcuts(onNewSession: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      switch (event.key.toLowerCase()) {
        case "n":
          onNewSession();
          break;
        case "i":
          goTo({ place: "inbox" });
          break;
        case "t":
          goTo({ place: "terminals" });
          break;
        case "o":
          goTo({ place: "host" });
          break;
        case "h":
          goTo({ place: "home" });
          break;
        case "/":
          focusIn("input");
          break;
        case "arrowdown":
        case "arrowup":
          // Wherever else the focus is, arrows have another meaning.
          if (document.activeElement !== document.body) return;
          focusIn("a");
          break;
        default:
          return;
      }
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onNewSession]);
}

/** Goes to the first such element of the list of sessions. */
function focusIn(selector: string): void {
  document.querySelector<HTMLElement>(`#${sessionListId} ${selector}`)?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog, .xterm") !== null;
}
