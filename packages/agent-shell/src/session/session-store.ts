// Stores of sessions that are not open: a folder, or the memory of this process.
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KeptSession, parseHistory, parseRecord, type SessionRecord } from "./session.ts";

export interface SessionStore {
  /** Whether what it keeps is there for the next process. */
  readonly outlivesProcess: boolean;
  /** Keeps a session as it is at this moment. Returns at once; of several in a row the last one counts. */
  save(session: KeptSession): void;
  /** Finds a session; `undefined` if it is not known. */
  load(sessionId: string): Promise<KeptSession | undefined>;
  /** All sessions, in no order. */
  list(): Promise<SessionRecord[]>;
  /** Resolves when all that was saved is kept. */
  flush(): Promise<void>;
}

const HISTORY_SUFFIX = ".history.json";
const RECORD_SUFFIX = ".json";
/** Ids come from clients and become file names: only what this agent makes itself is looked for. */
const ID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The two files of a session, ready to be written. */
interface Writing {
  readonly record: string;
  readonly history: string;
}

/**
 * Keeps sessions in a folder that may be shared by several processes, each with separate sessions (S18). Each has two
 * files: one with what a list needs, one with the history.
 */
export class FolderStore implements SessionStore {
  readonly outlivesProcess = true;
  readonly #folder: string;
  readonly #onFault: (error: unknown) => void;
  /** Next write of each session; while one is being written only the latest waits. */
  readonly #waiting = new Map<string, Writing>();
  readonly #writing = new Map<string, Promise<void>>();

  /** `onFault` is called for a session that could not be written; the session continues. */
  constructor(folder: string, onFault: (error: unknown) => void) {
    this.#folder = folder;
    this.#onFault = onFault;
  }

  save({ record, history }: KeptSession): void {
    const { sessionId } = record;
    this.#waiting.set(sessionId, { record: JSON.stringify(record), history: JSON.stringify(history) });
    if (!this.#writing.has(sessionId)) this.#writing.set(sessionId, this.#writeAll(sessionId));
  }

  async load(sessionId: string): Promise<KeptSession | undefined> {
    if (!ID_PATTERN.test(sessionId)) return undefined;
    await this.#writing.get(sessionId);
    const record = await this.#read(`${sessionId}${RECORD_SUFFIX}`);
    const history = await this.#read(`${sessionId}${HISTORY_SUFFIX}`);
    const parsed = record === undefined ? undefined : parseRecord(record);
    if (parsed === undefined) return undefined;
    const empty = { dropped: 0, updates: [] };
    return { record: parsed, history: (history === undefined ? undefined : parseHistory(history)) ?? empty };
  }

  async list(): Promise<SessionRecord[]> {
    await this.flush();
    const records: SessionRecord[] = [];
    for (const name of await this.#listNames()) {
      const json = await this.#read(name);
      const record = json === undefined ? undefined : parseRecord(json);
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async flush(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  async #listNames(): Promise<string[]> {
    try {
      const names = await readdir(this.#folder);
      return names.filter(
        (name) => name.endsWith(RECORD_SUFFIX) && ID_PATTERN.test(name.slice(0, -RECORD_SUFFIX.length)),
      );
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async #read(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, name), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #writeAll(sessionId: string): Promise<void> {
    try {
      for (let next = this.#take(sessionId); next !== undefined; next = this.#take(sessionId)) {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        // The record last: a session that is listed has a history.
        await this.#write(`${sessionId}${HISTORY_SUFFIX}`, next.history);
        await this.#write(`${sessionId}${RECORD_SUFFIX}`, next.record);
      }
    } catch (error) {
      this.#onFault(error);
    } finally {
      this.#writing.delete(sessionId);
    }
  }

  #take(sessionId: string): Writing | undefined {
    const next = this.#waiting.get(sessionId);
    this.#waiting.delete(sessionId);
    return next;
  }

  /** Written beside and renamed, so that a reader never sees half a file. */
  async #write(name: string, json: string): Promise<void> {
    const path = join(this.#folder, name);
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, json, { mode: 0o600 });
    await rename(draft, path);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

const MAX_SESSIONS = 256;

/** Keeps the sessions that were saved last, until the process ends. */
export class MemoryStore implements SessionStore {
  readonly outlivesProcess = false;
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, KeptSession>();

  constructor(maxSessions: number = MAX_SESSIONS) {
    this.#maxSessions = maxSessions;
  }

  save(session: KeptSession): void {
    const { sessionId } = session.record;
    // Deleted first, so that the order of the map is the order of saving.
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > this.#maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
  }

  async load(sessionId: string): Promise<KeptSession | undefined> {
    return this.#sessions.get(sessionId);
  }

  async list(): Promise<SessionRecord[]> {
    return [...this.#sessions.values()].map((session) => session.record);
  }

  async flush(): Promise<void> {
    // Saving is all there is to do.
  }
}
