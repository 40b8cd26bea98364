// Searches over the sessions of a caller, and the index that is kept behind the turns.
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Turn } from "@holdfast/ahp";
import type { SearchResult, SearchSessionsQuery } from "@holdfast/protocol";
import type { Caller } from "../caller.ts";
import type { SearchHit, SearchIndex } from "../ports.ts";

const defaultLimit = 20;
/** Words of a search; more narrow nothing down. */
const maxWords = 16;
/** Between two steps others get their turn. */
const pauseMs = 50;

/** The search of one host. `close` ends its work in the background. */
export class HostSearch {
  readonly #index: SearchIndex;
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(index: SearchIndex, onFault: (error: unknown) => void) {
    this.#index = index;
    this.#onFault = onFault;
    this.#later();
  }

  /** Adds a turn that has ended. */
  put(chat: string, turn: Turn): void {
    this.#index.put(chat, turn);
    this.#later();
  }

  /** Turns and titles that have all the words, the best matches first. An app finds its own sessions. */
  find(
    { q, agent, folder, since, until, limit = defaultLimit }: SearchSessionsQuery,
    caller: Caller,
  ): SearchResult[] {
    const words = q.split(/\s+/).filter((word) => word !== "");
    const hits = this.#index.find({
      words: words.slice(0, maxWords),
      appId: caller.kind === "app" ? caller.appId : undefined,
      agent,
      folder: folder === undefined ? undefined : pathToFileURL(folder.replace(/(?<=.)\/$/, "")).href,
      since: since === undefined ? undefined : new Date(since).toISOString(),
      until: until === undefined ? undefined : new Date(until).toISOString(),
      limit,
    });
    return hits.map(describeHit);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Goes through what is not yet indexed, a little at a time, until nothing is left. */
  #later(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        if (this.#index.step()) this.#later();
      } catch (error) {
        this.#onFault(error);
      }
    }, pauseMs).unref();
  }
}

function describeHit({ session, turnId, at, snippet }: SearchHit): SearchResult {
  const { key, resource, provider, title, label, workingDirectories, phase } = session;
  const [folder] = workingDirectories;
  const matches: SearchResult["matches"] = [];
  let text = "";
  for (const piece of snippet.split(/(\u0001[^\u0002]*\u0002)/)) {
    const isMatch = piece.startsWith("\u0001");
    const plain = piece.replaceAll(/[\u0001\u0002]/g, "");
    if (isMatch) matches.push({ start: text.length, end: text.length + plain.length });
    text += plain;
  }
  return {
    session_key: key,
    uri: resource,
    agent_id: provider,
    title: label ?? title,
    ...(folder?.startsWith("file:") === true && { folder: fileURLToPath(folder) }),
    ...(phase.status === "closed" && { isClosed: true }),
    ...(turnId !== undefined && { turnId }),
    at,
    snippet: text,
    matches,
  };
}
