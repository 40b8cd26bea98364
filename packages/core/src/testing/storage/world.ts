// The setting of a storage test: a home that can be opened again, a storage, and the hub on it.
import type { Hub } from "../../channel/hub.ts";
import type { Storage } from "../../ports.ts";

/** Options of a test's storage. */
export interface WantedStorage {
  readonly keepLogBytes?: number;
  readonly snapshotAfterBytes?: number;
}

/** A place in which a storage keeps things. */
export interface StorageHome {
  /** Opens the storage: also a second time, after `close` or, as after a crash, without it. */
  open(wanted?: WantedStorage): Promise<Storage>;
  remove(): Promise<void>;
}

/** A storage and a hub that a test starts and restarts. */
export interface World {
  start(wanted?: WantedStorage): Promise<void>;
  restart(isClean: boolean): Promise<void>;
  storage(): Storage;
  hub(): Hub;
}

/** Lets a snapshot that is due be written. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
