// Whatever happens in whatever order, every reader ends with the state of its channel, or learns that it fell off.
import {
  channelModels,
  makeId,
  newChatState,
  newTerminalState,
  type Action,
  type ChatAction,
  type TerminalAction,
} from "@holdfast/ahp";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Hub, type Subscription } from "./hub.ts";
import type { LogEntry } from "./log-entry.ts";

const at = "2026-01-01T00:00:00.000Z";
const chat = makeId("chat URI", "ahp-chat:/c1");
const terminal = makeId("terminal URI", "ahp-terminal:/t1");
const turnIds = fc.constantFrom("1", "2").map((id) => makeId("turn", id));
const partIds = fc.constantFrom("1", "2").map((id) => makeId("part", id));
const texts = fc.string({ maxLength: 300 });

const chatActions: fc.Arbitrary<ChatAction> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("chat/turnStarted"),
      turnId: turnIds,
      startedAt: fc.constant(at),
      message: fc.constant({ text: "hi", origin: { kind: "user" } }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("chat/responsePart"),
      turnId: turnIds,
      part: fc.record({ kind: fc.constant("markdown"), id: partIds, content: texts }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("chat/delta"),
      turnId: turnIds,
      partId: partIds,
      content: texts,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("chat/turnComplete"),
      turnId: turnIds,
      endedAt: fc.constant(at),
      durationMs: fc.nat(),
      stopReason: fc.constant("end_turn"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("chat/titleChanged"), title: texts }) },
);
const terminalActions: fc.Arbitrary<TerminalAction> = fc.oneof(
  fc.record({
    type: fc.constant("terminal/data"),
    data: texts,
    offset: fc.constant(0),
    endOffset: fc.nat(50),
  }),
  fc.record({ type: fc.constant("terminal/input"), data: texts }),
);

type Step =
  | { readonly do: "dispatch"; readonly uri: string; readonly action: Action }
  | { readonly do: "subscribe"; readonly uri: string }
  | { readonly do: "read"; readonly reader: number; readonly maxEntries: number }
  | { readonly do: "close"; readonly reader: number }
  | { readonly do: "tick" };

const uris = fc.constantFrom<string>(chat, terminal);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: chatActions.map((action): Step => ({ do: "dispatch", uri: chat, action })) },
    {
      weight: 4,
      arbitrary: terminalActions.map((action): Step => ({ do: "dispatch", uri: terminal, action })),
    },
    { weight: 3, arbitrary: uris.map((uri): Step => ({ do: "subscribe", uri })) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("read"),
        reader: fc.nat(5),
        maxEntries: fc.integer({ min: 1, max: 8 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("close"), reader: fc.nat(5) }) },
    { weight: 2, arbitrary: fc.constant<Step>({ do: "tick" }) },
  ),
  { maxLength: 120, size: "max" },
);

/** A reader as a client is: it keeps the state it was given and applies what it reads. */
class Reader {
  readonly #subscription: Subscription;
  readonly read: LogEntry[] = [];
  hasGap = false;
  isClosed = false;
  /** Whether it knows of something to read: it was woken, or its last read left something. */
  #knowsOfMore = false;

  constructor(hub: Hub, uri: string) {
    this.#subscription = hub.subscribe(uri, () => {
      // No reader gets the notice twice.
      expect(this.#knowsOfMore).toBe(false);
      this.#knowsOfMore = true;
    });
  }

  get uri(): string {
    return this.#subscription.snapshot.uri;
  }

  get seq(): number {
    return this.#subscription.snapshot.seq;
  }

  /** Whether the hub owes it nothing: it knows of everything that it has not read. */
  get knowsOfRest(): boolean {
    return this.isClosed || this.hasGap || this.#knowsOfMore || !this.#subscription.cursor.hasMore;
  }

  readSome(maxEntries: number): number {
    const reading = this.#subscription.cursor.read(maxEntries);
    this.#knowsOfMore = this.#subscription.cursor.hasMore;
    if (reading.kind === "gap") this.hasGap = true;
    if (reading.kind !== "entries") return 0;
    expect(this.hasGap).toBe(false);
    this.read.push(...reading.entries);
    return reading.entries.length;
  }

  readAll(): void {
    while (!this.isClosed && this.readSome(3) > 0);
  }

  close(): void {
    this.isClosed = true;
    this.#subscription.cursor.close();
  }

  /** A client's view: the snapshot with all that was read applied. */
  state(): unknown {
    const { snapshot } = this.#subscription;
    let state: unknown = snapshot.state;
    for (const { action } of this.read) {
      const model = channelModels[snapshot.kind] as { reduce: (state: unknown, action: Action) => unknown };
      state = model.reduce(state, action);
    }
    return state;
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

function openHub(logLimitBytes: number): Hub {
  const hub = new Hub({ logLimitBytes });
  const claim = { kind: "client", clientId: makeId("client", "ada") } as const;
  hub.open(chat, "chat", deepFreeze(newChatState({ resource: chat, title: "", at })));
  hub.open(
    terminal,
    "terminal",
    deepFreeze(newTerminalState({ resource: terminal, run: "tty", title: "", claim })),
  );
  return hub;
}

/** Plays the steps; gives the readers and everything that was logged. */
async function play(hub: Hub, script: readonly Step[]): Promise<{ readers: Reader[]; logged: LogEntry[] }> {
  const readers: Reader[] = [];
  const logged: LogEntry[] = [];
  for (const step of script) {
    switch (step.do) {
      case "dispatch": {
        const entry = hub.dispatch(step.uri, deepFreeze(step.action));
        deepFreeze([hub.state(chat, "chat"), hub.state(terminal, "terminal")]);
        if (entry) logged.push(entry);
        break;
      }
      case "subscribe":
        if (readers.length < 6) readers.push(new Reader(hub, step.uri));
        break;
      case "read":
        readers[step.reader]?.readSome(step.maxEntries);
        break;
      case "close":
        readers[step.reader]?.close();
        break;
      case "tick":
        await hub.settled();
        break;
    }
  }
  await hub.settled();
  return { readers, logged };
}

describe("any run of dispatching, subscribing and reading", () => {
  it.each([
    ["a log that holds all", 1_000_000],
    ["a log that evicts", 3000],
    ["a log that holds one entry", 1],
  ])(
    "[H1][H2][H7][H9] with %s gives each reader its channel's state, or a gap",
    async (_name, logLimitBytes) => {
      await fc.assert(
        fc.asyncProperty(steps, async (script) => {
          const hub = openHub(logLimitBytes);
          const { readers, logged } = await play(hub, script);
          expect(logged.map(({ serverSeq }) => serverSeq)).toEqual(logged.map((_, index) => index + 1));
          for (const reader of readers) {
            expect(reader.knowsOfRest).toBe(true);
            reader.readAll();
            const meant = logged.filter(
              ({ channel, serverSeq }) => channel === reader.uri && serverSeq > reader.seq,
            );
            // What was read is the beginning of what was meant for it, without a hole.
            expect(reader.read).toEqual(meant.slice(0, reader.read.length));
            if (reader.isClosed) continue;
            if (reader.hasGap) {
              const unreadBytes = meant
                .slice(reader.read.length)
                .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
              expect(unreadBytes).toBeGreaterThan(logLimitBytes);
            } else {
              const kind = reader.uri === chat ? "chat" : "terminal";
              expect(reader.state()).toEqual(hub.state(reader.uri, kind));
              expect(reader.read).toHaveLength(meant.length);
            }
          }
        }),
        { numRuns: 150 },
      );
    },
  );
});
