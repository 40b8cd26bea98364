// Runs of the three kinds: what the child gets, what the host reads, and that the last byte is never missing.
import { afterAll, describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { hasInnerPids, makeSpawner, testedSandbox } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";

guardLeaks();
const spawner = makeSpawner();
afterAll(() => spawner.close());

const lossRuns = process.env["HOLDFAST_LONG"] === undefined ? 20 : 500;

describe("what a child gets", () => {
  it.each(["text", "tty", "stdio"] as const)(
    "[T1] a %s run inherits no descriptor but 0, 1 and 2",
    async (kind) => {
      const { exit, text } = await recordRun(spawner, { kind, command: "ls", args: ["/proc/self/fd"] });
      await exit();
      // 3 is the directory that ls itself reads.
      expect(text().trim().split(/\s+/)).toEqual(["0", "1", "2", "3"]);
    },
  );

  it("[T6] a text run writes to a real pipe, which scripts can open by name", async () => {
    const { exit, text } = await recordRun(spawner, {
      command: "echo one > /dev/stdout; echo two > /dev/stderr; test -p /dev/stdout && echo pipe",
    });
    expect((await exit()).exitCode).toBe(0);
    expect(text()).toBe("one\ntwo\npipe\n");
  });

  it("[T6] stdout and stderr of a text run keep their order", async () => {
    const command = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done";
    const { exit, text } = await recordRun(spawner, { command });
    await exit();
    expect(text()).toBe([1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `out ${i}\nerr ${i}\n`).join(""));
  });

  it("[T6] a text run reads an empty stdin and has its own session without a terminal", async () => {
    const { run, exit, text } = await recordRun(spawner, {
      command:
        "cat; (exec < /dev/tty) 2>/dev/null && echo tty; echo $$; ps -o sid= -p $$; readlink /proc/self/fd/0",
    });
    await exit();
    const [pid = "", ...others] = text().trim().split(/\s+/);
    expect(others).toEqual([pid, "/dev/null"]);
    if (!hasInnerPids) expect(Number(pid)).toBe(run.pid);
  });

  it("[T6] the pipe of a text run blocks, as programs expect", async () => {
    const { exit, text } = await recordRun(spawner, { command: "grep flags /proc/self/fdinfo/1" });
    await exit();
    // O_NONBLOCK is 04000.
    expect(Number.parseInt(text().split(/\s+/)[1] ?? "", 8) & 0o4000).toBe(0);
  });

  it("[T7] a stdio run has three pipes, each its own", async () => {
    const { run, exit, text } = await recordRun(spawner, {
      kind: "stdio",
      command: "cat; echo to stderr >&2",
    });
    run.write(Buffer.from("to stdin\n"));
    run.endInput();
    expect((await exit()).exitCode).toBe(0);
    expect(text("output")).toBe("to stdin\n");
    expect(text("error")).toBe("to stderr\n");
  });

  it("[T7] stdin of a stdio run has back-pressure and loses nothing", async () => {
    const { run, exit, text } = await recordRun(spawner, { kind: "stdio", command: "sleep 0.2; wc -c" });
    const megabyte = Buffer.alloc(1024 * 1024, "x");
    const drained = new Promise<void>((resolve) => run.onDrain(resolve));
    expect(run.write(megabyte)).toBe(false);
    await drained;
    run.endInput();
    await exit();
    expect(text().trim()).toBe(String(megabyte.length));
  });

  it("[T7] writing to a stdio run that has ended is an error, not a crash", async () => {
    const { run, exit } = await recordRun(spawner, { kind: "stdio", command: "true" });
    await exit();
    run.release();
    expect(() => run.write(Buffer.from("late"))).toThrow(expect.objectContaining({ code: "closed" }));
  });
});

describe("a tty run", () => {
  it("[T8] has a controlling terminal of the size asked for", async () => {
    const { run, exit, text } = await recordRun(spawner, {
      kind: "tty",
      command: "tty; stty size; echo $$; ps -o sid=,tpgid= -p $$",
      size: { columns: 132, rows: 50 },
    });
    await exit();
    const [device, rows, columns, pid, session, foreground] = text().trim().split(/\s+/);
    expect(device).toMatch(/^\/dev\/pts\//);
    expect([rows, columns]).toEqual(["50", "132"]);
    expect([session, foreground]).toEqual([pid, pid]);
    if (!hasInnerPids) expect(Number(pid)).toBe(run.pid);
  });

  it("[T8] takes input, resizes and interrupts", async () => {
    const { run, exit, text, seen } = await recordRun(spawner, {
      kind: "tty",
      command:
        "trap 'stty size' WINCH; trap 'echo caught; exit 7' INT; echo ready; while :; do read -r line && echo got:$line; done",
    });
    await seen(/ready/);
    run.write(Buffer.from("hello\n"));
    await seen(/got:hello/);
    expect(run.resize({ columns: 100, rows: 30 })).toEqual({ columns: 100, rows: 30 });
    run.write(Buffer.from("\n"));
    await seen(/30 100/);
    await run.interrupt();
    run.write(Buffer.from("\n"));
    expect((await exit()).exitCode).toBe(7);
    expect(text()).toContain("caught");
  });

  it("[T8] clamps a size that no screen has and refuses what is not a number", async () => {
    const { run, exit } = await recordRun(spawner, { kind: "tty", command: "cat" });
    expect(run.resize({ columns: 1e6, rows: 0 })).toEqual({ columns: 1000, rows: 1 });
    expect(() => run.resize({ columns: Number.NaN, rows: 5 })).toThrow(
      expect.objectContaining({ code: "invalid_request", field: "columns" }),
    );
    await run.end(1000);
    expect((await exit()).signal).toMatch(/SIGTERM|SIGHUP/);
  });

  it("[T8] takes a long paste without losing a byte", async () => {
    const line = `${"0123456789".repeat(20)}\n`;
    const { run, exit, text } = await recordRun(spawner, {
      kind: "tty",
      command: "stty -echo; echo ready; head -n 1000 | md5sum",
    });
    while (!text().includes("ready")) await new Promise((resolve) => setImmediate(resolve));
    run.write(Buffer.from(line.repeat(1000)));
    await exit();
    const { exit: exited, text: expected } = await recordRun(spawner, {
      command: `yes ${line.trim()} | head -n 1000 | md5sum`,
    });
    await exited();
    expect(text().replace("ready\r\n", "").trim()).toBe(expected().trim());
  });

  it("[T8] refuses more input than it can keep for a program that does not read", async () => {
    const { run } = await recordRun(spawner, { kind: "tty", command: "stty raw -echo; sleep 60" });
    const chunk = Buffer.alloc(256 * 1024, "x");
    expect(() => {
      for (let i = 0; i < 8; i += 1) run.write(chunk);
    }).toThrow(expect.objectContaining({ code: "input_full" }));
    await run.end(1000);
  });
});

describe("the end of the output", () => {
  it.each(["text", "tty"] as const)("[T10] no run of %s loses its tail, one after another", async (kind) => {
    const end = kind === "tty" ? "20000\r\n" : "20000\n";
    for (let i = 0; i < lossRuns; i += 1) {
      const { run, exit, text, offsetsFit } = await recordRun(spawner, {
        kind,
        command: "seq",
        args: ["1", "20000"],
      });
      const { finalOffset } = await exit();
      expect(text().endsWith(end)).toBe(true);
      expect(finalOffset).toBe(kind === "tty" ? 128_894 : 108_894);
      expect(offsetsFit()).toBe(true);
      run.release();
    }
  });

  it.each(["text", "tty"] as const)(
    "[T10] no run of %s loses its tail while the host is busy and 20 run at once",
    async (kind) => {
      const busy = setInterval(() => {
        const until = performance.now() + 15;
        while (performance.now() < until);
      }, 20);
      try {
        const runs = Array.from({ length: 20 }, async () => {
          const { run, exit, text } = await recordRun(spawner, {
            kind,
            command: "seq",
            args: ["1", "20000"],
          });
          await exit();
          run.release();
          return text().length;
        });
        expect(new Set(await Promise.all(runs))).toEqual(new Set([kind === "tty" ? 128_894 : 108_894]));
      } finally {
        clearInterval(busy);
      }
    },
  );

  it("[T9] offsets are absolute, and the exit's is the last", async () => {
    const { exit, bytes, offsetsFit, events } = await recordRun(spawner, {
      command: "head -c 3000000 /dev/zero",
    });
    const { finalOffset } = await exit();
    expect(finalOffset).toBe(3_000_000);
    expect(bytes().length).toBe(3_000_000);
    expect(offsetsFit()).toBe(true);
    expect(events).toEqual(["output", "exit", "end"]);
  });

  it("[T11] a child that keeps the pipe open gets a last word, and then the exit is reported", async () => {
    const { exit, text } = await recordRun(spawner, { command: "(sleep 0.05; echo late) & echo early" });
    await exit();
    expect(text()).toBe("early\nlate\n");
  });

  it("[T11][T12] the exit does not wait for a child that stays, whose bytes still arrive", async () => {
    const { run, exit, text, ended } = await recordRun(spawner, {
      command: "(read -t 1 < /dev/zero; sleep 0.6; echo late) & echo early",
    });
    const startedMs = performance.now();
    await exit();
    expect(performance.now() - startedMs).toBeLessThan(550);
    expect(text()).toBe("early\n");
    await ended;
    expect(text()).toBe("early\nlate\n");
    run.release();
  });

  it.each(["text", "tty"] as const)(
    "[T11] the exit of a %s run does not wait for a child that never stops writing",
    async (kind) => {
      const { run, exit } = await recordRun(spawner, { kind, command: "trap '' HUP; yes & echo started" });
      const { finalOffset, exitCode } = await exit();
      expect(exitCode).toBe(0);
      // All that it writes until its exit is noticed, which takes one process more in a sandbox, and 1 MiB.
      expect(finalOffset).toBeLessThan((testedSandbox === undefined ? 8 : 64) * 1024 * 1024);
      expect((await run.members()).map((process) => process.command)).toContain("yes");
      expect(await run.end(1000)).toEqual([]);
    },
  );

  it.each([
    ["exit 3", { exitCode: 3, signal: null }],
    ["exit 255", { exitCode: 255, signal: null }],
    ["kill -TERM $$", { exitCode: null, signal: "SIGTERM" }],
    ["kill -KILL $$", { exitCode: null, signal: "SIGKILL" }],
    ["kill -SEGV $$", { exitCode: null, signal: "SIGSEGV" }],
  ])("[T12] the status of `%s` is kept", async (command, status) => {
    const { exit } = await recordRun(spawner, { command });
    expect(await exit()).toMatchObject(status);
  });
});
