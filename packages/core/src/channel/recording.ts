// Check whether changes can be recorded: before work begins, and before it is acknowledged (D260).
import { HostError } from "@holdfast/protocol";
import { StorageError } from "../storage/storage-error.ts";
import type { Journal } from "./journal.ts";
import type { Publisher } from "./publisher.ts";

/** The recording of one hub's changes. */
export class Recording {
  readonly #publisher: Publisher;
  readonly #journal: Journal | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #onRoom: (problem: string | undefined) => void;
  #isShort = false;

  /** `onRoom` is called once when there is too little space, and once when there is enough again. */
  constructor(
    publisher: Publisher,
    journal: Journal | undefined,
    onRoom: (problem: string | undefined) => void,
  ) {
    this.#publisher = publisher;
    this.#journal = journal;
    this.#onRoom = onRoom;
  }

  /** Calls a listener once when the next outage begins, unless the returned function is called before. */
  onOutage(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** For the hub: an outage has begun. */
  noteOutage(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  /** Whether the last commit was kept. There may still be too little space for the next one. */
  get isStoring(): boolean {
    return this.#publisher.isStoring;
  }

  /** Size of the changes in memory that wait to be recorded. */
  get pendingBytes(): number {
    return this.#publisher.pendingBytes;
  }

  /** Why changes cannot be recorded, in a sentence; undefined when they can. */
  get problem(): string | undefined {
    return this.#find()?.message;
  }

  /** Throws `STORAGE_UNAVAILABLE` when changes cannot be recorded. */
  require(): void {
    const problem = this.#find();
    if (problem !== undefined) throw problem;
  }

  /** The same; after a failure it first tries again, so that the first request that finds space succeeds. */
  async requireNow(): Promise<void> {
    if (!this.isStoring) await this.settled();
    this.require();
  }

  /** Resolves when everything so far is recorded; throws `STORAGE_UNAVAILABLE` when it cannot be. */
  async settled(): Promise<void> {
    try {
      await this.#publisher.settled();
    } catch (error) {
      throw storageUnavailable(error);
    }
  }

  #find(): HostError | undefined {
    if (!this.isStoring) return storageUnavailable(this.#publisher.failure);
    const problem = this.#findRoomProblem();
    const isShort = problem !== undefined;
    if (isShort !== this.#isShort) {
      this.#isShort = isShort;
      this.#onRoom(problem?.message);
    }
    return problem;
  }

  #findRoomProblem(): HostError | undefined {
    try {
      this.#journal?.checkRoom?.();
      return undefined;
    } catch (error) {
      return storageUnavailable(error);
    }
  }
}

/** The error for callers, whatever kept the storage from its work; a storage's own sentence names the file. */
export function storageUnavailable(cause: unknown): HostError {
  const message = cause instanceof StorageError ? cause.message : undefined;
  return new HostError("STORAGE_UNAVAILABLE", message, { cause, details: { retryable: true } });
}

/** Makes a storage's failure fit for callers; any other error stays as it is. */
export function explainStorageError(error: unknown): unknown {
  const isOurs = error instanceof StorageError && (error.code === "unavailable" || error.code === "corrupt");
  return isOurs ? storageUnavailable(error) : error;
}
