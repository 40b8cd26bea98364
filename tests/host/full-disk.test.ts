// A host whose disk is full: what it acknowledged is there after a kill, and it continues when there is space again.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";
import type { Heard } from "../ahp/heard.ts";
import { WireClient } from "../ahp/wire-client.ts";
import { readFrames } from "./event-reader.ts";

/** A host in a given home. */
interface Started {
  readonly pid: number;
  readonly stderr: () => string;
  call(
    method: string,
    route: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  stream(route: string, body?: object): Promise<Response>;
  /** An AHP client that has introduced itself. */
  client(): Promise<WireClient>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

async function startIn(home: string): Promise<Started> {
  const child = spawn(process.execPath, [testedProgram, "serve", "--port", "0", "--json", "--home", home], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const exited = once(child, "exit");
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => kill());
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exited.then(() => ["{}"])]);
  const { url, tokenFile } = JSON.parse(String(line)) as { url?: string; tokenFile?: string };
  if (url === undefined || tokenFile === undefined) {
    throw new Error(`The host ended before it was ready: ${stderr}`);
  }
  const token = readFileSync(tokenFile, "utf8").trim();
  const request = (method: string, route: string, body?: object): Promise<Response> =>
    fetch(url + route, {
      method,
      headers: { "content-type": "application/json", "x-api-key": token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    kill,
    stream: (route, body) => request(body === undefined ? "GET" : "POST", route, body),
    async client() {
      const client = await WireClient.open(`${url.replace(/^http/, "ws")}/ahp?tkn=${token}`);
      onTestFinished(() => client.close());
      await client.initialize();
      return client;
    },
    async call(method, route, body) {
      const response = await request(method, route, body);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

const wish = { agent_id: "shell", approvalPolicy: "approve-all" };
const full = { status: 503, body: { success: false, code: "STORAGE_UNAVAILABLE" } };

async function createSession(host: Started): Promise<string> {
  const { body } = await host.call("POST", "/sdk/acp/session", wish);
  return (body["session"] as { session_key: string }).session_key;
}

async function keysOf(host: Started): Promise<string[]> {
  const { body } = await host.call("GET", "/sdk/acp/sessions");
  return (body["sessions"] as { session_key: string }[]).map(({ session_key: key }) => key);
}

/** Every kind of change is refused; reads work. */
async function expectRefusals(host: Started, key: string): Promise<void> {
  const at = `/sdk/acp/session/${encodeURIComponent(key)}`;
  expect(await host.call("POST", "/sdk/acp/session", wish)).toMatchObject(full);
  expect(await host.call("PATCH", at, { timeoutSeconds: 60 })).toMatchObject(full);
  expect(await host.call("POST", `${at}/chat`, { message: "echo hi" })).toMatchObject(full);
  expect(await host.call("POST", `${at}/chat/stream`, { message: "echo hi" })).toMatchObject(full);
  expect(await host.call("POST", "/admin/keys", { name: "bot", scopes: ["acp.agent"] })).toMatchObject(full);
  expect(
    await host.call("POST", "/sdk/acp/terminals", { kind: "text", command: "true", cwd: tmpdir() }),
  ).toMatchObject(full);
  expect(await host.call("DELETE", at)).toMatchObject(full);
  expect(await host.call("GET", "/readyz")).toMatchObject(full);
  expect(await host.call("GET", "/healthz")).toMatchObject({ status: 200, body: { storage: "unavailable" } });
  expect(await host.call("GET", at)).toMatchObject({ status: 200 });
  expect(await keysOf(host)).toEqual([key]);
}

async function expectWorks(host: Started, key: string): Promise<void> {
  await vi.waitFor(async () => expect((await host.call("GET", "/readyz")).status).toBe(200), 10_000);
  const at = `/sdk/acp/session/${encodeURIComponent(key)}`;
  expect(await host.call("POST", `${at}/chat`, { message: "echo again" })).toMatchObject({
    status: 200,
    body: { response: { text: expect.stringContaining("again") as string } },
  });
}

function newHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-full-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/** Lets a process write no file beyond a size; undefined: any. Files that are larger already cannot grow. */
function limitFiles(pid: number, sizeBytes: number | undefined): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${sizeBytes ?? "unlimited"}:unlimited`]);
}

describe.skipIf(!hasPrlimit)("a host that may write no more (any user, by a limit on files)", () => {
  it(
    "[D260][D261][O6] refuses changes, fails the turn that runs, logs once, and recovers",
    { timeout: 60_000 },
    async () => {
      const home = newHome();
      const host = await startIn(home);
      const key = await createSession(host);
      const at = `/sdk/acp/session/${encodeURIComponent(key)}`;
      const response = await host.stream(`${at}/chat/stream`, { message: "echo begun; sleep 600" });
      const frames = readFrames(response)[Symbol.asyncIterator]();
      let seen = "";
      while (!seen.includes("begun")) seen += (await frames.next()).value?.text ?? "";
      limitFiles(host.pid, statSync(path.join(home, "holdfast.db-wal")).size);
      expect(await host.call("PATCH", at, { timeoutSeconds: 60 })).toMatchObject(full);
      for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
        seen += next.value.text;
      }
      expect(seen).toContain("STORAGE_UNAVAILABLE");
      await expectRefusals(host, key);
      limitFiles(host.pid, undefined);
      await expectWorks(host, key);
      const lines = host.stderr().trim().split("\n");
      expect(lines.filter((line) => line.includes("cannot be recorded"))).toHaveLength(1);
      expect(lines.length).toBeLessThan(8);
    },
  );

  it(
    "[D260] an AHP client gets the typed error for a request and a dispatch, and the first one after it succeeds",
    { timeout: 60_000 },
    async () => {
      const home = newHome();
      const host = await startIn(home);
      const client = await host.client();
      const create = (channel: string): Promise<Heard> =>
        client.ask("createSession", { channel, provider: "shell", workingDirectories: [`file://${home}`] });
      expect(await create("shell:/one")).toMatchObject({ result: null });
      await client.subscribe("shell:/one");
      const rename = (title: string): number =>
        client.dispatch({ type: "session/titleChanged", title }, "shell:/one");
      limitFiles(host.pid, 4096);
      const unavailable = { code: -32_030, data: { code: "STORAGE_UNAVAILABLE", retryable: true } };
      // The first failing commit is the one that shows it; from then on nothing is begun.
      expect((await create("shell:/first")).error).toMatchObject(unavailable);
      expect((await create("shell:/two")).error).toMatchObject(unavailable);
      const refusedSeq = rename("Refused");
      const refused = await client.notified(({ params }) => params?.origin?.clientSeq === refusedSeq);
      expect(refused.params?.rejectionReason).toMatch(/^STORAGE_UNAVAILABLE: /);
      limitFiles(host.pid, undefined);
      const takenSeq = rename("Taken");
      const taken = await client.notified(({ params }) => params?.origin?.clientSeq === takenSeq);
      expect(taken.params?.rejectionReason).toBeUndefined();
      expect(await create("shell:/two")).toMatchObject({ result: null });
      await host.kill();
      const next = await (await startIn(home)).client();
      expect(await next.subscribe("shell:/one")).toMatchObject({ state: { title: "Taken" } });
      await next.subscribe("shell:/two");
    },
  );

  it(
    "[D411] output of a terminal that could not be kept is reported as missing to everyone who reads it later",
    { timeout: 60_000 },
    async () => {
      const home = newHome();
      const host = await startIn(home);
      const go = path.join(home, "go");
      const command = `printf 'kept\\n'; until [ -e '${go}' ]; do sleep 0.05; done; seq 100000 199999`;
      const { body } = await host.call("POST", "/sdk/acp/terminals", { kind: "text", command, cwd: home });
      const { id } = body["terminal"] as { id: string };
      const at = `/sdk/acp/terminals/${id}`;
      const read = async (from: Started): Promise<Record<string, unknown>> =>
        (await from.call("GET", `${at}/output`)).body["output"] as Record<string, unknown>;
      await vi.waitFor(async () => expect(await read(host)).toMatchObject({ text: "kept\n" }), 10_000);
      limitFiles(host.pid, 4096);
      writeFileSync(go, "");
      const endOffset = 5 + 700_000;
      await vi.waitFor(
        async () => expect(await read(host)).toMatchObject({ lifecycle: { status: "exited" }, endOffset }),
        10_000,
      );
      // What still waits in memory may be written later; this much is lost.
      await vi.waitFor(() => expect(host.stderr()).toContain("EFBIG"), 10_000);
      limitFiles(host.pid, undefined);
      await vi.waitFor(async () => expect((await host.call("GET", "/readyz")).status).toBe(200), 10_000);
      await host.kill();
      const next = await startIn(home);
      expect(await read(next)).toMatchObject({ truncated: true, endOffset });
      let events = "";
      for await (const { text } of readFrames(await next.stream(`${at}/stream`))) events += text;
      const skipped = [...events.matchAll(/"skippedBytes":(\d+)/g)].map(([, count]) => Number(count));
      expect(skipped.length).toBeGreaterThan(0);
      const client = await next.client();
      const content = JSON.stringify(await client.subscribe(`ahp-terminal:/${id}`));
      expect(content).toContain(`[${skipped.at(-1)} bytes of output could not be kept]`);
    },
  );
});

/** A small separate disk for a test; only root can have one. */
function mountSmall(size = "4m"): { readonly folder: string; fill(): void; free(): void } | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-small-"));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]).status !== 0) {
    return undefined;
  }
  const filler = path.join(folder, "filler");
  return {
    folder,
    fill: () => {
      try {
        for (let piece = 0; ; piece += 1) writeFileSync(`${filler}-${piece}`, Buffer.alloc(4096));
      } catch {
        // Full.
      }
    },
    free: () => void spawnSync("sh", ["-c", `rm -f "$1"-*`, "sh", filler]),
  };
}

const canMount = (() => {
  const disk = mountSmall();
  if (disk === undefined) return false;
  spawnSync("umount", [disk.folder]);
  rmSync(disk.folder, { recursive: true });
  return true;
})();

describe.skipIf(!canMount)("a host on a full disk (root, on a small tmpfs)", () => {
  function smallDisk(size?: string): NonNullable<ReturnType<typeof mountSmall>> {
    const disk = mountSmall(size);
    if (disk === undefined) throw new Error("no small disk");
    onTestFinished(() => {
      spawnSync("umount", ["-l", disk.folder]);
      rmSync(disk.folder, { recursive: true, force: true });
    });
    return disk;
  }

  it(
    "[D260] keeps what it acknowledged and nothing else over a kill, and works again when there is space",
    { timeout: 90_000 },
    async () => {
      const disk = smallDisk();
      const home = path.join(disk.folder, "home");
      const first = await startIn(home);
      const key = await createSession(first);
      disk.fill();
      await expectRefusals(first, key);
      await first.kill();
      disk.free();
      const second = await startIn(home);
      expect(await keysOf(second)).toEqual([key]);
      disk.fill();
      await expectRefusals(second, key);
      disk.free();
      await expectWorks(second, key);
    },
  );

  it("[D265] a repair without space leaves everything as it was", { timeout: 60_000 }, async () => {
    const disk = smallDisk("16m");
    const home = path.join(disk.folder, "home");
    const file = path.join(home, "holdfast.db");
    const host = await startIn(home);
    const at = `/sdk/acp/session/${encodeURIComponent(await createSession(host))}`;
    const message = `echo ${"x".repeat(40_000)}`;
    for (let count = 0; count < 6; count += 1) await host.call("POST", `${at}/chat`, { message });
    await host.kill("SIGTERM");
    const damaged = readFileSync(file);
    // Roots of indexes and small tables, which are made first; what fills the disk is behind them.
    damaged.fill(0xff, 14 * 4096, 16 * 4096);
    writeFileSync(file, damaged);
    disk.fill();
    // Space for the tables of the new database and not for all rows.
    for (let piece = 0; piece < 70; piece += 1) rmSync(`${disk.folder}/filler-${piece}`, { force: true });
    const words = [testedProgram, "doctor", "--repair", "--home", home];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/free space/i);
    expect(readFileSync(file).equals(damaged)).toBe(true);
    disk.free();
    expect(spawnSync(process.execPath, words).status).toBe(0);
    expect(await keysOf(await startIn(home))).not.toHaveLength(0);
  });

  it(
    "[C261] a start on it ends in a sentence with the path and what to do",
    { timeout: 60_000 },
    async () => {
      const disk = smallDisk();
      const home = path.join(disk.folder, "home");
      mkdirSync(home, { mode: 0o700 });
      disk.fill();
      const { status, stderr } = spawnSync(
        process.execPath,
        [testedProgram, "serve", "--port", "0", "--home", home],
        {
          encoding: "utf8",
        },
      );
      expect(status).toBe(2);
      expect(stderr).toContain(home);
      expect(stderr).toMatch(/no space left|disk is full/i);
      expect(stderr).toMatch(/free space/i);
      expect(stderr).not.toMatch(/\\n\s*at |\n\s+at /);
    },
  );

  it("[C862] a command that starts a host on it names the reason, the home and what to do", () => {
    const disk = smallDisk();
    const home = path.join(disk.folder, "home");
    mkdirSync(home, { mode: 0o700 });
    disk.fill();
    const { status, stderr } = spawnSync(process.execPath, [testedProgram, "ls", "--json", "--home", home], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "NO_SPACE_LEFT",
        message: `The host did not start: there is no space left on the disk of its home ${home} (ENOSPC).`,
        remedy: "Free space there, or name a home on another disk with --home.",
        exitCode: 2,
      },
    });
    expect(readdirSync(home)).toEqual(["host.log"]);
  });

  it("[C875] a home on a read-only file system is reported with that reason", () => {
    const disk = smallDisk();
    execFileSync("mount", ["-o", "remount,ro", disk.folder]);
    const home = path.join(disk.folder, "a", "home");
    for (const command of ["exec", "serve"]) {
      const words = [testedProgram, command, "--home", home, ...(command === "exec" ? ["true"] : [])];
      const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
      expect({ command, stderr }).toMatchObject({ stderr: expect.stringContaining("(EROFS)") as unknown });
      expect(stderr).toContain(home);
      expect(status).toBe(2);
    }
  });
});
