// Ends what is open in the name of somebody whose right was taken back.

/** What is to be ended, by whose it is. */
export class Revocations {
  readonly #open = new Map<string, Set<() => void>>();

  /** How many things are watched over. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, ends) => sum + ends.size, 0);
  }

  /** Has `end` called when the client's right is taken back, unless the returned function is called before. */
  watch(clientId: string, end: () => void): () => void {
    const ends = this.#open.get(clientId) ?? new Set();
    this.#open.set(clientId, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#open.get(clientId) === ends) this.#open.delete(clientId);
    };
  }

  /** Ends everything that is open in a client's name. */
  revoke(clientId: string): void {
    const ends = this.#open.get(clientId) ?? [];
    this.#open.delete(clientId);
    for (const end of ends) end();
  }
}
