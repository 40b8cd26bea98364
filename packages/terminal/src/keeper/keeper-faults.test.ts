// The keeper's faults: it is killed, its files or its hosts fail, or a stranger connects.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readCommandLine, readProcessTable } from "../process/tree/process-table.ts";
import { exchange, hello } from "../testing/keeper-frames.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { RunRecord, attachAcknowledging, isAlive, recordRun, untilGone } from "../testing/run-record.ts";
import { connectTo, keeperPid, makeHome } from "../testing/test-keeper.ts";
import { endKeeper, keeperStatus } from "./connect.ts";
import { FRAME, MAX_FRAME_BYTES, encodeHeader, encodeJson } from "./frame.ts";
import { PROTOCOL_VERSION } from "./message.ts";
import { findPlace } from "./place.ts";

guardLeaks();

describe.skipIf(process.platform === "win32")("a keeper's faults", () => {
  it("[K730] a sink that throws is reported, and nothing else is affected", async () => {
    const home = makeHome();
    const faults: unknown[] = [];
    const port = await connectTo(home, { onFault: (error) => void faults.push(error) });
    const fault = new Error("a fault of the sink");
    const throwing = (): void => {
      throw fault;
    };
    const command = { kind: "text", command: "echo out", cwd: "/", env: {} } as const;
    await new Promise<void>((resolve) => {
      void port.start(command, { bytes: throwing, exit: throwing, end: resolve });
    });
    expect(faults).toEqual([fault, fault]);
    const { record } = await recordRun(port, { command: "echo out" });
    await record.ended();
    expect(record.text()).toBe("out\n");
    await port.close();
  });

  it("[K731] a connection that the keeper closed: what was reported as lost is ended, sandboxes stay", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const { run, record } = await recordRun(port, { command: "exec sleep 600" });
    const lost = new Promise<void>((resolve) => port.onLost(resolve));
    // No frame of this protocol has such an offset.
    run.acknowledge("output", -1);
    await lost;
    expect(await record.exited()).toMatchObject({ lost: true });
    await port.connect();
    expect(keeperPid(port)).toBe(pid);
    await untilGone([run.pid]);
    expect((await port.held()).runs).toEqual([]);
    await port.close();
  });

  it("[K725] killed: runs are lost, their processes are ended, another keeper is started", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    let losses = 0;
    port.onLost(() => (losses += 1));
    const kinds = ["text", "tty", "stdio"] as const;
    const runs = await Promise.all(
      kinds.map((kind) => recordRun(port, { kind, command: "echo ready; setsid sleep 1000 & sleep 1000" })),
    );
    await Promise.all(runs.map(({ record }) => record.seen(/ready/)));
    const members = (await Promise.all(runs.map(({ run }) => run.members()))).flat().map((each) => each.pid);
    expect(members.length).toBeGreaterThanOrEqual(6);
    process.kill(pid, "SIGKILL");
    for (const { run, record } of runs) {
      const finalOffset = run.kind === "tty" ? 7 : 6;
      expect(await record.exited()).toMatchObject({ exitCode: null, signal: null, lost: true, finalOffset });
      await record.ended();
      expect(await run.end(0)).toEqual([]);
      run.release();
    }
    await untilGone(members);
    const next = await recordRun(port, { command: "echo again" });
    await next.record.ended();
    expect([next.record.text(), losses]).toEqual(["again\n", 1]);
    expect(keeperPid(port)).not.toBe(pid);
    await port.close();
  });

  it("[K725] killed together with its helper: the next keeper ends what they left", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const { run } = await recordRun(port, {
      tree: "process-group",
      command: "setsid sleep 1000 & sleep 1000",
    });
    const group = await recordRun(port, { command: "setsid sleep 1000 & sleep 1000" });
    await port.detach();
    const other = await connectTo(home);
    const attached = await other.attach(run.id, new RunRecord(), {});
    const ids = [attached, await other.attach(group.run.id, new RunRecord(), {})];
    const members = (await Promise.all(ids.map((each) => each.members()))).flat().map((each) => each.pid);
    await other.detach();
    const helper = (await readProcessTable())
      .filter(({ parentPid }) => parentPid === pid)
      .map((row) => row.pid);
    expect(helper.map((each) => readCommandLine(each)).join(" ")).toContain("helper/main.js");
    // Else the helper could see the end of the keeper and end its runs first.
    for (const each of helper) process.kill(each, "SIGSTOP");
    for (const each of [pid, ...helper]) process.kill(each, "SIGKILL");
    await untilGone([pid, ...helper]);
    expect(members.filter(isAlive).length).toBeGreaterThan(0);
    const next = await connectTo(home);
    // Cgroups are looked for with the first run.
    await (await recordRun(next, { command: "true" })).record.ended();
    await untilGone(members);
    expect((await next.held()).runs).toHaveLength(1);
    await next.close();
  });

  it("[K725] killed during a start: the start fails as lost, and the sink hears nothing", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const record = new RunRecord();
    process.kill(pid, "SIGSTOP");
    const starting = recordRun(port, { command: "sleep 1000" }, record);
    await sleep(50);
    process.kill(pid, "SIGKILL");
    await expect(starting).rejects.toMatchObject({ name: "TerminalError", code: "lost" });
    expect(record.events).toEqual([]);
    await port.close();
  });

  it("[K725] killed while it ends a run: the run is lost, and nothing is left to end", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const pid = keeperPid(port);
    const { run, record } = await recordRun(port, { command: "exec sleep 1000" });
    process.kill(pid, "SIGSTOP");
    const ending = Promise.all([run.members(), run.end(0)]);
    process.kill(pid, "SIGKILL");
    expect(await ending).toEqual([[], []]);
    expect(await record.exited()).toMatchObject({ lost: true });
    await untilGone([run.pid]);
    await port.close();
  });

  it("[K732] killed, and its host closed at once: no keeper is left that nobody knows of", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const started: ChildProcess[] = [];
    const note = (message: unknown): void =>
      void started.push((message as { readonly process: ChildProcess }).process);
    subscribe("child_process", note);
    onTestFinished(() => void unsubscribe("child_process", note));
    const lost = new Promise<void>((resolve) => port.onLost(resolve));
    process.kill(keeperPid(port), "SIGKILL");
    await lost;
    await port.close();
    await endKeeper(home, 0);
    expect(started).toHaveLength(1);
    await untilGone(started.map(({ pid = 0 }) => pid));
  });

  it("[K726] with a deleted socket serves its host, and makes the socket again for the next", async () => {
    const home = makeHome();
    const first = await connectTo(home);
    const { run, record } = await recordRun(first, { kind: "stdio", command: "cat" });
    rmSync(findPlace(home).socket);
    run.write(Buffer.from("one"));
    await record.seen(/one/);
    const second = await connectTo(home);
    expect(keeperPid(second)).toBe(keeperPid(first) || second.keeper?.pid);
    const again = new RunRecord();
    const attached = await second.attach(run.id, again, {});
    attached.write(Buffer.from(" two"));
    await again.seen(/^one two$/);
    await second.close(200);
  });

  it("[K727] makes runs wait for a host that stops reading, and loses nothing when it reads again", async () => {
    const home = makeHome();
    const keeper = fileURLToPath(new URL("../../dist/keeper/index.js", import.meta.url));
    const count = 3_000_000;
    const script = `import { connectKeeper } from ${JSON.stringify(keeper)};
      const port = await connectKeeper({ home: ${JSON.stringify(home)}, environment: {} });
      let total = 0, misplaced = 0;
      const sink = {
        bytes(stream, bytes, offset) { if (offset !== total) misplaced += 1; total = offset + bytes.length; },
        exit(exit) { console.log(JSON.stringify({ total, misplaced, ...exit })); },
        end() { port.close(); },
      };
      const request = { kind: "text", command: "seq", args: ["1", "${count}"], cwd: "/", env: process.env };
      const run = await port.start(request, sink);
      console.log(run.pid);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    host.stdout.on("data", (text: Buffer) => (said += text.toString()));
    await expect.poll(() => said).toContain("\n");
    const pid = Number.parseInt(said, 10);
    host.kill("SIGSTOP");
    const held = async (): Promise<number | undefined> => (await keeperStatus(home))?.memoryBytes;
    // What is on its way is read ahead; then the command waits.
    await sleep(500);
    const heldBytes = await held();
    await sleep(process.env["HOLDFAST_LONG"] === undefined ? 1500 : 60_000);
    expect([isAlive(pid), await held()]).toEqual([true, heldBytes]);
    host.kill("SIGCONT");
    await once(host, "close");
    const exit = JSON.parse(said.split("\n")[1] ?? "") as Record<string, unknown>;
    expect(exit).toMatchObject({ total: 22_888_896, misplaced: 0, exitCode: 0, finalOffset: 22_888_896 });
  }, 120_000);

  it("[K728] refuses a host of another protocol version, and says what to do; status and end still work", async () => {
    const home = makeHome();
    const port = await connectTo(home, { version: "0.9.0" });
    const [refusal] = await exchange(home, hello(home, { protocol: PROTOCOL_VERSION + 1 }));
    expect(refusal).toMatchObject({ type: FRAME.refused, value: { failure: { code: "keeper_version" } } });
    // The host that is attached is not disturbed.
    expect((await port.held()).runs).toEqual([]);
    const status = await exchange(home, hello(home, { protocol: 99, purpose: "status" }));
    expect(status).toMatchObject([{ type: FRAME.welcome, value: { version: "0.9.0" } }]);
    await exchange(home, hello(home, { protocol: 99, purpose: "end" }));
    await untilGone([status[0] === undefined ? 0 : (status[0].value as { pid: number }).pid]);
  });

  it("[K728] a host that finds an older keeper names it and the way out", async () => {
    const home = makeHome();
    const { socket } = findPlace(home);
    // An old keeper, as far as the handshake goes.
    const old = createServer((connection) => {
      connection.once("data", () => {
        const failure = { code: "keeper_version", message: "keeper 0.1.0 speaks protocol 0" };
        for (const part of encodeJson(FRAME.refused, 0, { failure, version: "0.1.0", pid: 4711 })) {
          connection.write(part);
        }
        connection.end();
      });
    }).listen(socket);
    await once(old, "listening");
    chmodSync(socket, 0o600);
    await expect(connectTo(home)).rejects.toMatchObject({
      name: "TerminalError",
      code: "keeper_version",
      message: expect.stringMatching(/version 0\.1\.0, PID 4711.*holdfast stop --all/) as string,
    });
    old.close();
    await once(old, "close");
  });

  it("[K728][K733] refuses programs of versions without a key, and names itself and the way out", async () => {
    const home = makeHome();
    const port = await connectTo(home, { version: "0.9.0" });
    const pid = keeperPid(port);
    const message = expect.stringMatching(`version 0\\.9\\.0, PID ${pid}\\).* kill ${pid}$`) as string;
    for (const purpose of ["host", "status", "end"]) {
      for (const key of [undefined, "", "0".repeat(64), 7, null]) {
        const [refusal, ...more] = await exchange(home, hello(home, { purpose, key }));
        expect(more).toEqual([]);
        const value = { failure: { code: "denied", message } };
        expect(refusal).toMatchObject({ type: FRAME.refused, value });
      }
    }
    expect((await port.held()).runs).toEqual([]);
    await port.close();
  });

  it("[K728][K733] a keeper of a version without a key is found and ended", async () => {
    const home = makeHome();
    const { socket } = findPlace(home);
    const hellos: object[] = [];
    const old = createServer((connection) => {
      connection.once("data", (bytes) => {
        hellos.push(JSON.parse(bytes.subarray(18).toString()) as object);
        for (const part of encodeJson(FRAME.welcome, 0, { version: "0.1.0" })) connection.write(part);
        connection.end();
      });
    }).listen(socket);
    await once(old, "listening");
    chmodSync(socket, 0o600);
    expect(await keeperStatus(home)).toEqual({ version: "0.1.0" });
    expect(await endKeeper(home)).toBe(true);
    expect(hellos).toMatchObject([{ purpose: "status" }, { purpose: "end" }]);
    // A key that a later keeper has left does no harm: such a keeper ignores it.
    writeFileSync(findPlace(home).key, "0".repeat(64));
    expect(await keeperStatus(home)).toEqual({ version: "0.1.0" });
    old.close();
    await once(old, "close");
  });

  it("[K733] makes a deleted key again, and a new one where it is no key", async () => {
    const home = makeHome();
    const { key: file } = findPlace(home);
    writeFileSync(file, "");
    const pid = keeperPid(await connectTo(home));
    const key = readFileSync(file, "latin1");
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(file);
    await vi.waitFor(() => expect(readFileSync(file, "latin1")).toBe(key), 10_000);
    const second = await connectTo(home);
    expect(keeperPid(second)).toBe(pid);
    await second.close();
  });

  const garbage: readonly (readonly [string, (home: string) => readonly Uint8Array[]])[] = [
    ["no hello", () => [encodeHeader(FRAME.credit, 0, 1)]],
    ["text", () => [Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")]],
    ["a frame of 4 GiB", (home) => [...hello(home), encodeHeader(FRAME.request, MAX_FRAME_BYTES + 1, 0)]],
    ["an unknown type", (home) => [...hello(home), encodeHeader(200, 0, 0)]],
    ["no JSON", (home) => [...hello(home), encodeHeader(FRAME.request, 2, 0), Buffer.from("{]")]],
    ["no object", (home) => [...hello(home), ...encodeJson(FRAME.request, 0, null)]],
    [
      "an unknown request",
      (home) => [...hello(home), ...encodeJson(FRAME.request, 0, { do: "what", reply: 1 })],
    ],
    [
      "an unknown run",
      (home) => [...hello(home), ...encodeJson(FRAME.request, 7, { do: "members", reply: 1 })],
    ],
    [
      "an endless offset",
      (home) => [...hello(home), encodeHeader(FRAME.acknowledge, 0, 1, "output", Infinity)],
    ],
    ["bytes", (home) => [...hello(home), encodeHeader(FRAME.bytes, 1, 1), Buffer.from("x")]],
    ["another home", (home) => hello(home, { home: "/elsewhere" })],
  ];
  it("[K729] closes a connection that sends what it must not, and holds what it held", async () => {
    const home = makeHome();
    const port = await connectTo(home);
    const { run } = await recordRun(port, { kind: "stdio", command: "cat" });
    await port.detach();
    for (const [name, send] of garbage) {
      const frames = await exchange(home, send(home));
      const refusal = { type: FRAME.refused, value: { failure: { code: "invalid_request" } } };
      expect([name, frames.at(-1)]).toMatchObject([name, refusal]);
      expect((await keeperStatus(home))?.runs).toMatchObject([{ id: run.id, hasExited: false }]);
    }
  });

  it.runIf(process.getuid?.() === 0 && process.platform === "linux")(
    "[K705] on a full disk a run that keeps all waits at what memory holds, and continues when there is room",
    async () => {
      const home = makeHome();
      const folder = path.join(home, "run");
      mkdirSync(folder, { mode: 0o700 });
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", folder]);
      const bounds = { streamMemoryBytes: 256 * 1024 };
      const port = await connectTo(home, { bounds });
      const pid = keeperPid(port);
      onTestFinished(async () => {
        await endKeeper(home, 200);
        await untilGone([pid]);
        execFileSync("umount", [folder]);
      });
      const command = "read -r go; seq 1 1000000";
      const request = { command, hasInput: true } as const;
      const kept = await recordRun(port, { ...request, whileAway: "keep" });
      const tail = await recordRun(port, request);
      for (const { run } of [kept, tail]) run.write(Buffer.from("go\n"));
      await Promise.all([kept, tail].map(({ run }) => run.members()));
      await port.detach();
      await untilGone([tail.run.pid]);
      await sleep(300);
      expect(isAlive(kept.run.pid)).toBe(true);
      const expected = Array.from({ length: 1_000_000 }, (_, index) => `${index + 1}\n`).join("");
      const next = await connectTo(home, { bounds });
      for (const { run } of [kept, tail]) {
        const held = (await next.held()).runs.find(({ id }) => id === run.id);
        const from = held?.heldFrom.output ?? 0;
        const record = new RunRecord({ output: from });
        const attached = await attachAcknowledging(next, run.id, record, from);
        await record.ended();
        expect([record.text() === expected.slice(from), record.misplaced]).toEqual([true, []]);
        expect(from > 0).toBe(run === tail.run);
        attached.release();
      }
      await next.close();
    },
    60_000,
  );
});
