// The short names of sessions: how a person writes which one is meant, and what a list shows (C20).
import { parseSessionKey } from "@holdfast/protocol";
import type { AcpSessionStatus, Holdfast } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";

/** Enough to tell apart what one host has; a list that has two alike shows their keys. */
const shortLength = 8;
const candidatesShown = 5;

/** Which sessions may be meant. */
export interface SessionChoice {
  /** Whether also those that are closed and still kept. */
  readonly closed?: boolean;
}

/** The name of a session in a list: the beginning of its key's UUID. */
export function shortSessionName(sessionKey: string): string {
  return parseSessionKey(sessionKey)?.uuid.slice(0, shortLength) ?? sessionKey;
}

/** The key of the session that a word means: its key, or the beginning of its key or UUID if no other begins so. */
export async function resolveSession(
  api: Holdfast,
  word: string,
  { closed = false }: SessionChoice = {},
): Promise<string> {
  // A whole key needs no list; if there is no such session, whoever uses it is told.
  if (parseSessionKey(word) !== undefined) return word;
  const sessions = await api.acpAgent.listSessions({ closed });
  const found = sessions.filter(({ session_key }) => isMeant(session_key, word));
  const [first, second] = found;
  if (first === undefined) throw noSuchSession(word, closed);
  if (second !== undefined) throw severalSessions(word, found);
  return first.session_key;
}

function isMeant(sessionKey: string, word: string): boolean {
  if (word === "") return false;
  const uuid = parseSessionKey(sessionKey)?.uuid ?? "";
  return sessionKey.startsWith(word) || uuid.startsWith(word.toLowerCase());
}

function noSuchSession(word: string, closed: boolean): CommandError {
  return new CommandError("ACP_SESSION_NOT_FOUND", `There is no session "${safeText(word)}".`, {
    exitCode: EXIT_CODES.missing,
    remedy: closed ? "`holdfast ls --all` lists the sessions." : "`holdfast ls` lists the sessions.",
  });
}

function severalSessions(word: string, found: readonly AcpSessionStatus[]): CommandError {
  const names = found
    .slice(0, candidatesShown)
    .map(({ session_key, agent_id, label }) =>
      label === undefined ? `${session_key} (${agent_id})` : `${session_key} (${safeText(label)})`,
    );
  const more = found.length > names.length ? `, and ${found.length - names.length} more` : "";
  return new CommandError(
    "SESSION_AMBIGUOUS",
    `"${safeText(word)}" may mean ${found.length} sessions: ${names.join(", ")}${more}.`,
    { exitCode: EXIT_CODES.setup, remedy: "Write more of the name, or the whole key." },
  );
}
