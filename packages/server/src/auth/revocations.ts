// Ends what is open under a client's credential when its rights are revoked.

export class Revocations {
  readonly #open = new Map<string, Set<() => void>>();

  get size(): number {
    return [...this.#open.values()].reduce((sum, ends) => sum + ends.size, 0);
  }

  /** Calls `end` when the client's right is revoked, unless the returned function is called before. */
  watch(clientId: string, end: () => void): () => void {
    const ends = this.#open.get(clientId) ?? new Set();
    this.#open.set(clientId, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#open.get(clientId) === ends) this.#open.delete(clientId);
    };
  }

  /** Ends everything that is open in a client's name, also when some of it cannot be ended, which is thrown then. */
  revoke(clientId: string): void {
    const ends = this.#open.get(clientId) ?? [];
    this.#open.delete(clientId);
    const failures: unknown[] = [];
    for (const end of ends) {
      try {
        end();
      } catch (error) {
        failures.push(error);
      }
    }
    const [cause] = failures;
    if (failures.length > 0) {
      throw new AggregateError(failures, "Something that is open could not be ended in order", { cause });
    }
  }
}
