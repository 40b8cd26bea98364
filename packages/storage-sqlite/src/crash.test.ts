// A program that is killed with -9 at any moment: what it published is kept, and it uses no number twice.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { reduceByKind, type StateByKind, type Storage } from "@holdfast/core/ports";
import { makeId, newChatState, type ChatState, type Turn } from "@holdfast/ahp";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "./sqlite-storage.ts";

/** Bundled by the tests' set-up: from source, its start would cost more than all that it does. */
const writer = fileURLToPath(
  new URL("../../../dist/test-programs/storage-sqlite/dist/testing/crash-writer.js", import.meta.url),
);
const crashes = process.env["HOLDFAST_LONG"] === undefined ? 4 : 50;

/** Runs the program until it has published so many ticks, kills it, and returns everything it managed to publish. */
async function runAndKill(file: string, ticks: number): Promise<string[]> {
  const child = spawn(process.execPath, [writer, file], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === ticks) child.kill("SIGKILL");
  }
  return lines.join(" ").split(" ");
}

function seqsIn(storage: Storage): Set<number> {
  const seqs = new Set<number>();
  for (const uri of ["ahp-chat:/a", "ahp-chat:/b", "ahp-session:/s"]) {
    for (const { serverSeq } of storage.readLog(uri, 0, 1_000_000).entries) seqs.add(serverSeq);
  }
  return seqs;
}

/** The state of a chat as its whole log gives it, without snapshots; where wanted, with the turns that left it. */
function replay(storage: Storage, uri: string, hasOmitted = false): ChatState {
  const at = "2026-01-01T00:00:00.000Z";
  let channel: StateByKind = {
    kind: "chat",
    state: newChatState({ resource: makeId("chat URI", uri), title: "", at }),
  };
  for (const { action } of storage.readLog(uri, 0, 1_000_000).entries) {
    if (!hasOmitted || action.type !== "chat/turnsOmitted") channel = reduceByKind(channel, action);
  }
  return channel.state as ChatState;
}

/** All turns that ended, read back. */
function readTurns(storage: Storage, uri: string): readonly Turn[] {
  const stored = storage.loadChannel(uri);
  const turns = stored?.kind === "chat" ? stored.state.turns : [];
  const [first] = turns;
  return first === undefined ? [] : [...(storage.readTurns(uri, first.id, 1_000_000)?.turns ?? []), ...turns];
}

/** As JSON, which is what a state is to everybody else. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

it(
  `[D1][D3][D420] loses nothing it published and reuses no number, killed ${crashes} times`,
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-crash-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = path.join(folder, "holdfast.db");
    const durable: number[] = [];
    let highest = 0;
    for (let crash = 0; crash < crashes; crash += 1) {
      const ticks = 1 + Math.floor(Math.random() * 300);
      const published = await runAndKill(file, ticks);
      expect(published.length).toBeGreaterThanOrEqual(ticks);
      for (const word of published) {
        const seq = Number(word.replaceAll(/[()]/g, ""));
        expect(seq).toBeGreaterThan(highest);
        highest = seq;
        if (!word.startsWith("(")) durable.push(seq);
      }
      const storage = await openSqliteStorage({ file, keepLogBytes: 1e9 });
      const kept = seqsIn(storage);
      expect(durable.filter((seq) => !kept.has(seq))).toEqual([]);
      expect(storage.sequence.last).toBeGreaterThanOrEqual(highest);
      for (const uri of ["ahp-chat:/a", "ahp-chat:/b"]) {
        expect(asJson(storage.loadChannel(uri)?.state)).toEqual(asJson(replay(storage, uri)));
        expect(asJson(readTurns(storage, uri))).toEqual(asJson(replay(storage, uri, true).turns));
      }
      expect(storage.listSessions().sessions[0]?.summary.title).toMatch(/^tick /);
      if (crash % 2 === 0) storage.close();
    }
  },
);
