// A storage whose host can die: from then on nothing more is kept, as after a kill.
import type { Journal, Storage } from "../ports.ts";
import { MemoryStorage } from "./memory-storage.ts";

/** A storage for a host that is going to be killed, and the copy that the next one finds. */
export class MortalStorage {
  readonly kept = new MemoryStorage();
  #isDead = false;

  /** For the host that dies. */
  get forHost(): Storage {
    const { kept } = this;
    const journal: Journal = {
      commit: (records) => (this.#isDead ? undefined : kept.journal.commit(records)),
    };
    return new Proxy<Storage>(kept, {
      get: (target, name) => {
        if (name === "journal") return journal;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: readonly unknown[]): unknown => Reflect.apply(value, target, args);
      },
    });
  }

  /** Whatever the host still does is not kept. */
  die(): void {
    this.#isDead = true;
  }
}
