// A program that commits ticks as fast as it can and prints the numbers it has published, until it is killed.
import { writeSync } from "node:fs";
import process from "node:process";
import { makeId, newChatState, newSessionState, sessionUri, type Action, type TurnId } from "@holdfast/ahp";
import { LogEntry, type JournalRecord, type Storage } from "@holdfast/core/ports";
import { openSqliteStorage } from "../sqlite-storage.ts";

const at = "2026-01-01T00:00:00.000Z";
const chats = ["ahp-chat:/a", "ahp-chat:/b"].map((uri) => makeId("chat URI", uri));
const session = sessionUri(makeId("session", "s"));

function openChannels(storage: Storage): void {
  const opened: JournalRecord[] = [];
  if (storage.loadChannel(session) === undefined) {
    const state = newSessionState({
      resource: session,
      key: makeId("session key", "agent:shell:acp:s"),
      provider: makeId("agent", "shell"),
      owner: { kind: "person" },
      title: "",
      at,
      workingDirectories: [],
    });
    opened.push({ type: "opened", channel: session, opened: { kind: "session", state } });
  }
  for (const uri of chats) {
    if (storage.loadChannel(uri) !== undefined) continue;
    const state = newChatState({ resource: uri, title: "", at });
    opened.push({ type: "opened", channel: uri, opened: { kind: "chat", state } });
  }
  void storage.journal.commit(opened);
}

function turnBefore(tick: number): TurnId {
  return makeId("turn", `${process.pid} ${Math.floor(tick / 20) - 1}`);
}

/** The actions of one tick: a turn begins, continues in pieces of text, or ends; now and then something transient. */
function tickActions(tick: number): Action[] {
  const turnId = makeId("turn", `${process.pid} ${Math.floor(tick / 20)}`);
  const partId = makeId("part", "p");
  if (tick % 20 === 0) {
    const message = { text: "Go", origin: { kind: "user" } } as const;
    return [
      { type: "chat/turnStarted", turnId, startedAt: at, message },
      { type: "chat/responsePart", turnId, part: { kind: "markdown", id: partId, content: "" } },
    ];
  }
  if (tick % 20 === 19) {
    return [
      {
        type: "chat/turnInterrupted",
        turnId,
        endedAt: at,
        durationMs: 1,
        error: { code: "x", message: "x" },
        resumable: true,
      },
      // Now and then all turns but the two newest leave the state.
      ...(tick % 60 === 59 ? [{ type: "chat/turnsOmitted", firstTurnId: turnBefore(tick) } as const] : []),
    ];
  }
  const pieces = Array.from({ length: tick % 7 }, (_, index): Action => {
    return { type: "chat/delta", turnId, partId, content: `tick ${tick} piece ${index} ` };
  });
  return [...pieces, { type: "chat/activityChanged", activity: `tick ${tick}` }];
}

async function run(storage: Storage): Promise<void> {
  openChannels(storage);
  for (let tick = 0; ; tick += 1) {
    const records: JournalRecord[] = [];
    const published: string[] = [];
    for (const channel of chats) {
      for (const action of tickActions(tick)) {
        const serverSeq = storage.sequence.next();
        const entry = { channel, serverSeq, action, origin: undefined, sizeBytes: 1, atMs: 0 };
        records.push({ type: "applied", entry: new LogEntry(entry) });
        published.push(action.type === "chat/activityChanged" ? `(${serverSeq})` : String(serverSeq));
      }
    }
    const serverSeq = storage.sequence.next();
    const action: Action = { type: "session/titleChanged", title: `tick ${tick}` };
    const entry = { channel: session, serverSeq, action, origin: undefined, sizeBytes: 1, atMs: 0 };
    records.push({ type: "applied", entry: new LogEntry(entry) });
    void storage.journal.commit(records);
    // The pipe is the operating system's, so what is written here is heard even when the next instruction is the last.
    writeSync(1, `${[...published, serverSeq].join(" ")}\n`);
    // Snapshots are written between ticks.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

const [, , file = ""] = process.argv;
await run(await openSqliteStorage({ file, snapshotAfterBytes: 4000, keepLogBytes: 1e9 }));
