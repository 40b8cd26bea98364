// Names that this page makes: of its tab, which stay the same after a reload, of its browser, and of new things.
import { type ClientId, makeId } from "@holdfast/ahp";

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

/** A name of 22 characters that can stand in a URI; pages that came over plain HTTP have no `randomUUID`. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The browser, and the device where it is a small one. */
export function browserName(): string {
  const { userAgent } = navigator;
  const known = ["Firefox", "Edg", "Chrome", "Safari"].find((name) => userAgent.includes(name)) ?? "Browser";
  const device = /Android|iPhone|iPad/.exec(userAgent)?.[0];
  const name = known === "Edg" ? "Edge" : known;
  return device === undefined ? name : `${name} on ${device}`;
}
