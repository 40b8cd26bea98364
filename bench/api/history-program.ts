// Fills a database as hosts fill it: what one session leaves there is recorded, and kept again for as many as are wanted.
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from "node:timers/promises";
import { defaultChatUri, makeId, sessionUri } from "@holdfast/ahp";
import { LogEntry, type JournalRecord, type Storage } from "@holdfast/core/ports";
import { serve } from "../terminal/isolated.ts";
import { openServedHost, type ServedHost, type ServedHostOptions } from "./served-host.ts";

/** What to fill it with. */
export interface HistoryRequest extends ServedHostOptions {
  readonly sessions: number;
  readonly turns: number;
  /** How many of the sessions are in mid-turn when the host is killed. */
  readonly busy: number;
}

type Applied = Extract<JournalRecord, { readonly type: "applied" }>;

/** A record as JSON carries it: its entry is data alone. */
type PlainRecord =
  | Exclude<JournalRecord, Applied>
  | { readonly type: "applied"; readonly entry: ConstructorParameters<typeof LogEntry>[0] };

/** What one commit kept of the recorded session. */
type Tick = readonly PlainRecord[];

const me = { kind: "owner" } as const;
const lookEveryMs = 20;

/** A session that has been through its turns, and what was kept of it, commit by commit. */
interface Recording {
  readonly key: string;
  readonly ticks: readonly Tick[];
}

async function record({ host, storage }: ServedHost, cwd: string, turns: number): Promise<Recording> {
  const { journal } = storage;
  const commit = journal.commit.bind(journal);
  const ticks: Tick[] = [];
  // The journal is the one door to what is kept.
  journal.commit = (records) => {
    ticks.push([...records]);
    return commit(records);
  };
  const options = { agent_id: "shell", cwd, approvalPolicy: "approve-all" } as const;
  const { session_key: key } = await host.createSession(options, me);
  for (let turn = 0; turn < turns; turn += 1) await host.chat(key, { message: "Please continue." }, me);
  // It rests in the end, as most sessions of a host with a thousand of them do.
  while (host.hub.list("chat").length > 0) await sleep(lookEveryMs);
  journal.commit = commit;
  return { key, ticks };
}

/** The names by which a session and its chat are known in what is kept. */
function namesOf(id: string): readonly [id: string, chat: string] {
  return [id, defaultChatUri(sessionUri(makeId("session", id)))];
}

/** The recording with other names, as text first: the names are in many places. */
function renamed({ key, ticks }: Recording): Tick[] {
  const [id, chat] = namesOf(key.slice(key.lastIndexOf(":") + 1));
  const [newId, newChat] = namesOf(randomUUID());
  const text = JSON.stringify(ticks).replaceAll(chat, newChat).replaceAll(id, newId);
  return JSON.parse(text) as Tick[];
}

/** Without the end of the last turn, and what came after it. */
function cutInMidTurn(ticks: readonly Tick[]): readonly Tick[] {
  const end = ticks.findLastIndex((tick) =>
    tick.some((each) => each.type === "applied" && each.entry.action.type === "chat/turnComplete"),
  );
  return ticks.slice(0, end);
}

async function keep({ journal, sequence }: Storage, ticks: readonly Tick[]): Promise<void> {
  for (const tick of ticks) {
    await journal.commit(
      tick.map((each) =>
        each.type === "applied"
          ? { type: "applied", entry: new LogEntry({ ...each.entry, serverSeq: sequence.next() }) }
          : each,
      ),
    );
    // Snapshots are written between ticks.
    await nextTurnOfLoop();
  }
}

/** The questions that the benchmark asks. */
const program = serve({
  /** Fills it; who asked kills the program then, so that nothing is closed in an orderly way. */
  fill: async ({ sessions, turns, busy, ...options }: HistoryRequest): Promise<void> => {
    const served = await openServedHost(options);
    const recording = await record(served, options.folder, turns);
    // The recorded one is a separate session.
    for (let index = 1; index < sessions; index += 1) {
      const ticks = renamed(recording);
      await keep(served.storage, index <= busy ? cutInMidTurn(ticks) : ticks);
    }
  },
});

/** Requests that the program handles. */
export type HistoryProgram = typeof program;
