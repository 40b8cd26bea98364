// The changes in a session's folder: what they are, undoing them, and committing them.
import type { ChangeList, CommitRequest, FileDiff, RevertRequest } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { ChangedFile, ChangeHunk, ChangeList, FileDiff } from "@holdfast/protocol";

/** Which changes are meant. */
export interface ChangesOptions extends CallOptions {
  /** A turn by its number or its id; without it, everything since the session's first turn. */
  readonly turn?: string | number;
}

/** The operations on changes. */
export class Changes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The files that changed, whatever changed them. */
  list(sessionKey: string, { turn, signal }: ChangesOptions = {}): Promise<ChangeList> {
    const query = { turn: turn === undefined ? undefined : `${turn}` };
    return this.#connection.askFor("changes", { method: "GET", path: pathOf(sessionKey), query, signal });
  }

  /** The changes of one file, or of all, by hunks. */
  async diff(
    sessionKey: string,
    { turn, path, signal }: ChangesOptions & { readonly path?: string } = {},
  ): Promise<{ readonly diffs: readonly FileDiff[]; readonly isComplete: boolean }> {
    const query = { turn: turn === undefined ? undefined : `${turn}`, path };
    const request = { method: "GET", path: pathOf(sessionKey, "/diff"), query, signal } as const;
    const { diffs, isComplete } = await this.#connection.ask(request);
    return { diffs: diffs as FileDiff[], isComplete: isComplete === true };
  }

  /** Undoes the changes of files, or of some of their hunks; returns the counts of the remaining changes. */
  revert(
    sessionKey: string,
    files: RevertRequest["files"],
    { turn, signal }: ChangesOptions = {},
  ): Promise<ChangeList["summary"]> {
    const body = { ...(turn !== undefined && { turn: `${turn}` }), files };
    return this.#connection.askFor("summary", {
      method: "POST",
      path: pathOf(sessionKey, "/revert"),
      body,
      signal,
    });
  }

  /** Adds files to git's index. */
  async stage(sessionKey: string, paths: readonly string[], { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({
      method: "POST",
      path: pathOf(sessionKey, "/stage"),
      body: { paths },
      signal,
    });
  }

  /** Takes files out of git's index, as the newest commit has them. */
  async unstage(sessionKey: string, paths: readonly string[], { signal }: CallOptions = {}): Promise<void> {
    await this.#connection.ask({
      method: "POST",
      path: pathOf(sessionKey, "/unstage"),
      body: { paths },
      signal,
    });
  }

  /** Commits what is staged, or the files that are named, without hooks and unsigned; returns the commit's id. */
  commit(
    sessionKey: string,
    message: string,
    { paths, signal }: CallOptions & Pick<CommitRequest, "paths"> = {},
  ): Promise<string> {
    const body = { message, ...(paths !== undefined && { paths }) };
    return this.#connection.askFor("commit", {
      method: "POST",
      path: pathOf(sessionKey, "/commit"),
      body,
      signal,
    });
  }
}

function pathOf(sessionKey: string, more = ""): string {
  return `/sdk/acp/session/${encodeURIComponent(sessionKey)}/changes${more}`;
}
