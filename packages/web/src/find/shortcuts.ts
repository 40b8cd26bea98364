// Keyboard shortcuts: one table for the handler of keys, the palette and the help.

/** Actions that a key starts wherever nothing is typed. */
export type ActionId =
  | "palette"
  | "help"
  | "search"
  | "find-session"
  | "new-session"
  | "home"
  | "inbox"
  | "terminals"
  | "host"
  | "closed"
  | "conversation"
  | "changes"
  | "session-terminals"
  | "theme";

export interface Shortcut {
  /** Absent for keys that are handled where they are used. */
  readonly id?: ActionId;
  readonly label: string;
  /** Further words, in the palette only. */
  readonly detail?: string;
  readonly group: "Find" | "Go to" | "In a session" | "Approvals" | "Writing" | "Review" | "Appearance";
  /** A single key, or `mod+` and a key: Cmd on a Mac, Ctrl elsewhere. */
  readonly keys?: readonly string[];
}

export const shortcuts: readonly Shortcut[] = [
  { id: "palette", label: "Command palette", group: "Find", keys: ["mod+k"] },
  { id: "search", label: "Search all sessions", group: "Find", keys: ["f"] },
  { id: "find-session", label: "Filter sessions", group: "Find", keys: ["/"] },
  { id: "help", label: "Keyboard shortcuts", group: "Find", keys: ["?"] },
  { id: "new-session", label: "New session", group: "Go to", keys: ["s"] },
  { id: "home", label: "Home", group: "Go to", keys: ["h"] },
  { id: "inbox", label: "Inbox", group: "Go to", keys: ["i"] },
  { id: "terminals", label: "Terminals", group: "Go to", keys: ["t"] },
  { id: "host", label: "Host and settings", group: "Go to", keys: ["o"] },
  { id: "closed", label: "Closed sessions", group: "Go to" },
  { label: "Next or previous session in the list", group: "Go to", keys: ["arrowdown", "arrowup"] },
  { id: "conversation", label: "Show the conversation", group: "In a session", keys: ["c"] },
  { id: "changes", label: "Show the changes", group: "In a session", keys: ["d"] },
  { id: "session-terminals", label: "Show the session's terminals", group: "In a session" },
  { label: "Allow once", group: "Approvals", keys: ["y"] },
  { label: "Always allow in this session", group: "Approvals", keys: ["a"] },
  { label: "Deny", group: "Approvals", keys: ["n"] },
  { label: "Next or previous approval", group: "Approvals", keys: ["j", "k"] },
  { label: "Send the message, or queue it", group: "Writing", keys: ["enter"] },
  { label: "New line", group: "Writing", keys: ["shift+enter"] },
  { label: "Next or previous line of a diff", group: "Review", keys: ["arrowdown", "arrowup"] },
  { label: "Comment on the line", group: "Review", keys: ["enter"] },
  { label: "Add the comment, or commit", group: "Review", keys: ["mod+enter"] },
  { id: "theme", label: "Change the theme", detail: "Light, dark or match the system", group: "Appearance" },
];

/** The key of an action, as it stands beside a button. */
export function keyOf(action: ActionId): string {
  return shortcuts.find(({ id }) => id === action)?.keys?.[0] ?? "";
}

/** Letters type or choose there; a dialog that was just closed may keep the focus until the next frame. */
const typed = "input, textarea, select, dialog[open], [popover], .xterm";

/** Whether a key has another meaning where it is pressed. */
export function isTypingIn(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(typed) !== null;
}

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The action of a key; while something is typed, only those with Ctrl or Cmd. */
export function actionOf(pressed: PressedKey, isTyping: boolean): ActionId | undefined {
  if (pressed.altKey) return undefined;
  const isModified = pressed.ctrlKey || pressed.metaKey;
  if (isTyping && !isModified) return undefined;
  const name = `${isModified ? "mod+" : ""}${pressed.key.toLowerCase()}`;
  return shortcuts.find(({ id, keys }) => id !== undefined && keys?.includes(name))?.id;
}

const names: Readonly<Record<string, string>> = {
  arrowdown: "↓",
  arrowup: "↑",
  enter: "Enter",
  shift: "Shift",
  escape: "Esc",
};

/** The keys of one combination, as they stand on the keyboard. */
export function keyNames(combination: string, isMac: boolean): string[] {
  return combination.split("+").map((key) => {
    if (key === "mod") return isMac ? "⌘" : "Ctrl";
    return names[key] ?? key.toUpperCase();
  });
}

export function isMacKeyboard(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
