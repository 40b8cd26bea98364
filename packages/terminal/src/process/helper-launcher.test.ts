// The spawn helper's life: what happens when it dies, when the host dies, and when it is not there.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { findByArgument, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { makeSpawner } from "../testing/level.ts";
import { recordRun } from "../testing/record-run.ts";
import { sharedFolder } from "./helper/fifo-folder.ts";
import { readProcessTable } from "./tree/process-table.ts";

guardLeaks();
const spawner = makeSpawner();
const portable = makeSpawner({ forkBy: "child_process" });
afterAll(async () => {
  await spawner.close();
  await portable.close();
});

describe("the spawn helper", () => {
  it("[T2] has its own session and is not moved by INT, TERM or HUP", async () => {
    const first = await recordRun(spawner, { command: "true" });
    await first.exit();
    const pid = spawner.helperPid ?? 0;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(pid, signal);
    await (await recordRun(spawner, { command: "true" })).exit();
    const row = (await readProcessTable()).find((each) => each.pid === pid);
    expect(row?.sessionId).toBe(pid);
    expect(spawner.helperPid).toBe(pid);
  });

  it("[T2] is replaced when it dies; its terminals are reported lost and what they ran is ended", async () => {
    const seconds = uniqueSeconds();
    const { exit } = await recordRun(spawner, { command: `sleep ${seconds} & sleep ${seconds}` });
    const { exit: exitInGroup } = await recordRun(spawner, {
      command: `setsid sleep ${seconds} & sleep ${seconds}`,
      tree: "process-group",
    });
    const dead = spawner.helperPid ?? 0;
    process.kill(dead, "SIGKILL");
    expect(await exit()).toMatchObject({ exitCode: null, signal: null, lost: true });
    expect((await exitInGroup()).lost).toBe(true);
    const after = await recordRun(spawner, { command: "echo", args: ["still here"] });
    await after.exit();
    expect(after.text()).toBe("still here\n");
    expect(spawner.helperPid).not.toBe(dead);
    expect(await untilGone(seconds)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("[T510] starts commands after its folder was removed", async () => {
    const fresh = makeSpawner();
    onTestFinished(() => fresh.close());
    await (await recordRun(fresh, { command: "true" })).exit();
    const owned = readdirSync(sharedFolder()).filter((name) =>
      name.startsWith(`holdfast-fifos-${fresh.helperPid}-`),
    );
    for (const name of owned) rmSync(path.join(sharedFolder(), name), { recursive: true });
    expect(owned).toHaveLength(1);
    const { exit, text } = await recordRun(fresh, { command: "echo", args: ["still here"] });
    expect((await exit()).exitCode).toBe(0);
    expect(text()).toBe("still here\n");
  });

  it("[T2] a replaced helper keeps no terminal of the host open", async () => {
    const { run, exit } = await recordRun(spawner, { kind: "tty", command: "cat" });
    process.kill(spawner.helperPid ?? 0, "SIGKILL");
    expect((await exit()).lost).toBe(true);
    run.release();
    const { exit: listed, text } = await recordRun(spawner, {
      command: `ls -l /proc/${spawner.helperPid}/fd`,
    });
    await listed();
    expect(text()).not.toContain("/dev/pt");
  });

  it("[T2] ends every tree and removes its files when the host is killed", async () => {
    const seconds = uniqueSeconds();
    const engine = fileURLToPath(new URL("../../dist/process/index.js", import.meta.url));
    const script = `import { Spawner } from ${JSON.stringify(engine)};
      const spawner = new Spawner();
      const sink = { bytes() {}, exit() {}, end() {} };
      const request = { cwd: "/tmp", env: process.env };
      for (const tree of ["auto", "process-group"]) {
        await spawner.start({ ...request, kind: "text", tree, command: "setsid sleep ${seconds} & trap '' TERM; sleep ${seconds}; sleep ${seconds}" }, sink);
        await spawner.start({ ...request, kind: "tty", tree, command: "sleep ${seconds}" }, sink);
      }
      console.log(spawner.helperPid);
      setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const helperPid = await new Promise<number>((resolve) =>
      host.stdout.once("data", (data: Buffer) => resolve(Number(data.toString()))),
    );
    expect(findByArgument(seconds).length).toBeGreaterThanOrEqual(6);
    host.kill("SIGKILL");
    expect(await untilGone(seconds)).toEqual([]);
    while (existsSync(`/proc/${helperPid}`)) await new Promise((resolve) => setImmediate(resolve));
    const left = readdirSync(sharedFolder()).filter((name) =>
      name.startsWith(`holdfast-fifos-${helperPid}-`),
    );
    expect(left).toEqual([]);
  });

  it("[T2] does not keep a program from ending", async () => {
    const engine = fileURLToPath(new URL("../../dist/process/index.js", import.meta.url));
    const script = `import { Spawner } from ${JSON.stringify(engine)};
      const spawner = new Spawner();
      const run = await spawner.start({ kind: "text", command: "true", cwd: "/tmp", env: process.env }, { bytes() {}, exit() {}, end() {} });
      await run.exited;`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    expect(await new Promise((resolve) => host.once("exit", resolve))).toBe(0);
  });
});

describe("without a helper", () => {
  it("[T2] text runs work by child_process", async () => {
    const { exit, text } = await recordRun(portable, { command: "echo out; echo err >&2; exit 4" });
    expect((await exit()).exitCode).toBe(4);
    expect(text().split("\n").toSorted()).toEqual(["", "err", "out"]);
  });

  it("[T2] stdio runs work by child_process", async () => {
    const { run, exit, text } = await recordRun(portable, {
      kind: "stdio",
      command: "tr",
      args: ["a-z", "A-Z"],
    });
    run.write(Buffer.from("loud\n"));
    run.endInput();
    await exit();
    expect(text()).toBe("LOUD\n");
  });

  it("[T2][T23] trees are ended", async () => {
    const seconds = uniqueSeconds();
    const { run, exit } = await recordRun(portable, {
      command: `setsid sleep ${seconds} & sleep ${seconds}`,
    });
    expect(await run.end(2000)).toEqual([]);
    expect((await exit()).signal).toBe("SIGTERM");
    expect(await untilGone(seconds)).toEqual([]);
  });

  it("[T2] tty runs are refused in words", async () => {
    await expect(recordRun(portable, { kind: "tty", command: "cat" })).rejects.toMatchObject({
      code: "not_supported",
      message: expect.stringContaining("not supported yet"),
    });
  });

  it("[T3] a missing program is named", async () => {
    await expect(recordRun(portable, { command: "nosuch" })).rejects.toMatchObject({
      code: "program_not_found",
    });
  });
});
