// Reads everything that a host keeps of a session, open or closed, as the lines of a transcript (C56).
import {
  parseChannelUri,
  parseSessionKey,
  ROOT_URI,
  sessionUri,
  turnParts,
  type ActiveTurn,
  type SessionState,
  type ToolContent,
  type Turn,
} from "@holdfast/ahp";
import type { AhpClient } from "@holdfast/ahp/client";
import { RpcError } from "@holdfast/jsonrpc";
import { HoldfastError, type Holdfast } from "@holdfast/sdk";
import type { HostLink } from "../../link/host-link.ts";
import { TRANSCRIPT_VERSION, type TranscriptRecord } from "./record.ts";
import { readTerminal, readTerminalText } from "./terminal-records.ts";
import { readTurns } from "./turn-pages.ts";

type TerminalContent = Extract<ToolContent, { type: "terminal" }>;

/** How the output of terminals is told: byte for byte, or as the text that it left. */
export type OutputForm = "bytes" | "text";

/** The lines of a session's transcript, read as they are asked for. */
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

/** The id by which the app API knows a terminal. */
function terminalIdOf({ resource }: TerminalContent): string {
  const address = parseChannelUri(resource);
  return address?.kind === "terminal" ? address.terminalId : resource;
}

/** The terminals that the tool calls of a turn show. */
function terminalsOf(turn: Turn | ActiveTurn): TerminalContent[] {
  return turnParts(turn).flatMap((part) =>
    part.kind === "toolCall" ? part.toolCall.content.filter((content) => content.type === "terminal") : [],
  );
}

/** Open sessions may have a URI that a client chose; the list knows it. Closed ones are looked up by their key. */
async function readSession(ahp: AhpClient, sessionKey: string): Promise<SessionState> {
  const { items } = await ahp.request("listSessions", { channel: ROOT_URI });
  const open = items.find(({ key }) => key === sessionKey)?.resource;
  const id = parseSessionKey(sessionKey)?.sessionId;
  const uri = open ?? (id === undefined ? "" : sessionUri(id));
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
  const terminal = terminalIdOf(content);
  const heading = { type: "terminal", terminal, turnId, title: content.title } as const;
  const records = output === "bytes" ? readTerminal(api, terminal) : readTerminalText(api, terminal);
  try {
    const first = await records.next();
    yield { ...heading, isKept: true };
    if (first.done !== true) yield first.value;
  } catch (error) {
    // Retention lets go of what terminals wrote; what the tool call keeps of it is in the turn.
    if (!(error instanceof HoldfastError) || error.code !== "TERMINAL_NOT_FOUND") throw error;
    yield { ...heading, isKept: false };
    return;
  }
  yield* records;
}
