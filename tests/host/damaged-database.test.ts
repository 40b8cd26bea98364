// A host on a database that is damaged, emptied or gone: it works, or it ends in a sentence, and a repair makes it start.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** Another Node to try, such as one with another driver for SQLite. */
const node = process.env["HOLDFAST_TEST_NODE"] ?? process.execPath;
const damagedCode = 10;

/** How a start went. */
interface StartOutcome {
  readonly isReady: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Returned by a test whose host ends without being stopped. */
const endsWithoutStop = Symbol("ends without being stopped");

/** Starts a host, has something done with it, and stops it. */
async function startIn(
  home: string,
  words: readonly string[] = [],
  use: (url: string, token: string) => Promise<unknown> = async () => undefined,
): Promise<StartOutcome> {
  const child = spawn(node, [testedProgram, "serve", "--port", "0", "--json", "--home", home, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (!stdout.endsWith("\n")) return;
    const { url, tokenFile } = JSON.parse(stdout) as { url: string; tokenFile: string };
    void use(url, readFileSync(tokenFile, "utf8").trim()).then(
      (result) => result !== endsWithoutStop && child.kill(),
    );
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { isReady: stdout !== "", code, signal, stderr };
}

function post(url: string, token: string, route: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json", "x-api-key": token };
  return fetch(url + route, { method: "POST", headers, body: JSON.stringify(body) }).then((each) =>
    each.json(),
  );
}

/** Some sessions with turns, a terminal and a key. */
async function fill(url: string, token: string): Promise<void> {
  await post(url, token, "/admin/keys", { name: "bot", scopes: ["acp.agent"] });
  for (let count = 0; count < 3; count += 1) {
    const wish = { agent_id: "shell", approvalPolicy: "approve-all", cwd: tmpdir() };
    const { session } = (await post(url, token, "/sdk/acp/session", wish)) as {
      session: { session_key: string };
    };
    const route = `/sdk/acp/session/${encodeURIComponent(session.session_key)}/chat`;
    for (const message of ["seq 200", "seq 100"]) await post(url, token, route, { message });
  }
}

function repair(home: string): { readonly status: number | null; readonly outcome: Record<string, unknown> } {
  const words = [testedProgram, "doctor", "--repair", "--json", "--home", home];
  const { status, stdout, stderr } = spawnSync(node, words, { encoding: "utf8", timeout: 120_000 });
  return { status, outcome: JSON.parse(status === 0 ? stdout : stderr) as Record<string, unknown> };
}

describe("the database of a home", { timeout: 600_000 }, () => {
  /** A home as a host left it that was stopped in order. */
  let model: string;

  beforeAll(async () => {
    model = mkdtempSync(path.join(tmpdir(), "holdfast-model-"));
    const { isReady, code, stderr } = await startIn(model, [], fill);
    expect({ isReady, code, stderr }).toMatchObject({ isReady: true, code: 0 });
  }, 120_000);
  afterAll(() => rmSync(model, { recursive: true, force: true }));

  function copyOfModel(): { readonly home: string; readonly file: string } {
    const home = mkdtempSync(path.join(tmpdir(), "holdfast-damaged-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    cpSync(model, home, { recursive: true });
    return { home, file: path.join(home, "holdfast.db") };
  }

  function expectSentence({ isReady, code, signal, stderr }: StartOutcome, file: string): void {
    expect({ isReady, code, signal }).toEqual({ isReady: false, code: damagedCode, signal: null });
    expect(stderr).toContain(file);
    expect(stderr).toContain("holdfast doctor --repair");
    expect(stderr).not.toMatch(/\n\s+at |panicked/);
  }

  // The first has to be repaired, the third works.
  const seeds = isLong ? Array.from({ length: 60 }, (_, index) => index + 1) : [1, 3];
  it.each(seeds)(
    "[D264][D265][D410][C260] flipped bytes (seed %i): it works, or says so and is repaired",
    async (seed) => {
      const { home, file } = copyOfModel();
      const bytes = readFileSync(file);
      const random = randomFrom(seed);
      for (let count = 0; count < 20; count += 1) bytes[random(bytes.length)] = random(256);
      writeFileSync(file, bytes);
      const first = await startIn(home);
      if (first.isReady && first.code === 0) return;
      expectSentence(first, file);
      const { status, outcome } = repair(home);
      expect({ status, kind: outcome["kind"] }).toEqual({ status: 0, kind: "repaired" });
      const setAside = readdirSync(home).find((name) => /^holdfast\.db\.damaged-\d{8}T\d{6}Z$/.test(name));
      expect(readFileSync(path.join(home, setAside ?? "not set aside")).equals(bytes)).toBe(true);
      expect(await startIn(home)).toMatchObject({ isReady: true, code: 0 });
    },
  );

  it("[D410] the log of a killed host is neither merged nor lost before a damaged database is set aside", async () => {
    const { home, file } = copyOfModel();
    await startIn(home, [], async (url, token) => {
      await post(url, token, "/admin/keys", { name: "late", scopes: ["acp.agent"] });
      const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
      process.kill(pid, "SIGKILL");
    });
    const damaged = readFileSync(file);
    damaged.fill(0xff, damaged.length - 3 * 4096, damaged.length - 4096);
    writeFileSync(file, damaged);
    const log = readFileSync(`${file}-wal`);
    expect(log.length).toBeGreaterThan(0);
    const expectUnchanged = (name: string): void => {
      expect(readFileSync(name).equals(damaged)).toBe(true);
      expect(readFileSync(`${name}-wal`).equals(log)).toBe(true);
    };
    expectSentence(await startIn(home), file);
    expectUnchanged(file);
    spawnSync(node, [testedProgram, "doctor", "--home", home]);
    expectUnchanged(file);
    const { status, outcome } = repair(home);
    expect({ status, kind: outcome["kind"] }).toEqual({ status: 0, kind: "repaired" });
    expectUnchanged((outcome["repair"] as { setAside: string }).setAside);
  });

  it("[D410] an emptied database keeps its log", async () => {
    const { home, file } = copyOfModel();
    truncateSync(file);
    writeFileSync(`${file}-wal`, "all that is left");
    expectSentence(await startIn(home), file);
    expect(repair(home).status).toBe(damagedCode);
    expect(readFileSync(`${file}-wal`, "utf8")).toBe("all that is left");
  });

  it("[D264] a version that does not match the tables is damage, and is repaired", async () => {
    const { home, file } = copyOfModel();
    const bytes = readFileSync(file);
    bytes.writeUInt32BE(1, 60);
    writeFileSync(file, bytes);
    expectSentence(await startIn(home), file);
    expect(repair(home)).toMatchObject({ status: 0, outcome: { repair: { sessions: { recovered: 3 } } } });
    expect(await startIn(home)).toMatchObject({ isReady: true, code: 0 });
  });

  it("[D265] a repair gives back everything that one damaged page does not hold, also without the first page", async () => {
    const { home, file } = copyOfModel();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 0, 4096);
    writeFileSync(file, bytes);
    expectSentence(await startIn(home), file);
    const { outcome } = repair(home);
    expect(outcome).toMatchObject({
      kind: "repaired",
      repair: { sessions: { recovered: 3, lost: 0 }, settings: { lost: 0 }, emptiedChats: 0, lostLogRows: 0 },
    });
    let sessions: unknown[] = [];
    const outcomeOfStart = await startIn(home, [], async (url, token) => {
      const response = await fetch(`${url}/sdk/acp/sessions`, { headers: { "x-api-key": token } });
      ({ sessions } = (await response.json()) as { sessions: unknown[] });
    });
    expect(outcomeOfStart).toMatchObject({ isReady: true, code: 0 });
    expect(sessions).toHaveLength(3);
  });

  it("[D265] a sound database is left as it is", () => {
    const { home, file } = copyOfModel();
    const before = readFileSync(file);
    expect(repair(home)).toMatchObject({ status: 0, outcome: { kind: "sound" } });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  // The short form starts on an emptied one where its log is at stake.
  it.each(isLong ? ["removed", "emptied"] : ["removed"])(
    "[C260] a database that was %s is no empty start, unless that is asked for",
    async (how) => {
      const { home, file } = copyOfModel();
      if (how === "removed") rmSync(file);
      else truncateSync(file);
      for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
      const refused = await startIn(home);
      expectSentence(refused, file);
      expect(refused.stderr).toMatch(/backup.*--start-empty/);
      expect(repair(home).status).toBe(damagedCode);
      expect(await startIn(home, ["--start-empty"])).toMatchObject({ isReady: true, code: 0 });
    },
  );

  it("[C260] a sound database is not given up for --start-empty", async () => {
    const { home, file } = copyOfModel();
    expect(await startIn(home, ["--start-empty"])).toMatchObject({ isReady: false, code: 2 });
    expect(existsSync(file)).toBe(true);
  });

  it("[C262][D266] a database in use is not repaired; damage that shows while the host runs ends it in order, with a sentence", async () => {
    const { home, file } = copyOfModel();
    let repairStatus: number | null = null;
    const outcome = await startIn(home, [], async (url, token) => {
      repairStatus = repair(home).status;
      const bytes = readFileSync(file);
      bytes.fill(0xff, 4096);
      writeFileSync(file, bytes);
      // The audit is not read at a start, so it is read from the file now; the index of searches may be read before it.
      const reading = fetch(`${url}/admin/audit`, { headers: { "x-api-key": token } });
      const status = await reading.then((response) => response.status).catch(() => "the host has ended");
      expect([503, "the host has ended"]).toContain(status);
      return endsWithoutStop;
    });
    expect(repairStatus).toBe(2);
    expect(outcome).toMatchObject({ code: damagedCode, signal: null });
    expect(outcome.stderr).toContain(`The database ${file} is damaged`);
  });
});

/** Numbers below a bound, the same for each seed. */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed * 2_654_435_761;
  return (bound) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
