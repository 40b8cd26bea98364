// The length limit of titles from programs, agents and clients (U200).
import type { Action } from "@holdfast/ahp";

const maxTitleLength = 512;

/** A title cut to its greatest length, not within a character. */
export function boundTitle(title: string): string {
  if (title.length <= maxTitleLength) return title;
  return title.slice(0, maxTitleLength).replace(/[\ud800-\udbff]$/, "");
}

/** The same action, with a title that is not too long. */
export function withBoundTitle(action: Action): Action {
  switch (action.type) {
    case "terminal/titleChanged":
    case "session/titleChanged":
    case "chat/titleChanged": {
      const title = boundTitle(action.title);
      return title === action.title ? action : { ...action, title };
    }
    default:
      return action;
  }
}
