// The contract of every process port, as a suite of tests that each implementation runs.
import { setTimeout as sleep } from "node:timers/promises";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ProcessPort, type Run, TerminalError } from "../process/port.ts";
import { RunRecord, isAlive, recordRun, untilGone } from "./run-record.ts";

/** A shell line that prints the pids of two children, one of them in a separate session, and waits. */
const twoChildren = "sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo ready; wait";

function pidsIn(text: string): number[] {
  return text.match(/^\d+/gm)?.map(Number) ?? [];
}

/** The PIDs that a run's processes have for us, by those that they print. */
export type ToOuterPids = (run: Run, pids: number[]) => Promise<number[]>;

/**
 * Tests an implementation of the port. `makeProcessPort` is called for each test that needs a separate one, too.
 * `toOuterPids` is for implementations whose processes have other PIDs inside.
 */
export function processPortContract(
  name: string,
  makeProcessPort: () => ProcessPort | Promise<ProcessPort>,
  toOuterPids: ToOuterPids = async (_run, pids) => pids,
): void {
  describe(`the ${name} process port`, () => {
    let processPort: ProcessPort;
    beforeAll(async () => {
      processPort = await makeProcessPort();
    });
    afterAll(() => processPort.close(200));

    describeBytes(() => processPort);
    describeInput(() => processPort);
    describeFailures(() => processPort);
    describeTrees(() => processPort, toOuterPids);
    describeEnvironment(() => processPort);
    describeClosing(makeProcessPort, toOuterPids);
  });
}

function describeBytes(processPort: () => ProcessPort): void {
  it("[K1] delivers the bytes of both streams with absolute offsets, each from its first byte", async () => {
    const command = "for i in 1 2 3; do echo out $i; echo error $i >&2; done";
    const { run, record } = await recordRun(processPort(), { kind: "stdio", command });
    const exit = await record.exited();
    expect(record.text("output")).toBe("out 1\nout 2\nout 3\n");
    expect(record.text("error")).toBe("error 1\nerror 2\nerror 3\n");
    expect(record.misplaced).toEqual([]);
    expect(exit).toMatchObject({ exitCode: 0, finalOffset: 18, finalErrorOffset: 24 });
    run.release();
  });

  it.each(["text", "tty", "stdio"] as const)(
    "[K1][K2] delivers a large output of a %s run whole, then its exit, then its end",
    async (kind) => {
      const { run, record } = await recordRun(processPort(), { kind, command: "seq", args: ["1", "400000"] });
      const { finalOffset } = await record.exited();
      await record.ended();
      const expectedBytes = kind === "tty" ? 3_088_895 : 2_688_895;
      expect([finalOffset, record.sizeBytes()]).toEqual([expectedBytes, expectedBytes]);
      expect(record.text().trimEnd().endsWith("\n400000")).toBe(true);
      expect(record.misplaced).toEqual([]);
      expect(record.events).toEqual(["output", "exit", "end"]);
      run.release();
    },
  );

  it("[K1] gives 50 runs at once each its own bytes", async () => {
    const runs = await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        recordRun(processPort(), { command: `seq 1 ${1000 + number}; echo run ${number}` }),
      ),
    );
    expect(new Set(runs.map(({ run }) => run.id)).size).toBe(50);
    await Promise.all(runs.map(({ record }) => record.ended()));
    for (const [number, { run, record }] of runs.entries()) {
      expect(record.text().endsWith(`\n${1000 + number}\nrun ${number}\n`)).toBe(true);
      expect(record.misplaced).toEqual([]);
      run.release();
    }
  });

  it("[T500] keeps stderr of a text run apart where it is asked to", async () => {
    const command = "echo out; echo error >&2; cat";
    const request = { command, hasInput: true, separateError: true };
    const { run, record } = await recordRun(processPort(), request);
    run.write(new TextEncoder().encode("typed"));
    run.endInput();
    const exit = await record.exited();
    expect([record.text("output"), record.text("error")]).toEqual(["out\ntyped", "error\n"]);
    expect(exit).toMatchObject({ exitCode: 0, finalOffset: 9, finalErrorOffset: 6 });
    expect(record.misplaced).toEqual([]);
    run.release();
  });

  it.each([
    ["exit 3", { exitCode: 3, signal: null, lost: false }],
    ["kill -TERM $$", { exitCode: null, signal: "SIGTERM", lost: false }],
  ])("[K2] reports the status of `%s`", async (command, status) => {
    const { run, record } = await recordRun(processPort(), { command });
    expect(await record.exited()).toMatchObject(status);
    run.release();
  });

  it("[K3] delivers a straggler's bytes after the exit, at the offsets where it left off, then the end", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "holdfast-processPort-"));
    // The straggler waits for a word that comes only after the exit was reported.
    const command = "mkfifo go; (read -r word < go; echo $word) & echo early";
    const { run, record } = await recordRun(processPort(), { command, cwd: folder });
    const { finalOffset } = await record.exited();
    expect([record.text(), finalOffset]).toEqual(["early\n", 6]);
    expect(record.events).toEqual(["output", "exit"]);
    await writeFile(path.join(folder, "go"), "late\n");
    await record.ended();
    expect(record.text()).toBe("early\nlate\n");
    expect(record.misplaced).toEqual([]);
    expect(record.events).toEqual(["output", "exit", "output", "end"]);
    run.release();
    await rm(folder, { recursive: true });
  });

  it("[K660] changes the limits of a scope, and leaves its runs alone", async () => {
    const scope = { level: "session", id: "contract" } as const;
    const memoryBytes = 1024 ** 3;
    const { run, record } = await recordRun(processPort(), {
      command: "read -r word; echo $word",
      hasInput: true,
      scopes: [{ ...scope, limits: { memoryBytes } }],
    });
    expect(run.limits.memoryBytes).toMatchObject({ value: memoryBytes, level: "session" });
    processPort().limit([{ ...scope, limits: { memoryBytes: 2 * memoryBytes } }]);
    processPort().limit([{ ...scope, limits: {} }]);
    run.write(Buffer.from("on\n"));
    expect(await record.exited()).toMatchObject({ exitCode: 0, limit: undefined });
    expect(record.text()).toBe("on\n");
    run.release();
  });

  it("[K9] names the limit that ended a run, and what enforced it", async () => {
    const { run, record } = await recordRun(processPort(), {
      command: "yes",
      limits: { outputBytes: 100_000 },
    });
    expect(run.limits).toEqual({ outputBytes: { value: 100_000, level: "command", by: "host" } });
    const fired = { name: "outputBytes", value: 100_000, level: "command" };
    expect(await record.exited()).toMatchObject({ limit: fired });
    run.release();
  });
}

/** A number once it has stopped growing. */
async function atRest(read: () => number): Promise<number> {
  for (let before = -1; ; before = read()) {
    await sleep(100);
    if (read() === before) return before;
  }
}

function describeInput(processPort: () => ProcessPort): void {
  it("[K4] takes all input of a stdio run, and asks a fast writer to wait", async () => {
    const { run, record } = await recordRun(processPort(), { kind: "stdio", command: "wc -c" });
    const drained = new Promise<void>((resolve) => run.onDrain(resolve));
    const megabyte = new Uint8Array(1024 * 1024);
    expect(run.write(megabyte)).toBe(false);
    await drained;
    expect(run.write(new Uint8Array(7))).toBe(true);
    run.endInput();
    expect(await record.exited()).toMatchObject({ exitCode: 0 });
    expect(record.text().trim()).toBe(String(megabyte.length + 7));
    run.release();
  });

  it("[K4] takes what the window into a larger buffer shows, and no more", async () => {
    const { run, record } = await recordRun(processPort(), { kind: "stdio", command: "cat" });
    run.write(new TextEncoder().encode("<inside>").subarray(1, 7));
    run.endInput();
    await record.exited();
    expect(record.text()).toBe("inside");
    run.release();
  });

  it("[K4] gives a text run no input, and says so", async () => {
    const { run, record } = await recordRun(processPort(), { command: "cat" });
    const refusal: unknown = expect.objectContaining({ name: "TerminalError", code: "not_supported" });
    expect(() => run.write(new Uint8Array(1))).toThrow(refusal);
    expect(() => run.endInput()).toThrow(refusal);
    expect(() => run.onDrain(() => {})).toThrow(refusal);
    await record.exited();
    run.release();
  });

  it("[K4] gives a text run input where it is asked for, with its output in order", async () => {
    const { run, record } = await recordRun(processPort(), {
      command: "wc -c; echo over >&2",
      hasInput: true,
    });
    const drained = new Promise<void>((resolve) => run.onDrain(resolve));
    expect(run.write(new Uint8Array(1024 * 1024))).toBe(false);
    await drained;
    run.endInput();
    expect(await record.exited()).toMatchObject({ exitCode: 0 });
    expect(record.text()).toMatch(/^\s*1048576\nover\n$/);
    expect(record.sizeBytes("error")).toBe(0);
    run.release();
  });

  it("[K12] lets a command wait while its output is held, and then gives every byte", async () => {
    const { run, record } = await recordRun(processPort(), {
      command: "head -c 3000000 /dev/zero; echo done > /dev/null",
    });
    run.hold(true);
    const heldBytes = await atRest(() => record.sizeBytes());
    expect(heldBytes).toBeLessThan(3_000_000);
    expect(record.events).not.toContain("exit");
    run.hold(false);
    expect(await record.exited()).toMatchObject({ exitCode: 0, finalOffset: 3_000_000 });
    expect(record.misplaced).toEqual([]);
    run.release();
  });

  it("[K4] gives a tty run a screen, a keyboard and an interrupt", async () => {
    const command =
      "trap 'echo caught; exit 7' INT; stty size; while read -r line; do echo got:$line; stty size; done";
    const { run, record } = await recordRun(processPort(), {
      kind: "tty",
      command,
      size: { columns: 90, rows: 20 },
    });
    await record.seen(/20 90/);
    expect(run.resize({ columns: 100, rows: 30 })).toEqual({ columns: 100, rows: 30 });
    run.write(new TextEncoder().encode("hello\n"));
    await record.seen(/got:hello\s+30 100/);
    await run.interrupt();
    expect(await record.exited()).toMatchObject({ exitCode: 7 });
    expect(() => run.resize({ columns: Number.NaN })).toThrow(
      expect.objectContaining({ code: "invalid_request", field: "columns" }),
    );
    run.release();
  });

  it("[K4] ends the input of a tty run as a keyboard does", async () => {
    const { run, record } = await recordRun(processPort(), {
      kind: "tty",
      command: "echo ready; cat; echo over",
    });
    await record.seen(/ready/);
    run.endInput();
    expect(await record.exited()).toMatchObject({ exitCode: 0 });
    expect(record.text()).toContain("over");
    run.release();
  });
}

function describeFailures(processPort: () => ProcessPort): void {
  it.each([
    [{ command: "" }, "invalid_request", "command"],
    [{ command: "true", cwd: "relative" }, "invalid_request", "cwd"],
    [{ command: "true", cwd: "/no/such/folder" }, "directory_not_found", "cwd"],
    [{ command: "true", limits: { wallClockMs: -1 } }, "invalid_request", "limits.wallClockMs"],
    [{ command: "no-such-program" }, "program_not_found", "command"],
    [{ kind: "tty", command: "no-such-program" }, "program_not_found", "command"],
    [{ kind: "stdio", command: "no-such-program" }, "program_not_found", "command"],
    [{ command: "/etc/passwd" }, "program_not_executable", "command"],
  ] as const)("[K5] refuses %j, and names what is to blame", async (request, code, field) => {
    const record = new RunRecord();
    const refused = recordRun(processPort(), request, record);
    await expect(refused).rejects.toBeInstanceOf(TerminalError);
    await expect(refused).rejects.toMatchObject({ code, field });
    expect(record.events).toEqual([]);
  });

  it("[K5] refuses arguments that are too long for the system", async () => {
    const refused = recordRun(processPort(), { command: "true", args: ["x".repeat(3_000_000)] });
    await expect(refused).rejects.toMatchObject({
      name: "TerminalError",
      code: "invalid_request",
      field: "args[0]",
    });
  });
}

function describeTrees(processPort: () => ProcessPort, toOuterPids: ToOuterPids): void {
  it.each(["text", "tty", "stdio"] as const)("[K6] ends the whole tree of a %s run", async (kind) => {
    const { run, record } = await recordRun(processPort(), { kind, command: twoChildren });
    await record.seen(/ready/);
    const pids = await toOuterPids(run, pidsIn(record.text()));
    expect(pids).toHaveLength(2);
    const members = await run.members();
    expect(members.map(({ pid }) => pid)).toEqual(expect.arrayContaining([...pids]));
    expect(await run.end(1000)).toEqual([]);
    expect([...pids, run.pid].filter(isAlive)).toEqual([]);
    expect(await record.exited()).toMatchObject({ exitCode: null, signal: "SIGTERM" });
    run.release();
  });

  it("[K6] ends a tree that does not listen when the grace is over", async () => {
    const command = "trap '' TERM HUP; sleep 1000 & echo $!; echo ready; while :; do sleep 1000; done";
    const { run, record } = await recordRun(processPort(), { command });
    await record.seen(/ready/);
    const pids = await toOuterPids(run, pidsIn(record.text()));
    expect(await run.end(100)).toEqual([]);
    expect(await record.exited()).toMatchObject({ signal: "SIGKILL" });
    expect(pids.filter(isAlive)).toEqual([]);
    run.release();
  });

  it("[K6] lists survivors after the exit, and ends them when asked", async () => {
    const { run, record } = await recordRun(processPort(), {
      command: "sleep 1000 > /dev/null 2>&1 & echo $!",
    });
    await record.ended();
    const pids = await toOuterPids(run, pidsIn(record.text()));
    expect((await run.members()).map(({ pid }) => pid)).toEqual(pids);
    expect(await run.end(1000)).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
    run.release();
  });

  it("[K7] lets survivors of a released run live", async () => {
    const { run, record } = await recordRun(processPort(), {
      command: "sleep 1000 > /dev/null 2>&1 & echo $!",
    });
    await record.ended();
    const pids = await toOuterPids(run, pidsIn(record.text()));
    run.release();
    expect(pids).toHaveLength(1);
    expect(pids.filter(isAlive)).toEqual(pids);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  });

  it("[K7] ends a run that is released while it runs, and reports nothing more of it", async () => {
    const { run, record } = await recordRun(processPort(), { command: `${twoChildren} & yes` });
    await record.seen(/ready/);
    const pids = await toOuterPids(run, pidsIn(record.text()));
    run.release();
    const { events } = record;
    const before = [...events];
    const sizeBefore = record.sizeBytes();
    run.release();
    await untilGone([...pids, run.pid]);
    expect(events).toEqual(before);
    expect(record.sizeBytes()).toBe(sizeBefore);
  });
}

function describeEnvironment(processPort: () => ProcessPort): void {
  it("[K10] builds the environment of a run for its audience", async () => {
    const request = { hasScreen: false, variables: { CHOSEN: "yes" } };
    const person = await processPort().buildEnvironment({ ...request, audience: "person" });
    const agent = await processPort().buildEnvironment({ ...request, audience: "agent-command" });
    expect(person).toMatchObject({ CHOSEN: "yes" });
    expect(person["PATH"]).toBeTypeOf("string");
    expect(agent).toMatchObject({ CHOSEN: "yes", PAGER: "cat", TERM: "dumb" });
    expect(Object.keys(agent).filter((variable) => variable.startsWith("HOLDFAST_"))).toEqual([]);
  });

  it("[K10] refuses a variable that no environment can hold", async () => {
    const bad = processPort().buildEnvironment({
      audience: "person",
      hasScreen: true,
      variables: { "A=": "x" },
    });
    await expect(bad).rejects.toMatchObject({
      name: "TerminalError",
      code: "invalid_request",
      field: "env.A=",
    });
  });
}

function describeClosing(
  makeProcessPort: () => ProcessPort | Promise<ProcessPort>,
  toOuterPids: ToOuterPids,
): void {
  it("[K8] ends every run when it closes, reports each exit and end, and starts nothing more", async () => {
    const closing = await makeProcessPort();
    const kinds = ["text", "tty", "stdio"] as const;
    const runs = await Promise.all(kinds.map((kind) => recordRun(closing, { kind, command: twoChildren })));
    await Promise.all(runs.map(({ record }) => record.seen(/ready/)));
    const inside = runs.map(({ run, record }) => toOuterPids(run, pidsIn(record.text())));
    const pids = [...runs.map(({ run }) => run.pid), ...(await Promise.all(inside)).flat()];
    await Promise.all([closing.close(500), closing.close(500)]);
    expect(pids).toHaveLength(9);
    expect(pids.filter(isAlive)).toEqual([]);
    for (const { record } of runs) expect(record.events).toEqual(["output", "exit", "end"]);
    await expect(recordRun(closing, { command: "true" })).rejects.toMatchObject({ code: "closed" });
  });

  it("[K8] leaves nothing of a run that was being started when it closed", async () => {
    const closing = await makeProcessPort();
    const record = new RunRecord();
    const starting = recordRun(closing, { command: "sleep 1000" }, record);
    const [started] = await Promise.allSettled([starting, closing.close(200)]);
    expect(started).toMatchObject({ status: "rejected", reason: { code: "closed" } });
    expect(record.events).toEqual([]);
  });
}
