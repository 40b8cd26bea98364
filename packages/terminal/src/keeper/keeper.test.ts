// The keeper's life: when it starts, what it reports, and when it ends.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { RunRecord, isAlive, recordRun, untilGone } from "../testing/run-record.ts";
import { connectTo, keeperPid, makeHome, temporaryHome } from "../testing/test-keeper.ts";
import { endKeeper, keeperStatus } from "./connect.ts";
import { PROTOCOL_VERSION } from "./message.ts";
import { findPlace } from "./place.ts";

guardLeaks();

describe.skipIf(process.platform === "win32")("a keeper's life", () => {
  it("[K720] is started by a host, in its own session, and stays when the host is killed", async () => {
    const home = makeHome();
    const keeper = fileURLToPath(new URL("../../dist/keeper/index.js", import.meta.url));
    const script = `import { connectKeeper } from ${JSON.stringify(keeper)};
      const port = await connectKeeper({ home: ${JSON.stringify(home)}, environment: {} });
      const sink = { bytes() {}, exit() {}, end() {} };
      const run = await port.start({ kind: "stdio", command: "cat", cwd: "/", env: process.env, key: "left" }, sink);
      run.write(Buffer.from("before"));
      await run.members();
      console.log(port.keeper.pid);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = (await once(host.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    host.kill("SIGKILL");
    await once(host, "close");
    const port = await connectTo(home);
    expect(port.keeper).toMatchObject({ pid, epoch: 2, protocol: PROTOCOL_VERSION });
    for (const signal of ["SIGINT", "SIGHUP"] as const) process.kill(pid, signal);
    const { runs } = await port.held();
    expect(runs).toMatchObject([{ key: "left", inputOffset: 6, hasExited: false }]);
    const record = new RunRecord();
    const run = await port.attach(runs[0]?.id ?? "", record, {});
    run.write(Buffer.from(" after"));
    await record.seen(/^before after$/);
    expect(execFileSync("ps", ["-o", "sid=", "-p", String(pid)], { encoding: "utf8" }).trim()).toBe(
      String(pid),
    );
    await port.close(200);
    await untilGone([pid]);
  });

  it("[K721] keeps its files for its user alone, and logs where the home is", async () => {
    const home = makeHome();
    const port = await connectTo(home, { version: "1.2.3" });
    const { folder, socket, lock, key, log } = findPlace(home);
    const modes = [folder, socket, lock, key, log].map((file) => (statSync(file).mode & 0o777).toString(8));
    expect(modes).toEqual(["700", "600", "600", "600", "600"]);
    expect(readFileSync(log, "utf8")).toContain("version 1.2.3");
    await port.close();
    expect(readdirSync(folder).filter((name) => !name.startsWith("enter"))).toEqual(["keeper.key"]);
  });

  it("[K721] uses a short socket in a private folder for a home with a long path", async () => {
    const { home: base } = temporaryHome();
    const home = path.join(base, "x".repeat(120));
    onTestFinished(async () => {
      await endKeeper(home, 200);
      rmSync(base, { recursive: true });
    });
    const port = await connectTo(home);
    const { socket } = findPlace(home);
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(process.platform === "darwin" ? 103 : 107);
    expect(statSync(path.dirname(socket)).mode & 0o077).toBe(0);
    const { run, record } = await recordRun(port, { command: "echo here" });
    await record.ended();
    run.release();
    await port.close();
    expect(existsSync(socket)).toBe(false);
  });

  it("[K721] is not trusted where others may enter its folder, or have its socket", async () => {
    const home = makeHome();
    const folder = path.join(home, "run");
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o755);
    await expect(connectTo(home)).rejects.toThrow(/not a folder of this user alone/);
    chmodSync(folder, 0o700);
    writeFileSync(path.join(folder, "keeper.sock"), "");
    await expect(connectTo(home)).rejects.toThrow(/not a socket of this user alone/);
    rmSync(path.join(folder, "keeper.sock"));
  });

  it.runIf(process.platform === "linux")("[K712] is small with 100 idle terminals", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const request = { kind: "tty", command: "echo prompt; exec cat" } as const;
    const runs = await Promise.all(Array.from({ length: 100 }, () => recordRun(port, request)));
    await Promise.all(runs.map(({ record }) => record.seen(/prompt/)));
    const status = await keeperStatus(home);
    expect(status?.runs).toHaveLength(100);
    expect((status?.residentBytes ?? 0) / 1024 ** 2).toBeLessThan(80);
    expect((status?.memoryBytes ?? 0) / 1024).toBeLessThan(100 * 4);
    await port.close(200);
  });

  it.runIf(process.platform === "linux")(
    "[K714] has no more memory, descriptors and files after many hosts",
    async () => {
      const home = makeHome();
      const bounds = { streamMemoryBytes: 64 * 1024 };
      const first = await connectTo(home, { bounds });
      const pid = keeperPid(first);
      const { run } = await recordRun(first, { kind: "stdio", command: "cat", whileAway: "keep" });
      const count = (folder: string): number => readdirSync(folder).length;
      const used = (): [number, number] => [
        count(path.join("/proc", String(pid), "fd")),
        count(findPlace(home).heldFolder),
      ];
      /** A host that types, starts commands of each kind, leaves some of it unread, and goes. */
      const visit = async (): Promise<void> => {
        const port = await connectTo(home, { bounds });
        const { heldFrom } = (await port.held()).runs.find(({ id }) => id === run.id) ?? {};
        const record = new RunRecord(heldFrom);
        const attached = await port.attach(run.id, record, { ...heldFrom });
        const from = heldFrom?.output ?? 0;
        attached.write(Buffer.alloc(300_000, "x"));
        await record.reached(from + 300_000);
        attached.acknowledge("output", from + 300_000, "note");
        const kinds = ["text", "tty", "stdio"] as const;
        const runs = await Promise.all(kinds.map((kind) => recordRun(port, { kind, command: "seq 1 1000" })));
        await Promise.all(runs.map((each) => each.record.ended()));
        for (const each of runs) each.run.release();
      };
      for (let host = 0; host < 5; host += 1) await visit();
      const before = used();
      const residentBefore = (await keeperStatus(home))?.residentBytes ?? 0;
      const hosts = process.env["HOLDFAST_LONG"] === undefined ? 10 : 500;
      for (let host = 0; host < hosts; host += 1) await visit();
      await expect.poll(used).toEqual(before);
      const status = await keeperStatus(home);
      expect(status).toMatchObject({ epoch: hosts + 6, runs: [{ id: run.id, note: "note" }] });
      expect((status?.residentBytes ?? 0) - residentBefore).toBeLessThan(16 * 1024 ** 2);
      await endKeeper(home, 200);
    },
    600_000,
  );

  it("[K722] reports its status to any program of its user, and its host is not disturbed", async () => {
    const home = makeHome();
    expect(await keeperStatus(home)).toBeUndefined();
    const port = await connectTo(home, { version: "9.9.9" });
    const { run, record } = await recordRun(port, { kind: "stdio", command: "cat", tag: "mine" });
    expect(await keeperStatus(home)).toMatchObject({
      protocol: PROTOCOL_VERSION,
      version: "9.9.9",
      pid: keeperPid(port),
      epoch: 1,
      hostPid: process.pid,
      runs: [{ id: run.id, tag: "mine" }],
      sandboxes: [],
    });
    run.write(Buffer.from("still"));
    await record.seen(/still/);
    await port.detach();
    expect(await keeperStatus(home)).toMatchObject({ runs: [{ id: run.id }] });
    expect((await keeperStatus(home))?.hostPid).toBeUndefined();
  });

  it("[K723] ends on request, with all that it holds, and its host hears how each run ended", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const { run, record } = await recordRun(port, { command: "sleep 1000" });
    expect(await endKeeper(home, 500)).toBe(true);
    await untilGone([run.pid, pid]);
    expect(await record.exited()).toMatchObject({ signal: "SIGTERM", lost: false });
    expect(await endKeeper(home)).toBe(false);
    // The next start finds another keeper.
    const next = await recordRun(port, { command: "echo again" });
    await next.record.ended();
    expect(next.record.text()).toBe("again\n");
    await port.close();
  });

  it("[K723] ends when it has held nothing for its idle time and has no host", async () => {
    const home = makeHome();
    const port = await connectTo(home, { idleMs: 300 });
    const pid = keeperPid(port);
    await sleep(600);
    expect(isAlive(pid)).toBe(true);
    const { run } = await recordRun(port, { command: "sleep 1000" });
    await port.detach();
    await sleep(600);
    expect(isAlive(pid)).toBe(true);
    const next = await connectTo(home, { idleMs: 300 });
    (await next.attach(run.id, new RunRecord(), {})).release();
    await next.detach();
    await untilGone([pid, run.pid]);
    expect(await keeperStatus(home)).toBeUndefined();
  });

  it("[K715] ends with all that it holds when its home was removed and no host is attached", async () => {
    const { home } = temporaryHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const { run } = await recordRun(port, { command: "sleep 1000" });
    await port.detach();
    // The keeper may write its last line meanwhile.
    await vi.waitFor(() => rmSync(home, { recursive: true, force: true }));
    await untilGone([pid, run.pid]);
    expect(existsSync(home)).toBe(false);
  });

  it("[K724] is the only one of its home: a second is refused, and hosts that start one at once share it", async () => {
    const home = makeHome();
    // One that is fenced at once may hear of it while it connects.
    const connecting = Array.from({ length: 3 }, () => connectTo(home));
    const outcomes = await Promise.allSettled(connecting);
    const ports = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect((await keeperStatus(home))?.epoch).toBe(3);
    const uses = await Promise.allSettled(connecting.map(async (port) => (await port).held()));
    const refused = uses.flatMap((use) => (use.status === "rejected" ? [use.reason as unknown] : []));
    expect(refused).toMatchObject([{ code: "fenced" }, { code: "fenced" }]);
    const refusals = (): number =>
      readFileSync(findPlace(home).log, "utf8").split("another keeper, ").length - 1;
    // Each of the three hosts has started one.
    await expect.poll(refusals).toBeGreaterThanOrEqual(2);
    const program = fileURLToPath(new URL("../../dist/keeper/main.js", import.meta.url));
    const second: ChildProcess = spawn(process.execPath, [program, home], { stdio: "ignore" });
    expect((await once(second, "exit"))[0]).toBe(3);
    expect(refusals()).toBeGreaterThanOrEqual(3);
    await Promise.all(ports.map((port) => port.detach()));
  });
});
