// In what versions of AHP differ when they write a chat, as plain data.

/** How a version writes chats. */
export interface ChatStyle {
  /** The field that holds what was said to the agent. */
  readonly messageField: "message" | "userMessage";
  /** Whether turns tell when they began and how long they took. */
  readonly hasTimes: boolean;
  /** Whether a failure is the turn's last part or a field of the turn. */
  readonly failure: "part" | "field";
  /** Whether questions to a person are parts of the turn or a list beside it. */
  readonly inputRequests: "parts" | "list";
  /** Whether a tool call names who contributed it in `contributor` or `toolClientId`. */
  readonly contributor: "contributor" | "toolClientId";
  /** Whether a terminal in a tool call tells what it left behind. */
  readonly hasTerminalResults: boolean;
  /** Whether a turn can be taken up again, and older turns arrive, by an action. */
  readonly hasTurnResume: boolean;
  readonly hasTurnsLoaded: boolean;
  readonly hasDraft: boolean;
  /** Which flags of a chat have an action. */
  readonly hasIsRead: boolean;
  readonly hasIsArchived: boolean;
  readonly hasBackgroundWork: boolean;
  /** A channel's URI as clients of the version know it. */
  readonly showUri: (uri: string) => string;
}
