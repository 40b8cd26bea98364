// Terminals and agents outlive their host: a full screen, a server in the background, an idle agent.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { keeperStatus } from "@holdfast/terminal/keeper";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { FollowedTurn } from "../agents/followed-turn.ts";
import { Windows } from "../cli/window.ts";
import { freePort, startRealHost, type RealHost } from "../host/real-host.ts";
import { testedProgram } from "../setup/tested-program.ts";

let host: RealHost;
let sdk: Holdfast;
const windows = new Windows();
const hasVim = spawnSync("vim", ["--version"]).status === 0;

beforeAll(async () => {
  host = await startRealHost({ keeper: true, port: await freePort() });
  sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token, retry: { attempts: 30 } });
});
afterAll(async () => {
  await windows.close();
  await host.close();
});

/** A program with a full screen, like an editor: it draws, shows what is typed, and ends at `q`. */
const editor = `
const draw = (text) => process.stdout.write("\\x1b[2;3H" + text.padEnd(20));
process.stdin.setRawMode(true);
process.stdout.write("\\x1b[?1049h\\x1b[2J\\x1b[1;1H\\x1b[7m editor \\x1b[0m\\x1b[24;1Hlast row");
let typed = "";
draw("empty");
process.stdin.on("data", (keys) => {
  if (String(keys) === "q") { process.stdout.write("\\x1b[?1049l"); process.exit(0); }
  typed += keys;
  draw(typed);
});
`;

describe("[R701] after a restart of the host", () => {
  it("[C850][K740] keys that a killed host did not confirm are typed once", async () => {
    const file = path.join(host.project, "keys.txt");
    const { id } = await sdk.terminals.create({
      command: "cat > keys.txt",
      kind: "tty",
      name: "keys",
      cwd: host.project,
    });
    const window = await windows.open(["attach", "keys", "--home", host.home]);
    await window.shows("attached");
    window.type("before\r");
    await vi.waitUntil(() => readFileSync(file, "utf8") === "before\n");
    process.kill(host.pid, "SIGSTOP");
    window.type("meanwhile\r");
    await window.until(() => window.written.includes("not responding"));
    host = await host.restart("SIGKILL");
    await vi.waitUntil(() => readFileSync(file, "utf8") === "before\nmeanwhile\n");
    const expected = ["before", "meanwhile"];
    const typing = setInterval(() => {
      expected.push(`line ${expected.length}`);
      window.type(`${expected.at(-1)}\r`);
    }, 10);
    for (const signal of ["SIGKILL", "SIGTERM", "SIGKILL"] as const) {
      const count = expected.length;
      await vi.waitUntil(() => expected.length > count + 20);
      host = await host.restart(signal);
    }
    clearInterval(typing);
    await vi.waitUntil(() => readFileSync(file, "utf8").endsWith(`${expected.at(-1)}\n`));
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toEqual(expected);
    expect(window.written).not.toContain("may not have arrived");
    await sdk.terminals.kill(id);
  }, 120_000);

  it("[R701] a full screen is as it was, for a viewer that was connected and for a new one", async () => {
    const file = path.join(host.project, "editor.mjs");
    writeFileSync(file, editor);
    const { id } = await sdk.terminals.create({
      command: process.execPath,
      args: [file],
      kind: "tty",
      name: "editor",
      cols: 80,
      rows: 24,
      cwd: host.project,
    });
    const first = await windows.open(["attach", "editor", "--home", host.home]);
    await first.shows("empty");
    first.type("abc");
    await first.shows("abc");
    host = await host.restart("SIGKILL");
    const second = await windows.open(["attach", "editor", "--read-only", "--home", host.home]);
    await second.shows("last row");
    const rows = second.text.split("\n").map((row) => row.trimEnd());
    expect(rows.slice(0, 2)).toEqual([" editor", "  abc"]);
    first.type("d");
    await first.shows("abcd");
    await second.shows("abcd");
    await sdk.terminals.kill(id);
  }, 120_000);

  it.runIf(hasVim)(
    "[R701] vim is as it was, for a viewer that was connected and for a new one",
    async () => {
      const file = path.join(host.project, "poem.txt");
      writeFileSync(file, "first line\nsecond line\n");
      await sdk.terminals.create({
        command: "vim",
        args: ["-u", "NONE", "-N", file],
        kind: "tty",
        name: "vim",
        cols: 80,
        rows: 24,
        cwd: host.project,
      });
      const first = await windows.open(["attach", "vim", "--home", host.home]);
      await first.shows("second line");
      first.type("onew line");
      await first.shows("new line");
      host = await host.restart("SIGKILL");
      const second = await windows.open(["attach", "vim", "--read-only", "--home", host.home]);
      await second.shows("new line");
      const rows = second.text.split("\n").map((row) => row.trimEnd());
      expect(rows.slice(0, 4)).toEqual(["first line", "new line", "second line", "~"]);
      first.type(" more\u001B:wq\r");
      await vi.waitUntil(() => readFileSync(file, "utf8") === "first line\nnew line more\nsecond line\n");
    },
    120_000,
  );

  it("[C43][U725] exec passes on each line of stdout and stderr once, in order", async () => {
    const line = "for i in $(seq 600); do echo o$i; echo e$i >&2; sleep 0.01; done; exit 3";
    const words = [testedProgram, "exec", "--home", host.home, "--", "sh", "-c", line];
    const child = spawn(process.execPath, words, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOLDFAST_NO_KEEPER: "" },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const written = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (written.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (written.stderr += text));
    const closed = once(child, "close");
    for (const [signal, least] of [
      ["SIGTERM", "o150\n"],
      ["SIGKILL", "o350\n"],
    ] as const) {
      await vi.waitUntil(() => written.stdout.includes(least), { timeout: 30_000 });
      host = await host.restart(signal);
    }
    expect(await closed).toEqual([3, null]);
    const lines = (letter: string) => Array.from({ length: 600 }, (_, index) => `${letter}${index + 1}`);
    expect(written.stdout.trimEnd().split("\n")).toEqual(lines("o"));
    expect(written.stderr.trimEnd().split("\n")).toEqual(lines("e"));
  }, 120_000);

  it("[R701] a server that a command left in the background keeps its process and its output", async () => {
    const { id } = await sdk.terminals.create({
      command: "/bin/sh",
      args: ["-c", "i=0; while :; do i=$((i+1)); echo beat $i; sleep 0.1; done"],
      name: "server",
      kind: "text",
      cwd: host.project,
    });
    const beats = async (): Promise<number[]> => {
      const { text } = await sdk.terminals.output(id);
      return [...text.matchAll(/beat (\d+)/g)].map(([, number]) => Number(number));
    };
    await vi.waitUntil(async () => (await beats()).length > 3);
    const before = (await beats()).length;
    host = await host.restart("SIGKILL");
    await vi.waitUntil(async () => (await beats()).length > before + 10);
    const seen = await beats();
    expect(seen).toEqual(seen.map((_, index) => index + 1));
    await sdk.terminals.kill(id);
  }, 120_000);

  it("[R701] [A716] a turn and a terminal that are followed continue when the host is stopped with TERM", async () => {
    const wish = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" as const };
    const { session_key: key } = await sdk.acpAgent.createSession(wish);
    const line = "i=0; while [ ! -e go ]; do i=$((i+1)); echo beat $i; sleep 0.05; done; rm go";
    const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, line));
    const terminal = await vi.waitUntil(async () => (await sdk.terminals.list({ sessionKey: key }))[0]);
    const heard = readTerminal(sdk, terminal.id);
    await vi.waitUntil(async () => (await sdk.terminals.output(terminal.id)).text.includes("beat 2"));
    host = await host.restart("SIGTERM");
    writeFileSync(path.join(host.project, "go"), "");
    expect(await turn.ended()).toBe("end_turn");
    const beats = [...(await heard).matchAll(/beat (\d+)/g)].map(([, number]) => Number(number));
    expect(beats.length).toBeGreaterThan(2);
    expect(beats).toEqual(beats.map((_, index) => index + 1));
  }, 120_000);

  it("[R701] an idle agent keeps its process, by TERM as by KILL", async () => {
    const wish = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" as const };
    const { session_key: key } = await sdk.acpAgent.createSession(wish);
    await sdk.acpAgent.chat(key, "echo first");
    const agent = await agentPid();
    expect(agent).toBeGreaterThan(0);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      host = await host.restart(signal);
      expect(await agentPid()).toBe(agent);
      expect((await sdk.acpAgent.getSession(key)).state).toBe("ready");
    }
    expect((await sdk.acpAgent.chat(key, "echo second")).text).toContain("second");
    expect(await agentPid()).toBe(agent);
    await sdk.acpAgent.closeSession(key);
  }, 120_000);

  it("[R701] [V731] an agent in a repository keeps its process after a turn in which the host was killed", async () => {
    const repository = path.join(host.project, "repository");
    spawnSync("git", ["init", "-q", repository]);
    const wish = { agent_id: "shell", cwd: repository, approvalPolicy: "approve-all" as const };
    const { session_key: key } = await sdk.acpAgent.createSession(wish);
    const line = "touch begun; while [ ! -e go ]; do sleep 0.05; done";
    const turn = new FollowedTurn(sdk.acpAgent.streamChat(key, line));
    await vi.waitUntil(() => existsSync(path.join(repository, "begun")));
    const agent = await agentPid();
    host = await host.restart("SIGKILL");
    writeFileSync(path.join(repository, "go"), "");
    expect(await turn.ended()).toBe("end_turn");
    await sdk.acpAgent.chat(key, "echo next");
    expect(await agentPid()).toBe(agent);
  }, 120_000);
});

/** All output of a terminal, by a stream that reconnects. */
async function readTerminal(client: Holdfast, id: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const event of client.terminals.stream(id, { after: 0 })) {
    if (event.type === "output") pieces.push(event.data.bytes);
  }
  return Buffer.concat(pieces).toString();
}

/** The process of the only agent, as the keeper has it. */
async function agentPid(): Promise<number | undefined> {
  const { runs = [] } = (await keeperStatus(host.home)) ?? {};
  return runs.find(({ kind }) => kind === "stdio")?.pid;
}
