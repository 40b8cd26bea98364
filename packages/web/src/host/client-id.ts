// Names this tab to the host: the same after a reload, so that what it holds stays its own, and never that of another tab.
import { makeId, type ClientId } from "@holdfast/ahp";
import { randomId } from "./random-id.ts";

const storageKey = "holdfast-client";

/** The tab's name. A tab that was duplicated finds the name of its original locked, and takes another. */
export async function takeClientId(): Promise<ClientId> {
  const kept = sessionStorage.getItem(storageKey);
  if (kept !== null && (await lockName(kept))) return makeId("client", kept);
  const fresh = `page-${randomId()}`;
  sessionStorage.setItem(storageKey, fresh);
  await lockName(fresh);
  return makeId("client", fresh);
}

/** Whether the name is this tab's from now until it closes; pages that came over plain HTTP have no locks to ask. */
function lockName(name: string): Promise<boolean> {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    void locks.request(`${storageKey}:${name}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock === null ? undefined : new Promise<never>(() => undefined);
    });
  });
}
