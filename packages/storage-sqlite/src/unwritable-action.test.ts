// An action that cannot be written as JSON: it alone is left out, and the storage continues.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId, newChatState, type Action } from "@holdfast/ahp";
import { LogEntry } from "@holdfast/core/ports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSqliteStorage } from "./sqlite-storage.ts";

const at = "2026-01-01T00:00:00.000Z";
const chat = makeId("chat URI", "ahp-chat:/c1");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "holdfast-unwritable-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("[D452] an action that cannot be written as JSON is left out with a report, and the rest of the batch is kept", async () => {
  const faults: unknown[] = [];
  const file = path.join(folder, "holdfast.db");
  const storage = await openSqliteStorage({ file, onFault: (error) => void faults.push(error) });
  let update: Record<string, unknown> = {};
  for (let depth = 0; depth < 50_000; depth += 1) update = { update };
  const actions: Action[] = [
    { type: "chat/titleChanged", title: "before" },
    { type: "chat/agentUpdateReceived", updateKind: "deep", update: update as never },
    { type: "chat/titleChanged", title: "after" },
  ];
  const state = newChatState({ resource: chat, title: "Chat", at });
  await storage.journal.commit([
    { type: "opened", channel: chat, opened: { kind: "chat", state } },
    ...actions.map((action, index) => ({
      type: "applied" as const,
      entry: new LogEntry({
        channel: chat,
        serverSeq: index + 1,
        action,
        origin: undefined,
        sizeBytes: 100,
        atMs: 1,
      }),
    })),
  ]);
  expect(faults).toEqual([new Error("Action 2 (chat/agentUpdateReceived) cannot be written as JSON")]);
  expect(storage.loadChannel(chat)).toMatchObject({ state: { title: "after" } });
  storage.close();
});
