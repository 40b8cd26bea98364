// The property that every storage must have: what it gives back is what the durable actions lead to.
import process from "node:process";
import type { Action } from "@holdfast/ahp";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Hub } from "../../channel/hub.ts";
import { type StateByKind, type Storage, type StoredAction, isDurable, reduceByKind } from "../../ports.ts";
import { ChatPlace, chatActions, openHub, openSession, sessionActions, terminalActions } from "./samples.ts";
import { type StorageHome, nextTurn } from "./world.ts";

type Step =
  | { readonly kind: "action"; readonly channel: "session" | "chat" | "terminal"; readonly action: Action }
  | { readonly kind: "settle" | "turn" | "stop" | "crash" };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: chatActions.map((action): Step => ({ kind: "action", channel: "chat", action })) },
  {
    weight: 3,
    arbitrary: sessionActions.map((action): Step => ({ kind: "action", channel: "session", action })),
  },
  {
    weight: 3,
    arbitrary: terminalActions.map((action): Step => ({ kind: "action", channel: "terminal", action })),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom<Step>(
      { kind: "settle" },
      { kind: "turn" },
      { kind: "stop" },
      { kind: "crash" },
    ),
  },
);

/** Runs random steps, stops and crashes among them, against a model. */
export function describeProperties(makeHome: () => Promise<StorageHome>): void {
  it("[D5] gives, at any point, the state that the durable actions lead to, and these actions", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 120, size: "max" }), async (run) => {
        const home = await makeHome();
        const model = new DurableModel(home);
        try {
          await model.begin();
          for (const step of run) await model.take(step);
          await model.settleAndCompare();
        } finally {
          await model.end();
        }
      }),
      { numRuns: process.env["HOLDFAST_LONG"] === undefined ? 5 : 200 },
    );
  });
}

/** A hub whose durable actions are reduced a second time, by hand. */
class DurableModel {
  readonly #home: StorageHome;
  readonly #place = new ChatPlace();
  readonly #states = new Map<string, StateByKind>();
  readonly #logs = new Map<string, Pick<StoredAction, "serverSeq" | "action">[]>();
  #storage!: Storage;
  #hub!: Hub;
  #uris!: Readonly<Record<"session" | "chat" | "terminal", string>>;

  constructor(home: StorageHome) {
    this.#home = home;
  }

  async begin(): Promise<void> {
    await this.#open();
    this.#uris = openSession(this.#hub, "a");
    await this.#hub.settled();
    for (const uri of Object.values(this.#uris)) {
      const loaded = this.#storage.loadChannel(uri);
      if (loaded) this.#states.set(uri, loaded);
      this.#logs.set(uri, [...this.#storage.readLog(uri, 0, 10).entries]);
    }
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "action") {
      this.#dispatch(this.#uris[step.channel], step.action);
      return;
    }
    await this.settleAndCompare();
    if (step.kind === "turn") await nextTurn();
    if (step.kind === "stop") this.#storage.close();
    if (step.kind === "stop" || step.kind === "crash") await this.#open();
    this.#compare();
  }

  async settleAndCompare(): Promise<void> {
    await this.#hub.settled();
    this.#compare();
  }

  async end(): Promise<void> {
    this.#storage.close();
    await this.#home.remove();
  }

  async #open(): Promise<void> {
    this.#storage = await this.#home.open({ snapshotAfterBytes: 300 });
    this.#hub = openHub(this.#storage);
    for (const [uri, { kind, state }] of this.#states) this.#hub.restore(uri, kind, state);
  }

  #dispatch(uri: string, drawn: Action): void {
    const action = this.#place.fit(drawn);
    const entry = this.#hub.dispatch(uri, action);
    if (entry === undefined || !isDurable(action)) return;
    const before = this.#states.get(uri);
    if (before) this.#states.set(uri, reduceByKind(before, action));
    this.#logs.get(uri)?.push({ serverSeq: entry.serverSeq, action });
  }

  #compare(): void {
    for (const [uri, { state }] of this.#states) {
      // As JSON: the parts of a running turn are a plain list only there.
      expect(asJson(this.#storage.loadChannel(uri)?.state)).toEqual(asJson(state));
      const log = this.#logs.get(uri) ?? [];
      const { entries } = this.#storage.readLog(uri, 0, 1000);
      expect(entries.map(({ serverSeq, action }) => ({ serverSeq, action }))).toEqual(
        log.map(({ serverSeq, action }) => ({ serverSeq, action })),
      );
      expect(this.#storage.loadChannel(uri)?.seq).toBe(log.at(-1)?.serverSeq ?? 0);
    }
  }
}

function asJson(state: object | undefined): unknown {
  return state && JSON.parse(JSON.stringify(state));
}
