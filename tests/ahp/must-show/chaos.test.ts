// Shows that many clients who come and go while terminals flood end with what is there, and that nothing is typed twice.
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startRealHost, type RealHost } from "../../host/real-host.ts";
import { residentMiB } from "./host-memory.ts";
import { Random } from "./random.ts";
import { CURRENT, SEED, Viewer } from "./viewer.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const clientCount = isLong ? 50 : 6;
const terminalCount = isLong ? 10 : 3;
const floodBytes = isLong ? 40_000_000 : 2_000_000;
/** Allowed growth of the host's memory between the end of the first flood and that of the second. */
const goalGrowthMiB = 32;
/** So much of a terminal's end is compared. */
const comparedText = 64 * 1024;

/** A program that floods and meanwhile notes each line of its input; at the end it prints them. */
function floodProgram(mark: string): string {
  const flood = `head -c ${floodBytes} /dev/zero | tr '\\0' x | fold -w 99`;
  const listen = `while IFS= read -r line && [ "$line" != end ]; do got="$got $line"; done`;
  // Cut in two, so that the line that is typed does not look like what it says.
  const print = `echo "${mark.slice(0, 2)}""${mark.slice(2)}:$got."`;
  // By its title, because what it writes is soon gone.
  const ready = `printf '\\e]0;${mark}\\a'`;
  return `stty -echo; got=; ${ready}; ${flood} & ${listen}; wait; stty echo; ${print}\r`;
}

interface Terminal {
  readonly name: string;
  readonly holder: Viewer;
  typed: number;
}

/** A client's name for a terminal; a URI that a client of the seed has chosen is the same for all. */
function uriFor({ dialect }: Viewer, { name, holder }: Terminal): string {
  return (holder.dialect === SEED ? SEED : dialect).terminalUri(name);
}

/** All clients, and the terminals that the first of them hold. */
class Crowd {
  readonly clients: readonly Viewer[];
  readonly random: Random;
  terminals: readonly Terminal[] = [];
  cuts = 0;
  /** Clients that are not fully back yet. */
  readonly #away = new Set<Viewer>();
  #isOver = false;

  constructor(host: RealHost, random: Random) {
    this.random = random;
    const address = `${host.url.replace("http", "ws")}/ahp?tkn=${host.token}`;
    this.clients = Array.from({ length: clientCount }, (_, index) => {
      const dialect = index % 3 === 2 ? SEED : CURRENT;
      return new Viewer({ address, clientId: `client-${index}`, dialect, keptText: 2 * comparedText });
    });
  }

  async open(): Promise<void> {
    for (const client of this.clients) await client.connect();
    this.terminals = await Promise.all(
      this.clients.slice(0, terminalCount).map(async (holder, index) => {
        const name = `flood-${index}`;
        await holder.create(name);
        return { name, holder, typed: 0 };
      }),
    );
    for (const client of this.clients) {
      for (const terminal of this.terminals) await client.follow(uriFor(client, terminal));
    }
  }

  /** Floods all terminals, types into them, and lets clients vanish, until all have seen the end. */
  async flood(mark: string): Promise<void> {
    for (const terminal of this.terminals) {
      terminal.typed = 0;
      this.#type(terminal, floodProgram(mark));
    }
    this.#isOver = false;
    const vanishing = this.clients.map((client) => this.#comeAndGo(client));
    await Promise.all(this.terminals.map((terminal) => this.#typeLines(terminal, mark)));
    this.#isOver = true;
    await Promise.all(vanishing);
  }

  /** Input that a terminal's program reports. */
  heard(terminal: Terminal, mark: string): string {
    const text = terminal.holder.text(uriFor(terminal.holder, terminal));
    return text.split(`${mark}:`)[1]?.split(".")[0] ?? "";
  }

  async close(): Promise<void> {
    for (const client of this.clients) await client.cut();
  }

  #type(terminal: Terminal, data: string): void {
    terminal.holder.type(uriFor(terminal.holder, terminal), data);
  }

  /** Types numbered lines while the flood runs, whether its client is connected or not. */
  async #typeLines(terminal: Terminal, mark: string): Promise<void> {
    const { holder } = terminal;
    const uri = uriFor(holder, terminal);
    await holder.until(() => holder.state(uri)["title"] === mark);
    const lines = isLong ? 200 : 40;
    while (terminal.typed < lines) {
      terminal.typed += 1;
      this.#type(terminal, `${terminal.typed}\r`);
      if (this.random.happens(0.05)) await this.#vanish(holder);
      await pause(this.random.whole(0, 20));
    }
    this.#type(terminal, "end\r");
    await holder.until(() => holder.text(uri).includes(`${mark}:`));
  }

  async #comeAndGo(client: Viewer): Promise<void> {
    while (!this.#isOver) {
      await pause(this.random.whole(20, isLong ? 4000 : 800));
      if (!this.#isOver) await this.#vanish(client);
    }
  }

  async #vanish(client: Viewer): Promise<void> {
    if (this.#away.has(client)) return;
    this.#away.add(client);
    this.cuts += 1;
    await client.cut();
    await pause(this.random.whole(0, 100));
    await client.connect();
    this.#away.delete(client);
  }
}

/** A state with only the end of its text, by which those can be compared who began at other times. */
function endOf(client: Viewer, uri: string): unknown {
  const { content: _content, ...rest } = client.state(uri);
  return { ...rest, text: client.text(uri).slice(-comparedText) };
}

async function expectConverged(crowd: Crowd, host: RealHost): Promise<void> {
  const address = `${host.url.replace("http", "ws")}/ahp?tkn=${host.token}`;
  for (const dialect of [CURRENT, SEED]) {
    const fresh = new Viewer({ address, clientId: `fresh-${dialect.version}`, dialect });
    await fresh.connect();
    for (const terminal of crowd.terminals) {
      const uri = uriFor(fresh, terminal);
      await fresh.follow(uri);
      for (const client of crowd.clients.filter((each) => each.dialect === dialect)) {
        await expect.poll(() => endOf(client, uri), { timeout: 20_000 }).toEqual(endOf(fresh, uri));
      }
    }
    for (const client of crowd.clients.filter((each) => each.dialect === dialect)) {
      await expect.poll(() => client.state(dialect.rootUri)).toEqual(fresh.state(dialect.rootUri));
    }
    await fresh.cut();
  }
}

test(
  "[E101] clients that come and go while terminals flood converge, no line is typed twice, and the host does not grow",
  { timeout: isLong ? 900_000 : 90_000 },
  async () => {
    const chanceSeed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1_000_000);
    const host = await startRealHost({ environment: { SHELL: "/bin/bash" } });
    onTestFinished(() => host.close());
    const crowd = new Crowd(host, new Random(chanceSeed));
    onTestFinished(() => crowd.close());
    await crowd.open();
    const memory = [residentMiB(host.pid)];
    for (const mark of ["first-count", "second-count"]) {
      await crowd.flood(mark);
      await expectConverged(crowd, host);
      for (const terminal of crowd.terminals) {
        expect(terminal.holder.refusals).toEqual([]);
        const numbers = Array.from({ length: terminal.typed }, (_, index) => ` ${index + 1}`);
        expect(crowd.heard(terminal, mark)).toBe(numbers.join(""));
      }
      memory.push(residentMiB(host.pid));
    }
    const [, afterFirst, afterSecond] = memory;
    const catchUps = crowd.clients.reduce((sum, client) => sum + client.catchUps, 0);
    console.log(
      JSON.stringify({
        seed: chanceSeed,
        cuts: crowd.cuts,
        catchUps,
        residentMiB: memory.map((each) => Math.round(each ?? 0)),
      }),
    );
    if (afterFirst !== undefined && afterSecond !== undefined) {
      expect(afterSecond - afterFirst).toBeLessThan(3 * goalGrowthMiB);
    }
    expect(crowd.cuts).toBeGreaterThan(clientCount / 2);
  },
);
