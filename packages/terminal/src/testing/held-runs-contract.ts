// The contract of every port whose runs outlive their host, as a suite of tests that each implementation runs.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HeldBounds } from "../keeper/index.ts";
import type { ProcessPort, RunKind } from "../process/port.ts";
import { TerminalError } from "../terminal-error.ts";
import { describeInput } from "./held-input-contract.ts";
import { describeStreamOrder } from "./held-order-contract.ts";
import { type HostSuccession, attachAt, only } from "./host-succession.ts";
import { RunRecord, attachAcknowledging, isAlive, recordRun, untilGone } from "./run-record.ts";

const kinds = ["text", "tty", "stdio"] as const;
const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** Small bounds, so that tests reach them. */
const testBounds: Partial<HeldBounds> = {
  streamMemoryBytes: 256 * 1024,
  keepBytes: 2 * 1024 * 1024,
  tailBytes: 64 * 1024,
};

/** Tests an implementation; `make` is called with bounds. */
export function heldRunsContract(
  name: string,
  make: (bounds: Partial<HeldBounds>) => Promise<HostSuccession>,
): void {
  describe(`runs that the ${name} holds`, () => {
    let hosts: HostSuccession;
    beforeAll(async () => {
      hosts = await make(testBounds);
    });
    afterAll(() => hosts.close());
    describeHolding(() => hosts);
    describeOffsets(() => hosts);
    describeStreamOrder(() => hosts);
    describeBounds(() => hosts);
    describeStarts(() => hosts);
    describeInput(() => hosts);
    describeFence(() => hosts);
    describeWhileAway(() => hosts);
    describeEnding(make);
  });
}

function describeHolding(hosts: () => HostSuccession): void {
  it.each(kinds)(
    "[K700] a %s run outlives its host, and the next one finds and continues it",
    async (kind) => {
      const first = await hosts().takeOver();
      const command = "echo before; read -r line; echo got $line; exit 3";
      const request = { kind, command, hasInput: true, key: `K700-${kind}`, tag: "mine" } as const;
      const { run, record } = await recordRun(first, request);
      await record.seen(/before/);
      const second = await hosts().takeOver();
      const held = await only(second, run);
      expect(held).toEqual({
        id: run.id,
        kind,
        pid: run.pid,
        key: `K700-${kind}`,
        tag: "mine",
        note: undefined,
        heldFrom: { output: 0, error: 0 },
        inputOffset: 0,
        hasExited: false,
      });
      const again = await attachAt(second, held, 0);
      expect(again.run).toMatchObject({ id: run.id, pid: run.pid, kind, tree: run.tree, limits: run.limits });
      again.run.write(Buffer.from("word\n"));
      expect(await again.record.exited()).toMatchObject({ exitCode: 3, lost: false });
      await again.record.ended();
      expect(again.record.text().replaceAll("\r", "")).toMatch(/^before\n(word\n)?got word\n$/);
      expect(again.record.misplaced).toEqual([]);
      expect(record.text().replaceAll("\r", "")).toBe("before\n");
      expect((await only(second, run)).hasExited).toBe(true);
      again.run.release();
      expect((await second.held()).runs.filter(({ id }) => id === run.id)).toEqual([]);
    },
  );

  it("[K700] detaching leaves runs as they are, and a run that was released is not held", async () => {
    const first = await hosts().takeOver();
    const { run } = await recordRun(first, { kind: "stdio", command: "cat" });
    const other = await recordRun(first, { command: "sleep 1000" });
    other.run.release();
    await Promise.all([first.detach(), first.detach()]);
    await expect(recordRun(first, { command: "true" })).rejects.toMatchObject({ code: "closed" });
    const second = await hosts().takeOver();
    expect((await second.held()).runs.map(({ id }) => id)).toEqual([run.id]);
    const again = await attachAt(second, run, 0);
    again.run.write(Buffer.from("still here"));
    await again.record.seen(/still here/);
    again.run.release();
    await untilGone([run.pid, other.run.pid]);
  });

  it("[K700] refuses to attach to a run that is not held, and past the end of a stream", async () => {
    const port = await hosts().takeOver();
    await expect(port.attach("no-such-run", new RunRecord(), {})).rejects.toMatchObject({
      name: "TerminalError",
      code: "run_not_found",
    });
    const { run, record } = await recordRun(port, { command: "echo word" });
    await record.ended();
    await expect(port.attach(run.id, new RunRecord(), { output: 6 })).rejects.toMatchObject({
      code: "invalid_request",
      field: "from.output",
    });
    run.release();
  });

  it("[K702] an exit is held with its status and offsets, and each host gets it until the run is released", async () => {
    const first = await hosts().takeOver();
    const command = "echo out; echo error >&2; exec 1>&- 2>&-; sleep 0.2; kill -TERM $$";
    const { run } = await recordRun(first, { kind: "stdio", command });
    const ends: string[][] = [];
    for (const from of [{}, { output: 2 }, { output: 4, error: 6 }]) {
      const next = await hosts().takeOver();
      const record = new RunRecord(from);
      let outputEnded = 0;
      const sink = {
        bytes: record.bytes.bind(record),
        exit: record.exit.bind(record),
        end: record.end.bind(record),
        outputEnded: () => (outputEnded += 1),
      };
      await next.attach(run.id, sink, from);
      expect(await record.exited()).toMatchObject({ signal: "SIGTERM", finalOffset: 4, finalErrorOffset: 6 });
      await record.ended();
      expect([record.misplaced, outputEnded]).toEqual([[], 1]);
      ends.push(record.events);
      await next.attach(run.id, new RunRecord(), { output: 4, error: 6 });
    }
    expect(ends).toEqual([
      ["output", "error", "exit", "end"],
      ["output", "error", "exit", "end"],
      ["exit", "end"],
    ]);
    const last = await hosts().takeOver();
    (await attachAt(last, run, 4)).run.release();
  });
}

/** The output of `seq 1 count` in a run of each kind. */
function linesOf(kind: RunKind, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");
  return kind === "tty" ? lines.replaceAll("\n", "\r\n") : lines;
}

function describeOffsets(hosts: () => HostSuccession): void {
  it.each(kinds)(
    "[K701] hosts that change at any byte get each byte of a %s run, none of them lost or doubled",
    async (kind) => {
      const steps = fc.array(
        fc.record({
          readTo: fc.double({ min: 0, max: 1, noNaN: true }),
          repeat: fc.nat(5000),
          waitMs: fc.nat(3),
        }),
        { minLength: 1, maxLength: 5 },
      );
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 30_000 }), steps, async (count, plan) => {
          const expected = linesOf(kind, count);
          const request = { kind, command: "seq", args: ["1", String(count)], whileAway: "keep" } as const;
          let { run, record } = await recordRun(await hosts().takeOver(), request);
          let from = 0;
          let acknowledged = 0;
          for (const { readTo, repeat, waitMs } of plan) {
            await record.reached(Math.floor(expected.length * readTo));
            await sleep(waitMs);
            expect([record.text(), record.misplaced]).toEqual([expected.slice(from, record.sizeBytes()), []]);
            // A host stores some of what it got, and the next one begins there or before.
            acknowledged = Math.max(acknowledged, record.sizeBytes() - repeat);
            run.acknowledge("output", acknowledged, `note ${acknowledged}`);
            const next = await hosts().takeOver();
            const held = await only(next, run);
            expect(held).toMatchObject({ heldFrom: { output: acknowledged }, note: `note ${acknowledged}` });
            from = acknowledged;
            ({ run, record } = await attachAt(next, held, from));
          }
          expect(await record.exited()).toMatchObject({ exitCode: 0, finalOffset: expected.length });
          await record.ended();
          expect([record.text(), record.misplaced]).toEqual([expected.slice(from), []]);
          run.release();
        }),
        { numRuns: isLong ? 200 : 8 },
      );
    },
    300_000,
  );
}

function describeBounds(hosts: () => HostSuccession): void {
  it("[K703] a tail keeps the newest bytes while no host is attached, and says which are left", async () => {
    const first = await hosts().takeOver();
    const { run } = await recordRun(first, { command: "read -r go; seq 1 200000; exit 5", hasInput: true });
    run.write(Buffer.from("go\n"));
    await first.detach();
    const second = await hosts().takeOver();
    await expect.poll(async () => (await only(second, run)).hasExited).toBe(true);
    const expected = linesOf("text", 200_000);
    const held = await only(second, run);
    expect(held.heldFrom.output).toBeGreaterThan(0);
    const record = new RunRecord({ output: held.heldFrom.output });
    const again = await second.attach(run.id, record, { output: 0 });
    expect(await record.exited()).toMatchObject({ exitCode: 5, finalOffset: expected.length });
    expect(record.misplaced).toEqual([]);
    expect(record.text()).toBe(expected.slice(held.heldFrom.output));
    expect(record.text().length).toBeGreaterThanOrEqual(testBounds.tailBytes ?? 0);
    again.release();
  });

  it("[K703] no byte of a tail is dropped while a host is attached", async () => {
    const port = await hosts().takeOver();
    const { run, record } = await recordRun(port, { command: "seq 1 400000" });
    await record.ended();
    expect([record.text() === linesOf("text", 400_000), record.misplaced]).toEqual([true, []]);
    run.release();
  });

  it.each(["text", "stdio"] as const)(
    "[K704] a %s run that keeps all waits at the bound while no host is attached, and no byte is cut",
    async (kind) => {
      const first = await hosts().takeOver();
      const { run, record } = await recordRun(first, {
        kind,
        command: "read -r go; seq 1 1000000",
        hasInput: true,
        whileAway: "keep",
      });
      run.write(Buffer.from("go\n"));
      await record.reached(100_000);
      const taken = record.sizeBytes();
      run.acknowledge("output", taken);
      await first.detach();
      // 6.9 MB, of which 2 MiB are held: the command waits.
      await sleep(500);
      expect(isAlive(run.pid)).toBe(true);
      const second = await hosts().takeOver();
      const held = await only(second, run);
      expect(held).toMatchObject({ hasExited: false, heldFrom: { output: taken } });
      const again = new RunRecord({ output: taken });
      const attached = await attachAcknowledging(second, run.id, again, taken);
      await again.ended();
      const expected = linesOf(kind, 1_000_000);
      expect([again.text() === expected.slice(taken), again.misplaced]).toEqual([true, []]);
      attached.release();
    },
  );
}

function describeStarts(hosts: () => HostSuccession): void {
  it("[K706] a start with the key of another gives its run: under way, running, exited, in another host", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-keys-"));
    const request = { command: "echo run >> count; cat count; read -r line", cwd: folder, hasInput: true };
    const start = (port: ProcessPort) => recordRun(port, { ...request, key: `key ${folder}` });
    const first = await hosts().takeOver();
    const [one, two] = await Promise.all([start(first), start(first)]);
    expect(one.run.id).toBe(two.run.id);
    await two.record.seen(/run/);
    // Another host asks again, while the start of the one before it is under way.
    const other = { ...request, key: `other ${folder}` };
    const cut = recordRun(first, other).then(
      ({ run }) => run.id,
      (error: unknown) => (error instanceof TerminalError ? error.code : error),
    );
    const second = await hosts().takeOver();
    const three = await start(second);
    expect([three.run.id, three.record.misplaced]).toEqual([one.run.id, []]);
    await three.record.seen(/run/);
    const four = await recordRun(second, other);
    // It may have been done before the next host was there.
    expect(["fenced", four.run.id]).toContain(await cut);
    expect((await second.held()).runs.filter(({ key }) => key === other.key)).toHaveLength(1);
    three.run.write(Buffer.from("end\n"));
    await three.record.ended();
    const five = await start(second);
    await five.record.ended();
    expect([five.run.id, five.record.text()]).toEqual([one.run.id, three.record.text()]);
    five.run.release();
    four.run.release();
    await expect(start(second)).rejects.toMatchObject({ code: "run_not_found" });
    await untilGone([four.run.pid]);
    await rm(folder, { recursive: true });
  });

  it("[K706] a start that failed leaves its key free", async () => {
    const port = await hosts().takeOver();
    const request = { key: "failing", command: "no-such-program" };
    await expect(recordRun(port, request)).rejects.toMatchObject({ code: "program_not_found" });
    const { run, record } = await recordRun(port, { ...request, command: "true" });
    await record.ended();
    run.release();
  });
}

function describeFence(hosts: () => HostSuccession): void {
  it("[K708] a host that was fenced hears nothing more, and its calls have no effect", async () => {
    const first = await hosts().takeOver();
    const { run, record } = await recordRun(first, { kind: "stdio", command: "echo ready; cat" });
    await record.seen(/ready/);
    const second = await hosts().takeOver();
    const again = await attachAt(second, run, 0);
    const events = [...record.events];
    const refused = expect.objectContaining({ name: "TerminalError", code: "fenced" }) as Error;
    await expect(recordRun(first, { command: "true" })).rejects.toMatchObject({ code: "fenced" });
    await expect(first.held()).rejects.toMatchObject({ code: "fenced" });
    await expect(run.members()).rejects.toMatchObject({ code: "fenced" });
    await expect(run.end(0)).rejects.toMatchObject({ code: "fenced" });
    expect(() => run.write(Buffer.from("from the past"))).toThrow(refused);
    run.acknowledge("output", 6);
    run.hold(true);
    run.endInput();
    run.release();
    await first.detach();
    await first.close(0);
    again.run.write(Buffer.from("from now"));
    await again.record.seen(/^ready\nfrom now$/);
    expect((await only(second, run)).heldFrom.output).toBe(0);
    expect(record.events).toEqual(events);
    expect(record.text()).toBe("ready\n");
    again.run.release();
  });
}

function describeWhileAway(hosts: () => HostSuccession): void {
  it("[K709] bytes of stragglers follow the exit, and survivors can be ended, whichever host comes next", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-away-"));
    const first = await hosts().takeOver();
    const command =
      "mkfifo go; (read -r word < go; echo $word; exec sleep 1000 > /dev/null 2>&1) & echo early";
    const { run, record } = await recordRun(first, { command, cwd: folder });
    await record.exited();
    await first.detach();
    await writeFile(path.join(folder, "go"), "late\n");
    const second = await hosts().takeOver();
    const again = await attachAt(second, run, 0);
    expect(await again.record.exited()).toMatchObject({ exitCode: 0, finalOffset: 6 });
    await again.record.ended();
    expect(again.record.text()).toBe("early\nlate\n");
    expect(again.record.events).toEqual(["output", "exit", "output", "end"]);
    const survivors = await again.run.members();
    expect(survivors.length).toBeGreaterThan(0);
    expect(await again.run.end(1000)).toEqual([]);
    expect(survivors.map(({ pid }) => pid).filter(isAlive)).toEqual([]);
    again.run.release();
    await rm(folder, { recursive: true });
  });

  it("[K710] limits fire while no host is attached, and the exit names them", async () => {
    const first = await hosts().takeOver();
    const slow = await recordRun(first, { command: "sleep 1000", limits: { wallClockMs: 300 } });
    const loud = await recordRun(first, {
      command: "read -r go; yes",
      hasInput: true,
      limits: { outputBytes: 300_000 },
    });
    loud.run.write(Buffer.from("go\n"));
    await first.detach();
    await untilGone([slow.run.pid, loud.run.pid]);
    const second = await hosts().takeOver();
    for (const [{ run }, name] of [[slow, "wallClockMs"] as const, [loud, "outputBytes"] as const]) {
      const held = await only(second, run);
      const again = await attachAt(second, run, held.heldFrom.output);
      expect(await again.record.exited()).toMatchObject({ limit: { name } });
      expect(again.record.misplaced).toEqual([]);
      again.run.release();
    }
  });
}

function describeEnding(make: (bounds: Partial<HeldBounds>) => Promise<HostSuccession>): void {
  it("[K711] closing ends the runs of every host", async () => {
    const hosts = await make(testBounds);
    const first = await hosts.takeOver();
    const left = await recordRun(first, { command: "sleep 1000" });
    const second = await hosts.takeOver();
    const own = await recordRun(second, { command: "sleep 1000" });
    await Promise.all([second.close(200), second.close(200)]);
    expect([left.run.pid, own.run.pid].filter(isAlive)).toEqual([]);
    expect(own.record.events).toEqual(["exit", "end"]);
    expect(left.record.events).toEqual([]);
    await hosts.close();
  });
}
