// `holdfast exec` as scripts use it: every byte exact, at any pace, over any connection, and nothing killed by leaving.
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { layLine, TOO_LARGE } from "./cut-line.ts";
import { programWords } from "./window.ts";

let host: RealHost;
let api: Holdfast;

beforeAll(async () => {
  host = await startRealHost({ config: { listen: { port: 0 } } });
  api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
});
afterAll(() => host.close());

interface Ended {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts the program; the caller reads its output. */
function start(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...programWords, ...words], {
    cwd: host.project,
    env: { ...process.env, ...environment },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (bytes: Buffer) => stdout.push(bytes));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: Buffer.concat(stdout), stderr };
}

/** A file of bytes that are no text. */
function binaryFile(name: string, sizeBytes: number): { file: string; bytes: Buffer } {
  const file = path.join(host.project, name);
  const bytes = randomBytes(sizeBytes);
  writeFileSync(file, bytes);
  return { file, bytes };
}

async function terminalOf(name: string) {
  return vi.waitFor(
    async () => (await api.terminals.list()).find(({ title }) => title === name) ?? expect.fail(name),
    { timeout: 20_000 },
  );
}

describe("[C43] exec on pipes", () => {
  it("[C43] [C45] passes every byte of input and output once, over a connection that is lost", async () => {
    const line = await layLine(host.url);
    onTestFinished(() => line.close());
    const { bytes } = binaryFile("in", 6 * 1024 * 1024);
    const words = ["exec", "--url", line.url, "--name", "mirror", "--", "sh", "-c", "cat; exit 4"];
    const child = start(words, { HOLDFAST_TOKEN: host.token });
    const end = ended(child);
    const half = bytes.length / 2;
    child.stdin.write(bytes.subarray(0, half));
    const { id } = await terminalOf("mirror");
    const written = async (least: number): Promise<void> => {
      await vi.waitFor(
        async () =>
          expect(
            (await api.terminals.list()).find((each) => each.id === id)?.output.endOffset,
          ).toBeGreaterThan(least),
        { timeout: 20_000 },
      );
    };
    await written(0);
    line.cut();
    await written(half / 2);
    line.cut();
    child.stdin.end(bytes.subarray(half));
    const { code, stdout, stderr } = await end;
    expect(stderr).toBe("");
    expect(stdout.equals(bytes)).toBe(true);
    expect(code).toBe(4);
  }, 60_000);

  it.each([
    [/^GET \S+\/stream/, "lose"],
    [/^POST \S+\/input/, "lose"],
    [/^GET \S+\/stream/, "refuse"],
    [/^POST \S+\/input/, "refuse"],
  ] as const)(
    "[C43] [C45] asks again for %s where the connection may %s it before the host hears of it",
    async (request, way) => {
      const line = await layLine(host.url);
      onTestFinished(() => line.close());
      line[way](request);
      const child = start(["exec", "--url", line.url, "--", "cat"], { HOLDFAST_TOKEN: host.token });
      child.stdin.end("every word");
      const { code, stdout, stderr } = await ended(child);
      expect({ code, stdout: String(stdout), stderr }).toEqual({ code: 0, stdout: "every word", stderr: "" });
    },
  );

  it("[C43] lets a command wait for a slow reader, and loses nothing", async () => {
    const { file, bytes } = binaryFile("slow", 24 * 1024 * 1024);
    const child = start(["exec", "--home", host.home, "--name", "slow", "--", "cat", file]);
    child.stdin.end();
    const { id } = await terminalOf("slow");
    // Nobody reads: it comes to rest, long before its end.
    let before = -1;
    let now = 0;
    while (now > before) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const found = (await api.terminals.list()).find((each) => each.id === id);
      expect(found?.lifecycle.status).toBe("running");
      now = found?.output.endOffset ?? 0;
    }
    expect(now).toBeLessThan(bytes.length);
    const { code, stdout } = await ended(child);
    expect(code).toBe(0);
    expect(stdout.equals(bytes)).toBe(true);
  }, 60_000);
});

it.skipIf(process.platform === "win32")(
  "[C883] exec sends its input again after the host was silent",
  async () => {
    const stalled = await startRealHost();
    onTestFinished(() => stalled.close());
    const child = start(["exec", "--home", stalled.home, "--", "sh", "-c", "cat; exit 3"]);
    const end = ended(child);
    child.stdin.write("before ");
    await once(child.stdout, "data");
    process.kill(stalled.pid, "SIGSTOP");
    child.stdin.end("after");
    // Longer than a request waits for a host that responds to nothing.
    await delay(6_000);
    process.kill(stalled.pid, "SIGCONT");
    const { code, stdout, stderr } = await end;
    expect({ code, stdout: String(stdout), stderr }).toEqual({ code: 3, stdout: "before after", stderr: "" });
  },
  30_000,
);

it("[C883] exec whose input is rejected does not wait for the command, which may still run", async () => {
  const line = await layLine(host.url);
  onTestFinished(() => line.close());
  line.refuse(/^POST \S+\/input/, TOO_LARGE);
  const words = ["exec", "--url", line.url, "--name", "unfed", "--", "cat"];
  const child = start(words, { HOLDFAST_TOKEN: host.token });
  child.stdin.end("too much for a proxy");
  const { code, stdout, stderr } = await ended(child);
  expect({ code, stdout: String(stdout) }).toEqual({ code: 125, stdout: "" });
  expect(stderr).toContain("413");
  expect(stderr).toContain("The command may still run.");
  const { id, lifecycle } = await terminalOf("unfed");
  expect(lifecycle.status).toBe("running");
  await api.terminals.kill(id);
}, 30_000);

it("[C882] exec ends the input where stdin cannot be read, and keeps the exit code", async () => {
  const stdin = openSync(devNull, "w");
  const words = ["exec", "--home", host.home, "--", "sh", "-c", "cat; exit 3"];
  const child = spawn(process.execPath, [...programWords, ...words], { stdio: [stdin, "pipe", "pipe"] });
  closeSync(stdin);
  onTestFinished(() => void child.kill("SIGKILL"));
  const { code, stdout, stderr } = await ended(child);
  expect({ code, stdout: String(stdout), stderr }).toEqual({
    code: 3,
    stdout: "",
    stderr: "holdfast: Cannot read stdin: bad file descriptor. The command's input ends here.\n",
  });
});

it("[C44] [C46] Ctrl-C goes to the command, leaving never ends it, and a pipe that nobody reads does", async () => {
  const loop = "trap 'echo bye; exit 9' INT; echo on; while :; do sleep 0.1; done";
  const begin = (name: string, command: readonly string[]) => {
    const child = start(["exec", "--home", host.home, "--name", name, "--", ...command]);
    return { child, isOn: once(child.stdout, "data"), end: ended(child) };
  };
  const interrupted = begin("one", ["sh", "-c", loop]);
  const left = begin("two", ["sh", "-c", loop]);
  const unread = begin("three", ["yes"]);
  const plain = begin("four", ["sh", "-c", "echo on; exec sleep 1000"]);
  await Promise.all([interrupted.isOn, left.isOn, unread.isOn, plain.isOn]);
  interrupted.child.kill("SIGINT");
  plain.child.kill("SIGINT");
  left.child.kill("SIGTERM");
  unread.child.stdout.destroy();
  const { code, stdout } = await interrupted.end;
  expect(code).toBe(9);
  expect(stdout.toString()).toMatch(/^on\n[^]*bye\n$/);
  expect(await plain.end).toMatchObject({ code: 130 });
  expect(await left.end).toMatchObject({ code: 143 });
  const { id, lifecycle } = await terminalOf("two");
  expect(lifecycle.status).toBe("running");
  await api.terminals.kill(id);
  expect(await unread.end).toMatchObject({ code: 141 });
  expect((await terminalOf("three")).lifecycle).toMatchObject({ exit: { signal: "SIGTERM" } });
}, 60_000);
