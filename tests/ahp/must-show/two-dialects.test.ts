// Shows that a client of the seed and one of 1.0 see the same terminal, whatever happens to it and to them.
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { fieldsOf, listOf, type WireFields } from "../../../packages/ahp/src/testing/wire/reference.ts";
import { startRealHost, type RealHost } from "../../host/real-host.ts";
import { FLOOD, randomCommand } from "./random-command.ts";
import { Random } from "./random.ts";
import { CURRENT, SEED, Viewer, type ViewerDialect } from "./viewer.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const runMs = isLong ? 60_000 : 3000;
const roundMs = 2000;
const name = "shared";

interface Watcher {
  readonly viewer: Viewer;
  readonly uri: string;
}

/** Two watchers of one terminal, and what may happen to them. */
class Pair {
  readonly host: RealHost;
  readonly random: Random;
  readonly seed: Watcher;
  readonly current: Watcher;
  steps = 0;
  cuts = 0;
  #fresh = 0;

  constructor(host: RealHost, random: Random) {
    this.host = host;
    this.random = random;
    this.seed = this.#watcher("seed", SEED);
    this.current = this.#watcher("current", CURRENT);
  }

  get both(): readonly [Watcher, Watcher] {
    return [this.seed, this.current];
  }

  /** Holder of the terminal, as far as a connected client knows. */
  get holder(): Watcher | undefined {
    const observer = this.both.find(({ viewer }) => viewer.isConnected);
    const { clientId } = fieldsOf(observer?.viewer.state(observer.uri)["claim"]);
    return this.both.find(({ viewer }) => viewer.clientId === clientId);
  }

  otherThan(watcher: Watcher): Watcher {
    return watcher === this.seed ? this.current : this.seed;
  }

  async step(): Promise<void> {
    this.steps += 1;
    const { random } = this;
    const chance = random.next();
    const holder = this.holder ?? this.seed;
    const other = this.otherThan(holder);
    const act = ({ viewer, uri }: Watcher, action: { readonly type: string } & WireFields): void =>
      viewer.dispatch(uri, action);
    if (chance < 0.55) act(holder, { type: "terminal/input", data: `${randomCommand(random)}\r` });
    else if (chance < 0.6) act(holder, { type: "terminal/input", data: `${FLOOD}\r` });
    else if (chance < 0.68) {
      act(holder, { type: "terminal/resized", cols: random.whole(20, 200), rows: random.whole(5, 60) });
    } else if (chance < 0.76) {
      // By its holder, by one who may not, or by one who may because the holder is gone.
      const claim = { kind: "client", clientId: random.pick(this.both).viewer.clientId };
      act(random.pick([holder, other]), { type: "terminal/claimed", claim });
    } else if (chance < 0.82) act(holder, { type: "terminal/cleared" });
    else if (chance < 0.86) {
      act(random.pick([holder, other]), { type: "terminal/titleChanged", title: `title ${this.steps}` });
    } else await this.#turnLink(random.pick(this.both).viewer);
    await pause(random.whole(0, 40));
  }

  /** Has all said and done, so that everything can be compared. */
  async settle(mark: string): Promise<void> {
    for (const { viewer } of this.both) {
      if (!viewer.isConnected) await viewer.connect();
      await viewer.answered();
    }
    // The last holder may not have the update yet: its author gets it on another socket.
    const { claim } = await this.look(CURRENT);
    for (const { viewer, uri } of this.both) {
      await viewer.until(() => isDeepStrictEqual(viewer.state(uri)["claim"], claim));
    }
    const { holder } = this;
    if (holder === undefined) throw new Error("Nobody holds the terminal");
    const refusals = holder.viewer.refusals.length;
    // A command may still run; what is typed meanwhile waits for its end.
    holder.viewer.type(holder.uri, `echo ${mark.slice(0, 4)}''${mark.slice(4)}\r`);
    await holder.viewer.answered();
    expect(holder.viewer.refusals).toHaveLength(refusals);
    for (const { viewer, uri } of this.both) await viewer.until(() => viewer.text(uri).includes(mark));
  }

  /** A terminal as somebody sees it who comes now. */
  async look(dialect: ViewerDialect): Promise<WireFields> {
    this.#fresh += 1;
    const { viewer, uri } = this.#watcher(`fresh-${this.#fresh}`, dialect);
    await viewer.connect();
    await viewer.follow(uri);
    await viewer.cut();
    return viewer.state(uri);
  }

  async close(): Promise<void> {
    for (const { viewer } of this.both) await viewer.cut();
  }

  async #turnLink(viewer: Viewer): Promise<void> {
    if (!viewer.isConnected) return viewer.connect();
    this.cuts += 1;
    await viewer.cut();
  }

  #watcher(clientId: string, dialect: ViewerDialect): Watcher {
    const address = `${this.host.url.replace("http", "ws")}/ahp?tkn=${this.host.token}`;
    return { viewer: new Viewer({ address, clientId, dialect }), uri: dialect.terminalUri(name) };
  }
}

/** What both dialects have words for. */
function shared(state: WireFields): WireFields {
  const { title, cwd, cols, rows, content, claim, supportsCommandDetection } = state;
  return { title, cwd, cols, rows, content, claim, supportsCommandDetection };
}

/**
 * State of a client that subscribes now, except for what no action publishes to the others: a command's line that the
 * shell reported only after its first output, which happens when the machine is so busy that the host does not wait for it (E110).
 */
function knowable(fresh: WireFields, seen: WireFields): WireFields {
  const seenParts = listOf(seen["content"]);
  const content = listOf(fresh["content"]).map((part, index) =>
    seenParts[index]?.["commandLine"] === "" ? { ...part, commandLine: "" } : part,
  );
  return { ...fresh, content };
}

async function compare(pair: Pair): Promise<void> {
  const { seed, current } = pair;
  for (const { viewer, uri } of pair.both) {
    // A prompt, a title or a directory may still be on its way.
    await expect
      .poll(
        async () => {
          const fresh = await pair.look(viewer.dialect);
          const seen = viewer.state(uri);
          return isDeepStrictEqual(seen, knowable(fresh, seen)) ? "same" : "different";
        },
        { timeout: 5000 },
      )
      .toEqual("same")
      .catch(async () => expect(viewer.state(uri)).toEqual(await pair.look(viewer.dialect)));
  }
  const ofSeed = shared(seed.viewer.state(seed.uri));
  expect(knowable(shared(current.viewer.state(current.uri)), ofSeed)).toEqual(ofSeed);
}

test(
  "[E100] a client of the seed and one of 1.0 see the same bytes and the same state through output, resizes, claims, clears and losses",
  { timeout: runMs + 60_000 },
  async () => {
    const chanceSeed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1_000_000);
    const host = await startRealHost({ environment: { SHELL: "/bin/bash" } });
    onTestFinished(() => host.close());
    const pair = new Pair(host, new Random(chanceSeed));
    onTestFinished(() => pair.close());
    for (const { viewer } of pair.both) await viewer.connect();
    await pair.current.viewer.create(name);
    for (const { viewer, uri } of pair.both) await viewer.follow(uri);

    const endMs = performance.now() + runMs;
    for (let round = 1; performance.now() < endMs; round += 1) {
      // Memory holds the newest mebibyte only: a round that begins with nothing can be compared whole.
      const { holder } = pair;
      holder?.viewer.dispatch(holder.uri, { type: "terminal/cleared" });
      const roundEndMs = Math.min(endMs, performance.now() + roundMs);
      while (performance.now() < roundEndMs) await pair.step();
      await pair.settle(`mark-${round}-of-${chanceSeed}`);
      await compare(pair);
    }
    const { repeats, catchUps } = pair.current.viewer;
    console.log(JSON.stringify({ seed: chanceSeed, steps: pair.steps, cuts: pair.cuts, repeats, catchUps }));
    expect(pair.cuts).toBeGreaterThan(0);
  },
);
