// Names of terminals: how a person writes which one is meant, and what a list shows (C35).
import { makeId, parseChannelUri, type TerminalUri, terminalUri } from "@holdfast/ahp";
import { type Holdfast, HoldfastError, type TerminalStatus } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName } from "../short-name.ts";

/** The channel of a terminal; one whose client chose its URI has that for an id. */
export function terminalUriOf(id: string): TerminalUri {
  return id.includes(":") ? makeId("terminal URI", id) : terminalUri(makeId("terminal", id));
}

/** The id by which the app API knows a terminal; one whose client chose its URI has that for an id. */
export function terminalIdOf(uri: TerminalUri): string {
  const address = parseChannelUri(uri);
  return address?.kind === "terminal" ? address.terminalId : uri;
}

/** All terminals that the host can list, oldest first: those that are there, and the finished ones of its sessions. */
export async function listAllTerminals(api: Holdfast): Promise<TerminalStatus[]> {
  const [present, sessions] = await Promise.all([api.terminals.list(), api.acpAgent.listSessions()]);
  const ofSessions = await Promise.all(
    sessions.map(({ session_key: sessionKey }) => api.terminals.list({ sessionKey })),
  );
  const known = new Map([...ofSessions.flat(), ...present].map((terminal) => [terminal.id, terminal]));
  return [...known.values()].toSorted((one, other) => startMs(one) - startMs(other));
}

function startMs({ startedAt }: TerminalStatus): number {
  return startedAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(startedAt);
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
  // A name may be used again: what runs under it is meant, else what ran last.
  const running = found.filter(({ lifecycle }) => lifecycle.status === "running");
  return onlyTerminal(running.length > 0 ? running : newestOf(found, byTitle), word);
}

/** The only one of these, which a word means; several are an error that names them. */
export function onlyTerminal(
  candidates: readonly TerminalStatus[],
  word: string,
): TerminalStatus | undefined {
  if (candidates.length > 1) {
    const names = candidates.map(({ id, title }) => `${safeText(id)} (${safeText(title)})`);
    throw ambiguousName(several, word, names);
  }
  return candidates[0];
}

/** The one that ended last, where the word is the title of all of them. */
function newestOf(found: readonly TerminalStatus[], byTitle: readonly TerminalStatus[]): TerminalStatus[] {
  if (found.length !== byTitle.length) return [...found];
  return found.toSorted((one, other) => endOf(other).localeCompare(endOf(one))).slice(0, 1);
}

function endOf({ lifecycle }: TerminalStatus): string {
  return lifecycle.status === "exited" ? lifecycle.exitedAt : "";
}

const several = {
  code: "TERMINAL_AMBIGUOUS",
  noun: "terminals",
  remedy: "Use more of the id.",
} as const;
