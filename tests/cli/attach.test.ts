// `holdfast attach` and `exec` in real windows: the same picture for all, keys to the program, and windows left as they were.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { layLine } from "./cut-line.ts";
import { Windows } from "./window.ts";

const script = fileURLToPath(new URL("full-screen.sh", import.meta.url));
const detach = "\u001D";
const small = { columns: 60, rows: 15 };
let host: RealHost;
let api: Holdfast;

beforeAll(async () => {
  host = await startRealHost({ config: { listen: { port: 0 } } });
  api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
});
afterAll(() => host.close());

function openWindows(): Windows {
  const windows = new Windows();
  onTestFinished(() => windows.close());
  return windows;
}

/** The process that a window's shell runs. */
function childOf(pid: number): number {
  const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  expect(child).not.toBe("");
  return Number(child);
}

async function newest(): Promise<string> {
  return (await api.terminals.list()).at(-1)?.id ?? "";
}

it("[C37] [C38] [C40] a full screen is the same for all, follows its holder's size, and is found again", async () => {
  const windows = openWindows();
  const first = await windows.open(["exec", "--home", host.home, "--", "bash", script], small);
  await first.shows("size 15x60");
  first.type("k");
  await first.shows("key k");
  await first.until(() => first.hasMode(1000));
  const id = await newest();
  const watcher = await windows.open(["attach", "--home", host.home, "--read-only", id.slice(0, 8)], small);
  await watcher.shows("key k");
  // Windows draw in pieces.
  await watcher.until(() => watcher.text === first.text);
  await vi.waitFor(() => expect(watcher.cursor).toEqual(first.cursor));
  watcher.type("w");
  first.type(detach);
  expect(await first.exited()).toBe(0);
  expect(first.text).toContain(`[detached from ${id.slice(0, 8)}]`);
  for (const mode of [1049, 1000, 1006, 2004]) expect(first.hasMode(mode)).toBe(false);
  expect(first.hasMode(25)).toBe(true);
  await expect
    .poll(async () => (await api.terminals.list())[0])
    .toMatchObject({ lifecycle: { status: "running" }, holder: { isGone: true } });

  const second = await windows.open(["attach", "--home", host.home, id], { columns: 70, rows: 20 });
  await second.shows("size 20x70");
  await second.shows("key k");
  second.resize({ columns: 66, rows: 18 });
  await second.shows("size 18x66");
  const third = await windows.open(["attach", "--home", host.home, id], { columns: 66, rows: 18 });
  await third.shows("Another client is typing here; you are watching. Ctrl-]");
  second.type("m");
  await Promise.all([second.shows("key m"), watcher.shows("key m"), third.shows("key m")]);
  second.type("q");
  expect(await second.exited()).toBe(5);
  expect(second.text).toContain("[exited 5]");
  expect(await watcher.exited()).toBe(5);
  expect(await third.exited()).toBe(5);
}, 60_000);

const lastOutputs = ["\\033[2J\\033[9;1Hlast\\033[2;3H", "prompt> "];

it.each(process.env["HOLDFAST_LONG"] === undefined ? lastOutputs.slice(0, 1) : lastOutputs)(
  "[C514] the message after %j begins a line",
  async (output) => {
    const windows = openWindows();
    const command = ["bash", "-c", `printf '${output}'; read -rsn1 x`];
    const window = await windows.open(["exec", "--home", host.home, "--", ...command], small);
    await window.shows(/prompt|last/);
    window.type(detach);
    expect(await window.exited()).toBe(0);
    expect(window.text).toMatch(/(?:prompt>|last) *\n(?:.*\n)*\[detached from /);
    await api.terminals.kill(await newest());
  },
  60_000,
);

it("[C41] a program's query to its terminal gets one reply, and none from windows that attach later", async () => {
  const windows = openWindows();
  const ask = `stty raw -echo; printf 'ready'; read -rsn1 x; printf '\\033[6n'; IFS= read -rsn6 a; printf 'got %q' "$a"
    if IFS= read -rsn1 -t 1 b; then printf 'twice %q' "$b"; else printf ' once'; fi; read -rsn1 x; exit 3`;
  const window = await windows.open(["exec", "--home", host.home, "--", "bash", "-c", ask], small);
  await window.shows("ready");
  window.type("x");
  await window.until(() => window.written.includes("\u001B[6n"));
  window.type("\u001B[9;9R");
  await window.shows("once");
  expect(window.text).toContain("got $'\\E[9;9R'");
  window.type(detach);
  await window.exited();
  const again = await windows.open(["attach", "--home", host.home, await newest()], small);
  await again.shows("once");
  expect(again.written).not.toContain("\u001B[6n");
  again.type("y");
  expect(await again.exited()).toBe(3);
}, 60_000);

it("[C38] an agent's prompt is taken over, answered, and given back", async () => {
  const windows = openWindows();
  const { session_key: key } = await api.acpAgent.createSession({
    agent_id: "shell",
    cwd: host.project,
    approvalPolicy: "approve-all",
  });
  const turn = api.acpAgent.chat(key, 'read -p "name? " name; echo "hello $name"; read rest');
  const terminal = await vi.waitFor(
    async () => {
      const found = (await api.terminals.list()).find(({ session_key }) => session_key === key);
      expect(found?.output.endOffset).toBeGreaterThan(0);
      return found ?? expect.fail();
    },
    { timeout: 20_000 },
  );
  expect(terminal.holder).toEqual({ kind: "session", inTurn: true });
  const window = await windows.open(["attach", "--home", host.home, terminal.id]);
  await window.shows("name?");
  window.type("ann\r");
  await window.shows("hello ann");
  expect((await api.terminals.list()).find(({ id }) => id === terminal.id)?.holder.kind).toBe("client");
  window.type(detach);
  expect(await window.exited()).toBe(0);
  expect((await api.terminals.list()).find(({ id }) => id === terminal.id)?.holder).toEqual({
    kind: "session",
    inTurn: true,
  });
  await api.terminals.kill(terminal.id);
  expect((await turn).text).toContain("hello ann");
}, 60_000);

it("[C864] attach takes a terminal from another client where that is asked for, and back", async () => {
  const windows = openWindows();
  const wide = { columns: 140, rows: 20 };
  const first = await windows.open(["exec", "--home", host.home, "--", "bash", script], wide);
  await first.shows("size 20x140");
  const id = await newest();
  const takeOver = ["attach", "--home", host.home, "--take-over", id.slice(0, 8)];
  const way = `\`holdfast attach --take-over ${id.slice(0, 8)}\` takes it over`;
  const watcher = await windows.open(["attach", "--home", host.home, id], wide);
  await watcher.until(() => watcher.written.includes(way));
  watcher.type("w");
  const second = await windows.open(takeOver, { columns: 70, rows: 15 });
  await second.shows("size 15x70");
  await first.until(() => first.written.includes("Another client took this terminal over"));
  expect(first.written).toContain(way);
  second.type("s");
  await second.shows("key s");
  first.type("f");
  const third = await windows.open(takeOver, { columns: 80, rows: 18 });
  await third.shows("size 18x80");
  third.type("t");
  await Promise.all([third.shows("key t"), second.shows("key t")]);
  third.type(detach);
  expect(await third.exited()).toBe(0);
  await api.terminals.kill(id);
}, 60_000);

it("[C874] a full screen that was taken over keeps saying so, also after it was drawn again", async () => {
  const windows = openWindows();
  const first = await windows.open(["exec", "--home", host.home, "--", "bash", script]);
  await first.shows("size 24x80");
  const id = await newest();
  const takeOver = ["attach", "--home", host.home, "--take-over", id.slice(0, 8)];
  const second = await windows.open(takeOver, { columns: 100, rows: 30 });
  const notice = /Another client took this terminal over; you are watching\. [^]* takes it over\.\]$/;
  const showsNotice = (): boolean => notice.test(first.text.trimEnd());
  await first.shows("size 30x100");
  await first.until(showsNotice, notice);
  second.type("s");
  await first.shows("key s");
  await first.until(showsNotice, notice);
  // A window that watches is drawn again in its new size.
  first.resize({ columns: 150, rows: 40 });
  await first.until(() => notice.test(first.text.split("\n")[39]?.trimEnd() ?? ""), notice);
  expect(first.text).toContain("key s");
  expect(first.text.match(/Another client/g)).toHaveLength(1);
  second.type(detach);
  expect(await second.exited()).toBe(0);
  await first.until(() => !first.text.includes("Another client"));
  await first.shows("key s");
  await api.terminals.kill(id);
}, 60_000);

it("[C40] [C42] a lost connection is reported and comes back; a window that a signal ends is left as it was", async () => {
  const windows = openWindows();
  const line = await layLine(host.url);
  onTestFinished(() => line.close());
  const prefix = `HOLDFAST_TOKEN='${host.token}' holdfast`;
  const window = await windows.openShell(
    `${prefix} exec --url ${line.url} --cwd / -- bash '${script}'; echo "left $?"; stty -a | grep -o ' icanon'`,
    small,
  );
  await window.shows("key none");
  line.cut();
  await window.until(() => window.written.includes("[connection lost"));
  await window.until(() => window.written.includes("[connected again]"));
  window.type("z");
  await window.shows("key z");
  const id = await newest();
  const pid = await vi.waitFor(() => childOf(window.pid));
  process.kill(pid, "SIGTERM");
  await window.shows("left 143");
  await window.shows("icanon");
  expect(window.hasMode(1049)).toBe(false);
  expect((await api.terminals.list()).find((each) => each.id === id)).toMatchObject({
    lifecycle: { status: "running" },
    holder: { kind: "client", isGone: true },
  });
  await api.terminals.kill(id);
}, 60_000);

it("[C869] after each reconnection a window says once that another client types, if that is still so", async () => {
  const windows = openWindows();
  const wide = { columns: 160, rows: 20 };
  const holder = await windows.open(["exec", "--home", host.home, "--", "bash", script], wide);
  await holder.shows("size 20x160");
  const id = await newest();
  const line = await layLine(host.url);
  onTestFinished(() => line.close());
  const words = `HOLDFAST_TOKEN='${host.token}' holdfast attach --url ${line.url} ${id}`;
  const watcher = await windows.openShell(words, wide);
  const count = (what: string): number => watcher.written.split(what).length - 1;
  const notice = "Another client is typing here";
  await watcher.shows(notice);
  line.cut();
  await watcher.until(() => count("[connected again]") === 1);
  await watcher.shows(notice);
  holder.type("h");
  await watcher.shows("key h");
  await watcher.until(() => watcher.text.split(notice).length === 2, notice);
  holder.type(detach);
  expect(await holder.exited()).toBe(0);
  await watcher.until(() => !watcher.text.includes(notice));
  const shown = count(notice);
  line.cut();
  await watcher.until(() => count("[connected again]") === 2);
  watcher.type("w");
  await watcher.shows("key w");
  expect(count(notice)).toBe(shown);
  // Keys of a person who leaves are no news.
  await line.close();
  await watcher.until(() => count("[connection lost") === 3);
  watcher.type(`x${detach}`);
  expect(await watcher.exited()).toBe(0);
  expect(watcher.written).not.toContain("may not have arrived");
  await api.terminals.kill(id);
}, 60_000);

it("[C624] a program's titles, links and clipboard do not reach the window, unless its output is trusted", async () => {
  const windows = openWindows();
  const line = String.raw`printf '\033]0;a title\007\033]52;c;aGk=\007\033]8;;http://x/\033\\link\033]8;;\033\\ \033[1mdone\033[0m\n'; read -r _`;
  const words = ["exec", "--home", host.home];
  const plain = await windows.open([...words, "--", "sh", "-c", line], small);
  await plain.shows("link done");
  expect(plain.written).not.toMatch(/\u001B\](?:0|8|52);/);
  expect(plain.written).toContain("\u001B[1mdone");
  plain.type("\r");
  expect(await plain.exited()).toBe(0);
  const piped = await windows.open([...words, "-T", "--no-input", "--", "sh", "-c", line], small);
  expect(await piped.exited()).not.toBeNull();
  expect(piped.text).toContain("link done");
  expect(piped.written).not.toMatch(/\u001B\](?:0|8|52);/);
  const trusted = await windows.open([...words, "--trust-output", "--", "sh", "-c", line], small);
  await trusted.shows("link done");
  expect(trusted.written).toContain("\u001B]52;c;aGk=");
  const id = await newest();
  const watcher = await windows.open(
    ["attach", "--home", host.home, "--read-only", "--trust-output", id.slice(0, 8)],
    small,
  );
  await watcher.shows("link done");
  expect(watcher.written).not.toContain("\u001B]52;");
  trusted.type("\r");
  expect(await trusted.exited()).toBe(0);
});
