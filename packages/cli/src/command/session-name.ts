// The short names of sessions: how a person writes which one is meant, and what a list shows (C20).
import { parseSessionKey } from "@holdfast/ahp";
import type { AcpSessionStatus, Holdfast } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName, shortName } from "../short-name.ts";

/** An id of the host's making: it has one length and one case, unlike the id that a client chose. */
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface SessionChoice {
  /** Whether also closed sessions whose history is kept. */
  readonly closed?: boolean;
}

/** The name of a session in a list: the beginning of its key's last part. */
export function shortSessionName(sessionKey: string): string {
  return shortName(idOf(sessionKey));
}

/** Name of a session in lists: the label that a person chose, else its automatic title. */
export function sessionTitle({ label, title = "" }: AcpSessionStatus): string {
  return label ?? title;
}

/** The last part of a key: a UUID, or what the client that made the session chose. */
function idOf(sessionKey: string): string {
  return sessionKey.slice(sessionKey.lastIndexOf(":") + 1);
}

/** The key of the session that a word means: its key, or the beginning of its key or id if no other begins so. */
export async function resolveSession(
  api: Holdfast,
  word: string,
  { closed = false }: SessionChoice = {},
): Promise<string> {
  // A whole key needs no list of closed sessions; the request that uses it fails if there is no such session.
  if (closed && uuidPattern.test(parseSessionKey(word)?.sessionId ?? "")) return word;
  const sessions = await api.acpAgent.listSessions({ closed });
  const found = sessions.filter(({ session_key }) => meansSession(word, session_key));
  const [first, second] = found;
  if (first === undefined) throw closed ? noSuchSession(word) : await notOpen(api, word);
  if (second === undefined) return first.session_key;
  const names = found.map(({ session_key, agent_id, label }) => {
    return `${session_key} (${label === undefined ? agent_id : safeText(label)})`;
  });
  throw ambiguousName(several, word, names);
}

/** Whether a word is a session's key, or the beginning of its key or id. */
export function meansSession(word: string, sessionKey: string): boolean {
  if (word === "") return false;
  const id = idOf(sessionKey);
  return sessionKey.startsWith(word) || id.startsWith(uuidPattern.test(id) ? word.toLowerCase() : word);
}

function noSuchSession(word: string): CommandError {
  return new CommandError("ACP_SESSION_NOT_FOUND", `There is no session "${safeText(word)}".`, {
    exitCode: EXIT_CODES.missing,
    remedy: "`holdfast ls --all` lists the sessions, closed ones included.",
  });
}

/** The error for a word that means no open session; a closed one that it means is named (C515). */
async function notOpen(api: Holdfast, word: string): Promise<CommandError> {
  const sessions = await api.acpAgent.listSessions({ closed: true });
  const found = sessions.find(({ session_key }) => meansSession(word, session_key));
  if (found === undefined) return noSuchSession(word);
  const name = shortSessionName(found.session_key);
  return new CommandError("ACP_SESSION_NOT_FOUND", `Session ${name} is closed.`, {
    exitCode: EXIT_CODES.missing,
    remedy: `\`holdfast reopen ${name}\` opens it again. \`holdfast ls --all\` lists closed sessions.`,
  });
}

const several = {
  code: "SESSION_AMBIGUOUS",
  noun: "sessions",
  remedy: "Use more of the name, or the whole key.",
} as const;
