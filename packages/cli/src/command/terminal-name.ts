// The short names of terminals: how a person writes which one is meant, and what a list shows (C35).
import { type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { HoldfastError, type Holdfast, type TerminalStatus } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";

/** Enough to tell apart what one host has. */
const shortLength = 8;
const candidatesShown = 5;

/** The name of a terminal in a list: the beginning of its id. */
export function shortTerminalName(id: string): string {
  return safeText(id.slice(0, shortLength));
}

/** The channel of a terminal; one whose client chose its URI has that for an id. */
export function terminalUriOf(id: string): TerminalUri {
  return id.includes(":") ? makeId("terminal URI", id) : terminalUri(makeId("terminal", id));
}

/** All terminals that the host can list: those that are there, and the finished ones of its sessions. */
export async function listAllTerminals(api: Holdfast): Promise<TerminalStatus[]> {
  const [present, sessions] = await Promise.all([api.terminals.list(), api.acpAgent.listSessions()]);
  const ofSessions = await Promise.all(
    sessions.map(({ session_key: sessionKey }) => api.terminals.list({ sessionKey })),
  );
  const known = new Map([...ofSessions.flat(), ...present].map((terminal) => [terminal.id, terminal]));
  return [...known.values()];
}

/** The id of the terminal that a word means: its id, the beginning of it, or its title, if no other is meant so. */
export async function resolveTerminal(api: Holdfast, word: string): Promise<string> {
  const listed =
    findTerminal(await api.terminals.list(), word) ?? findTerminal(await listAllTerminals(api), word);
  if (listed !== undefined) return listed.id;
  // One that ended under an earlier host and belonged to no session is on no list, and is known by its whole id.
  if (word !== "" && (await isKept(api, word))) return word;
  throw new CommandError("TERMINAL_NOT_FOUND", `There is no terminal "${safeText(word)}".`, {
    exitCode: EXIT_CODES.missing,
    remedy: "`holdfast terminals --all` lists the terminals.",
  });
}

async function isKept(api: Holdfast, id: string): Promise<boolean> {
  try {
    await api.terminals.output(id, { limitBytes: 1 });
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && error.code === "TERMINAL_NOT_FOUND") return false;
    throw error;
  }
}

/** The only one of these that a word means; undefined when it means none. */
export function findTerminal(terminals: readonly TerminalStatus[], word: string): TerminalStatus | undefined {
  const exact = terminals.find(({ id }) => id === word);
  if (exact !== undefined || word === "") return exact;
  const byId = terminals.filter(({ id }) => id.startsWith(word));
  const byTitle = terminals.filter(({ title }) => title === word);
  const found = [...new Set([...byId, ...byTitle])];
  if (found.length > 1) throw severalTerminals(word, found);
  return found[0];
}

function severalTerminals(word: string, found: readonly TerminalStatus[]): CommandError {
  const names = found
    .slice(0, candidatesShown)
    .map(({ id, title }) => `${safeText(id)} (${safeText(title)})`);
  const more = found.length > names.length ? `, and ${found.length - names.length} more` : "";
  return new CommandError(
    "TERMINAL_AMBIGUOUS",
    `"${safeText(word)}" may mean ${found.length} terminals: ${names.join(", ")}${more}.`,
    { exitCode: EXIT_CODES.setup, remedy: "Write more of the id, or the whole of it." },
  );
}
