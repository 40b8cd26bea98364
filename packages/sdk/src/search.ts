// Search over the text of sessions.
import type { SearchResult, SearchSessionsQuery } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { SearchResult } from "@holdfast/protocol";

/** Filters of a search. */
export interface SearchOptions extends CallOptions, Omit<SearchSessionsQuery, "q"> {}

/** The caller's sessions, open or closed, by what was written in them. */
export class Search {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Turns and titles that have all the words, the best matches first. */
  sessions(words: string, { signal, ...filter }: SearchOptions = {}): Promise<SearchResult[]> {
    return this.#connection.askFor("results", {
      method: "GET",
      path: "/sdk/acp/search",
      query: { q: words, ...filter },
      signal,
    });
  }
}
