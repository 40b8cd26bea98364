// In what the versions of AHP from 0.5 to 1.0 differ, from the newest back: each names what it lacks of the next one.
import type { ChangesetStyle } from "../ahp/changeset.ts";
import type { ChatStyle } from "../ahp/chat.ts";
import { exitCodeOf, exitNumberOf, type TerminalStyle } from "../ahp/terminal.ts";
import { errorNumbers, oldErrorNumbers, type ErrorNumbers } from "../error-numbers.ts";

export interface SessionStyle {
  /** The lifecycle of a session that could not be created. */
  readonly failedLifecycle: "failed" | "creationFailed";
  /** Whether a session lists its folders, with actions for each, or names only the first. */
  readonly hasWorkingDirectories: boolean;
  /** Whether a session lists what waits for a person in its chats. */
  readonly hasInputNeeded: boolean;
  readonly changesets: ChangesetStyle;
}

export interface VersionStyle {
  readonly chat: ChatStyle;
  readonly session: SessionStyle;
  readonly terminal: TerminalStyle;
  readonly errorNumbers: ErrorNumbers;
}

/** AHP 1.0. */
export const style1_0: VersionStyle = {
  chat: {
    messageField: "message",
    hasTimes: true,
    failure: "part",
    inputRequests: "parts",
    contributor: "contributor",
    hasTerminalResults: true,
    hasTurnResume: true,
    hasTurnsLoaded: true,
    hasDraft: true,
    hasIsRead: true,
    hasIsArchived: true,
    hasBackgroundWork: true,
    showUri: (uri) => uri,
  },
  session: {
    failedLifecycle: "failed",
    hasWorkingDirectories: true,
    hasInputNeeded: true,
    changesets: "review",
  },
  // A program that was ended by a signal has no exit code.
  terminal: { hasIsPty: true, hasChatInClaim: true, exit: "lifecycle", exitCode: exitCodeOf },
  errorNumbers,
};

/** AHP 0.9: chats have no flags and no background work. */
export const style0_9: VersionStyle = {
  ...style1_0,
  chat: { ...style1_0.chat, hasIsRead: false, hasIsArchived: false, hasBackgroundWork: false },
};

/** AHP 0.8 and 0.7: a failed turn has an error and cannot be resumed; a terminal with an exit code has exited. */
export const style0_8: VersionStyle = {
  chat: { ...style0_9.chat, failure: "field", hasTurnResume: false },
  session: { ...style0_9.session, failedLifecycle: "creationFailed" },
  terminal: { hasIsPty: true, hasChatInClaim: false, exit: "exitCode", exitCode: exitNumberOf },
  errorNumbers: oldErrorNumbers,
};

/** AHP 0.6: one folder per session, and nothing that says whether a terminal has a PTY or how a command ended. */
export const style0_6: VersionStyle = {
  ...style0_8,
  chat: { ...style0_8.chat, hasTerminalResults: false },
  session: { ...style0_8.session, hasWorkingDirectories: false },
  terminal: { ...style0_8.terminal, hasIsPty: false },
};

/**
 * AHP 0.5.2: turns have no times; input requests are a list, and become parts of the turn once they are answered.
 * Changed files cannot be marked as reviewed.
 */
export const style0_5_2: VersionStyle = {
  ...style0_6,
  session: { ...style0_6.session, changesets: "plain" },
  chat: { ...style0_6.chat, hasTimes: false, inputRequests: "list-then-parts" },
};

/** AHP 0.5.1: input requests are a list, and gone once they are answered. */
export const style0_5_1: VersionStyle = {
  ...style0_5_2,
  chat: { ...style0_5_2.chat, inputRequests: "list" },
};

/** AHP 0.5.0: older turns are the result of a request, and a session does not list what waits in its chats. */
export const style0_5_0: VersionStyle = {
  ...style0_5_1,
  chat: { ...style0_5_1.chat, hasTurnsLoaded: false },
  session: { ...style0_5_1.session, hasInputNeeded: false },
};
