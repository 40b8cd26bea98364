// Full-text search over all sessions, asked of the host.
import { makeId, type SessionUri, type TurnId } from "@holdfast/ahp";
import { hostFetch } from "../host/host-fetch.ts";

/** A turn or a title that has the words. */
export interface SearchResult {
  readonly session: SessionUri;
  readonly agent: string;
  readonly title: string;
  readonly folder: string;
  readonly isClosed: boolean;
  /** Absent where the title has the words. */
  readonly turnId: TurnId | undefined;
  readonly at: string;
  readonly pieces: readonly SnippetPiece[];
}

export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface SearchFilters {
  readonly agent?: string | undefined;
  readonly folder?: string | undefined;
}

/** A result, as the app API lists it; only the fields that the page shows. */
interface ListedResult {
  readonly uri: string;
  readonly agent_id: string;
  readonly title: string;
  readonly folder?: string;
  readonly isClosed?: true;
  readonly turnId?: string;
  readonly at: string;
  readonly snippet: string;
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

const maxResults = 50;

/** Searches; rejects with a sentence for people. */
export async function searchSessions(
  words: string,
  { agent, folder }: SearchFilters,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const query = new URLSearchParams({ q: words, limit: String(maxResults) });
  if (agent !== undefined) query.set("agent", agent);
  if (folder !== undefined) query.set("folder", folder);
  const answer = await hostFetch(`/sdk/acp/search?${query}`, signal);
  const { results } = (await answer.json()) as { readonly results: readonly ListedResult[] };
  return results.map((result) => ({
    session: makeId("session URI", result.uri),
    agent: result.agent_id,
    title: result.title,
    folder: result.folder ?? "",
    isClosed: result.isClosed === true,
    turnId: result.turnId === undefined ? undefined : makeId("turn", result.turnId),
    at: result.at,
    pieces: cutSnippet(result.snippet, result.matches),
  }));
}

/** Without the marks around blocks of code, which say nothing in an excerpt. */
function withoutFences(piece: SnippetPiece): SnippetPiece {
  return { ...piece, text: piece.text.replaceAll(/(?:`{3,}|~{3,})[ \t]*(?:[\w+#-]*\r?\n)?/g, "") };
}

/** Cuts a snippet at its matches. */
export function cutSnippet(
  snippet: string,
  matches: readonly { readonly start: number; readonly end: number }[],
): SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  let at = 0;
  for (const { start, end } of matches) {
    if (start < at || end <= start) continue;
    if (start > at) pieces.push({ text: snippet.slice(at, start), isMatch: false });
    pieces.push({ text: snippet.slice(start, end), isMatch: true });
    at = end;
  }
  if (at < snippet.length) pieces.push({ text: snippet.slice(at), isMatch: false });
  return pieces.map(withoutFences).filter(({ text }) => text !== "");
}
