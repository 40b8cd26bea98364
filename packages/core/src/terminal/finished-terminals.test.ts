// Terminals that have ended and left the host, as clients come back to them.
import { type TerminalState, type TerminalUri, makeId, newTerminalState } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { Hub } from "../channel/hub.ts";
import type { Journal } from "../channel/journal.ts";
import { StorageError } from "../storage/storage-error.ts";
import { guardLeaks } from "../testing/detector.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { FinishedTerminals } from "./finished-terminals.ts";

guardLeaks();

function newTerminal(resource: TerminalUri): TerminalState {
  const claim = { kind: "client", clientId: makeId("client", "me") } as const;
  return newTerminalState({ resource, title: "t", run: "tty", startedAt: "2026-01-01T00:00:00.000Z", claim });
}

test("[D260] are read while the storage cannot be written", async () => {
  const storage = new MemoryStorage();
  const earlier = new Hub({ journal: storage.journal });
  const uri = makeId("terminal URI", "ahp-terminal:/ended");
  earlier.open(uri, "terminal", newTerminal(uri));
  await earlier.settled();

  let isFull = false;
  const commit: Journal["commit"] = (records) => {
    if (isFull) throw new StorageError("unavailable", "There is no space to write here.db.");
    return storage.journal.commit(records);
  };
  const hub = new Hub({ journal: { commit }, onOutage: () => {} });
  const finished = new FinishedTerminals({ hub, storage, spool: undefined, now: () => new Date() });
  isFull = true;
  const running = makeId("terminal URI", "ahp-terminal:/running");
  hub.open(running, "terminal", newTerminal(running));
  await expect(hub.settled()).rejects.toThrow("no space");
  expect(await finished.load(uri)).toBe(true);
  // A client that comes back names its changesets, too, and a terminal may have any URI.
  expect(await finished.load("mine:/one/changeset/session")).toBe(false);
  isFull = false;
  await hub.recording.requireNow();
  finished.close();
});
