// Transcript of a session, open or closed: its records, read as they are asked for (C56).
import {
  type ActiveTurn,
  type ChatSummary,
  type ChatUri,
  ROOT_URI,
  type SessionState,
  type ToolContent,
  type Turn,
  type TurnId,
  turnParts,
} from "@holdfast/ahp";
import type { AhpClient } from "@holdfast/ahp/client";
import { RpcError } from "@holdfast/jsonrpc";
import { type Holdfast, HoldfastError } from "@holdfast/sdk";
import type { HostLink } from "../../link/host-link.ts";
import { terminalIdOf } from "../../terminal/terminal-name.ts";
import { readTerminal, readTerminalText, type TerminalRecord } from "./terminal-records.ts";

/** Grows when a line changes its meaning. */
const TRANSCRIPT_VERSION = 1;

export type TranscriptRecord =
  /** The first line: the session as the host keeps it. */
  | { readonly type: "session"; readonly version: number; readonly session: SessionState }
  /** A turn with its message, parts, tool calls, decisions and usage, as the host keeps it. */
  | { readonly type: "turn"; readonly chat: ChatUri; readonly turn: Turn | ActiveTurn }
  /** A terminal of the turn before it; its output follows, unless nothing of it is kept. */
  | {
      readonly type: "terminal";
      readonly terminal: string;
      readonly turnId: TurnId;
      readonly title: string;
      readonly isKept: boolean;
    }
  | TerminalRecord
  /** The last line, without which the transcript was cut off. */
  | { readonly type: "end"; readonly turns: number; readonly terminals: number };

type TerminalContent = Extract<ToolContent, { type: "terminal" }>;

/** How terminals' output is exported: byte for byte, or as the text that it left. */
type OutputForm = "bytes" | "text";

export async function* readTranscript(
  link: HostLink,
  sessionKey: string,
  output: OutputForm,
): AsyncGenerator<TranscriptRecord> {
  const { api } = link;
  const ahp = await link.ahp();
  const session = await readSession(ahp, sessionKey);
  yield { type: "session", version: TRANSCRIPT_VERSION, session };
  let turns = 0;
  const seen = new Set<string>();
  for (const chat of session.chats) {
    for await (const turn of readTurns(ahp, chat)) {
      turns += 1;
      yield { type: "turn", chat: chat.resource, turn };
      for (const content of terminalsOf(turn)) {
        if (seen.has(content.resource)) continue;
        seen.add(content.resource);
        yield* readTerminalOf(api, turn, content, output);
      }
    }
  }
  yield { type: "end", turns, terminals: seen.size };
}

/** The terminals that the tool calls of a turn show. */
function terminalsOf(turn: Turn | ActiveTurn): TerminalContent[] {
  return turnParts(turn).flatMap((part) =>
    part.kind === "toolCall" ? part.toolCall.content.filter((content) => content.type === "terminal") : [],
  );
}

/** A session may have a URI that a client chose; the list knows it. */
async function readSession(ahp: AhpClient, sessionKey: string): Promise<SessionState> {
  const { items } = await ahp.request("listSessions", { channel: ROOT_URI, includeClosed: true });
  const uri = items.find(({ key }) => key === sessionKey)?.resource ?? "";
  try {
    const session = await ahp.subscribe(uri, "session");
    const state = session.confirmed;
    session.close();
    return state;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const message = `The host keeps nothing of the session ${sessionKey}.`;
    throw new HoldfastError("ACP_SESSION_NOT_FOUND", message, { status: 404, cause });
  }
}

async function* readTerminalOf(
  api: Holdfast,
  { id: turnId }: Turn | ActiveTurn,
  content: TerminalContent,
  output: OutputForm,
): AsyncGenerator<TranscriptRecord> {
  const terminal = terminalIdOf(content.resource);
  const heading = { type: "terminal", terminal, turnId, title: content.title } as const;
  const records = output === "bytes" ? readTerminal(api, terminal) : readTerminalText(api, terminal);
  try {
    const first = await records.next();
    yield { ...heading, isKept: true };
    if (first.done !== true) yield first.value;
  } catch (error) {
    // Retention removed the output; the part that the tool call keeps is in the turn.
    if (!(error instanceof HoldfastError) || error.code !== "TERMINAL_NOT_FOUND") throw error;
    yield { ...heading, isKept: false };
    return;
  }
  yield* records;
}

/** Turns can be large: a page of them must fit into memory many times over. */
const pageTurns = 10;

/** The turns of a chat, oldest first. */
async function* readTurns(
  ahp: AhpClient,
  { resource, phase }: ChatSummary,
): AsyncGenerator<Turn | ActiveTurn, void> {
  if (phase.status === "idle") return yield* readPages(ahp, resource);
  // Pages have only turns that ended. The one that runs is in the chat's state, with the newest before it.
  const chat = await ahp.subscribe(resource, "chat");
  const { turns, turnsNextCursor, activeTurn } = chat.confirmed;
  chat.close();
  if (turnsNextCursor !== undefined) yield* readPages(ahp, resource, turnsNextCursor);
  yield* turns;
  if (activeTurn !== undefined) yield activeTurn;
}

/**
 * The host gives pages from the newest on. So the places where they begin are found first, and then the pages are
 * read again in the other order: twice the reading, but no more than two pages in memory.
 */
async function* readPages(ahp: AhpClient, channel: string, before?: string): AsyncGenerator<Turn, void> {
  const end = before === undefined ? {} : { cursor: before };
  const newest = await ahp.request("fetchTurns", { channel, limit: pageTurns, ...end });
  const cursors: string[] = [];
  let cursor = newest.nextCursor;
  while (cursor !== undefined) {
    cursors.push(cursor);
    const page = await ahp.request("fetchTurns", { channel, limit: pageTurns, cursor });
    cursor = page.nextCursor;
  }
  for (const place of cursors.toReversed()) {
    const { turns } = await ahp.request("fetchTurns", { channel, limit: pageTurns, cursor: place });
    yield* turns;
  }
  yield* newest.turns;
}
