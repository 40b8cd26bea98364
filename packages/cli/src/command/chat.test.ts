// `chat` on a real terminal: what is shown on entry, what the keys do, and what leaves.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TurnEvent } from "@holdfast/sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { programFile } from "../testing/program-file.ts";
import { say, ScriptedHost, update } from "../testing/scripted-host.ts";
import { signalExitCode } from "../terminal/terminal-exit.ts";
import { TypedProgram } from "../testing/typed-program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-chat-"));
const interrupt = "\u0003";
const end = "\u0004";
const up = "\u001B[A";
/** A busy machine takes its time to start programs. */
const programsTimeoutMs = 90_000;
let host: ScriptedHost;

beforeAll(async () => {
  host = await ScriptedHost.start(folder, {
    prompts: {
      hello: [
        update("available_commands_update", {
          availableCommands: [{ name: "deploy", description: "Ship it" }],
        }),
        say("Hello\nto you"),
      ],
      "one\ntwo\nthree": [say("all three")],
      "one\ntwo\nthree and a half": [say("more than three")],
      "/deploy": [say("shipped")],
      "/help": [say("help yourself")],
      form: [
        {
          do: "ask",
          as: "form",
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Where to?",
            requestedSchema: {
              type: "object",
              properties: {
                count: { type: "integer", title: "Count" },
                city: { type: "string", enum: ["Ulm", "Bonn"] },
              },
              required: ["count", "city"],
            },
          },
        },
        say("Thanks"),
      ],
      hang: [say("Thinking"), { do: "hang" }],
      fenced: [say("```sh\nls\n```\n"), { do: "hang" }],
      typed: [say("begun"), { do: "until", path: "typed-gate" }, say("ended")],
      joined: [say("begun"), { do: "until", path: "gate" }, say("ended")],
    },
  });
});

afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A session whose only turn was cancelled after the event that is waited for. */
async function cancelledTurn(
  agent: string,
  message: string,
  isAwaited: (event: TurnEvent, sessionKey: string) => boolean | Promise<boolean>,
): Promise<string> {
  const { session_key: key } = await host.api.acpAgent.createSession({
    agent_id: agent,
    cwd: host.folder,
    approvalPolicy: "approve-all",
  });
  for await (const event of host.api.acpAgent.streamChat(key, message)) {
    if (await isAwaited(event, key)) await host.api.acpAgent.cancelTurn(key);
  }
  return key;
}

/** Waits, at the start of a tool call, for the first output of its terminal. */
async function hasOutput({ type }: TurnEvent, sessionKey: string): Promise<boolean> {
  if (type !== "tool_call") return false;
  const [terminal] = await host.api.terminals.list({ sessionKey });
  if (terminal?.lifecycle.status !== "running") return false;
  for await (const event of host.api.terminals.stream(terminal.id)) if (event.type === "output") return true;
  return false;
}

/** Types a line and waits for what comes of it. */
async function enter(program: TypedProgram, text: string, what: string | RegExp): Promise<void> {
  const from = program.text.length;
  program.type(`${text}\r`);
  await program.seen(what, from + text.length);
}

describe("[C29] a conversation at the keyboard", () => {
  it(
    "[C29, C24, C27, C30] begins with run, fills in forms, cancels by Ctrl-C, and ends by Ctrl-D",
    { timeout: programsTimeoutMs },
    async () => {
      const program = await TypedProgram.start(["run", "scripted", "--home", host.home], host.folder);
      await program.seen("or /help for commands.\n");
      await enter(program, "hello", /Hello\nto you\n[^]*> $/);
      // The agent's own words come over another connection than its answer, and may be a moment later.
      let help = "";
      while (!help.includes("/deploy  Ship it\n")) {
        const from = program.text.length;
        await enter(program, "/help", /to continue it on the next one\.\n[^]*> $/);
        help = program.text.slice(from).replaceAll("\r\n", "\n");
      }
      await enter(program, "/deploy", /shipped\n[^]*> $/);
      await enter(program, "//help", /help yourself\n[^]*> $/);
      await enter(program, "/cancel", /No turn runs\.\n[^]*> $/);

      await enter(program, "form", "Where to?\n  1 Answer (y)   2 Decline (n)");
      await program.seen(/\? $/);
      program.type("y");
      await program.seen(/ {2}Count\n[^]* {2}> $/);
      await enter(program, "many", /That is not a valid whole number\.\n[^]* {2}> $/);
      await enter(program, "3", / {4}2 Bonn\n[^]* {2}> $/);
      await enter(program, "2", /Thanks\n[^]*> $/);
      expect(host.record).toContain(
        '"answered":"form","result":{"action":"accept","content":{"count":3,"city":"Bonn"}}',
      );

      await enter(program, "hang", "Thinking");
      program.type(interrupt);
      await program.seen(/Cancelling the turn\.[^]*Cancelled\.\n[^]*> $/);
      program.type(`half a li${interrupt}`);
      await program.seen(/half a li\n[^]*Ctrl-C again, or Ctrl-D, leaves\.\n[^]*> $/);
      // The line before is brought back, not the half that was cleared.
      await enter(program, `${up}${up}${up}${up}`, /help yourself\n[^]*> $/);
      program.type(end);
      expect(await program.exitCode()).toBe(0);
    },
  );

  it(
    "[C29, C30] continues where it was: shows the last turns, joins the running one; Ctrl-C twice leaves",
    { timeout: programsTimeoutMs },
    async () => {
      const { session_key: key } = await host.api.acpAgent.createSession({
        agent_id: "scripted",
        cwd: host.folder,
      });
      const first = host.api.acpAgent.streamChat(key, "hello");
      for await (const { type } of first) expect(type).not.toBe("error");
      const running = host.api.acpAgent.streamChat(key, "joined");
      await running.next();
      const program = await TypedProgram.start(
        ["chat", key.slice(-36, -20), "--home", host.home],
        host.folder,
      );
      await program.seen("> hello\nHello\nto you\n> joined\nbegun");
      host.open("gate");
      await program.seen(/ended\n[^]*> $/);
      program.type(interrupt);
      await program.seen(/leaves\.\n[^]*> $/);
      program.type(interrupt);
      expect(await program.exitCode()).toBe(130);
      expect(await runWords(["cancel", key, "--home", host.home])).toMatchObject({
        code: 0,
        stdout: `No turn runs in ${key.slice(-36, -28)}.\n`,
      });
    },
  );

  it(
    "[C870] drops what is typed during a turn, also for the next prompt",
    { timeout: programsTimeoutMs },
    async () => {
      const { session_key: key } = await host.api.acpAgent.createSession({
        agent_id: "scripted",
        cwd: host.folder,
      });
      const program = await TypedProgram.start(["chat", key, "--home", host.home], host.folder);
      await program.seen(/> $/);
      program.type("typed\r");
      await program.seen("begun");
      program.type("hello\rhalf");
      host.open("typed-gate");
      await program.seen(/ended\n[^]*> $/);
      // It leaves only at an empty prompt.
      program.type(end);
      expect(await program.exitCode()).toBe(0);
      expect(program.text).not.toMatch(/to you|half|Typed text/);
    },
  );

  it(
    "[C511] shows the output of a cancelled turn, without fences, and of its command",
    { timeout: programsTimeoutMs },
    async () => {
      const fenced = await cancelledTurn("scripted", "fenced", ({ type }) => type === "text_delta");
      const first = await TypedProgram.start(["chat", fenced, "--home", host.home], host.folder);
      await first.seen(/> fenced\nls\nCancelled\.\n[^]*> $/);
      const command = "echo be''gun; sleep 60";
      const ran = await cancelledTurn("shell", command, hasOutput);
      const second = await TypedProgram.start(["chat", ran, "--home", host.home], host.folder);
      await second.seen(/\nbegun\n[^]*Cancelled\.\n[^]*> $/);
      expect(second.text).not.toContain("```");
    },
  );

  it.each(process.env["HOLDFAST_LONG"] === undefined ? ["hel"] : ["", "hel"])(
    "[C510] reads on after Ctrl-Z and fg, with %j typed before",
    { timeout: programsTimeoutMs },
    async (typed) => {
      const program = await TypedProgram.start(["run", "scripted", "--home", host.home], host.folder);
      await program.seen(/commands\.\n[^]*> $/);
      program.type(typed);
      await program.seen(new RegExp(`> ${typed}$`));
      const from = program.text.length;
      program.type("\u001A");
      // As a shell does at `fg`; repeated, since nothing shows when the key was read.
      const isDrawnAgain = (): boolean => program.text.slice(from).includes(`> ${typed}`);
      await vi.waitUntil(() => process.kill(program.pid, "SIGCONT") && isDrawnAgain(), 20_000);
      await enter(program, "hello".slice(typed.length), /Hello\nto you\n[^]*> $/);
      program.type(end);
      expect(await program.exitCode()).toBe(0);
    },
  );

  it(
    "[C887] sends a pasted text of several lines as one message",
    { timeout: programsTimeoutMs },
    async () => {
      const program = await TypedProgram.start(["run", "scripted", "--home", host.home], host.folder);
      await program.seen(/commands\.\n[^]*> $/);
      program.type("one\rtwo\rthree\r");
      await program.seen(/all three\n[^]*> $/);
      // The end of its last line is missing, so that it is edited on.
      program.type("one\rtwo\rthree");
      await program.seen(/… three$/);
      await enter(program, " and a half", /more than three\n[^]*> $/);
      // Ctrl-C clears all of it.
      program.type("some\rthing");
      await program.seen(/… thing$/);
      program.type(interrupt);
      await program.seen(/leaves\.\n[^]*> $/);
      await enter(program, "hello", /Hello\nto you\n[^]*> $/);
      // The whole text is one entry of the history.
      program.type(`${up}${up}`);
      await program.seen(/> one\ntwo\nthree and a half$/);
      await enter(program, "", /more than three\n[^]*> $/);
      program.type(end);
      expect(await program.exitCode()).toBe(0);
    },
  );

  it(
    "[C887] sends at Enter what the terminal marks as pasted, in however many pieces it comes",
    { timeout: programsTimeoutMs },
    async () => {
      const [on, off] = ["\u001B[?2004h", "\u001B[?2004l"];
      const program = await TypedProgram.start(["run", "scripted", "--home", host.home], host.folder);
      await program.seen(/commands\.\n[^]*> $/);
      expect(program.raw).toContain(on);
      program.type("\u001B[200~one\rtw");
      await program.seen(/one\ntw$/);
      program.type("o\rthree\u001B[201~");
      await program.seen(/… three$/);
      let from = program.raw.length;
      await enter(program, "", /all three\n[^]*> $/);
      // Off during the turn.
      expect(program.raw.slice(from)).toMatch(/2004l[^]*all three[^]*2004h/);
      program.type("\u001B[200~one\rtwo\rthree\r\u001B[201~");
      await program.seen(/three\n… $/);
      await enter(program, "", /all three\n[^]*> $/);
      from = program.raw.length;
      program.type("\u001A");
      await vi.waitUntil(() => program.raw.slice(from).includes(off), 20_000);
      await vi.waitUntil(
        () => process.kill(program.pid, "SIGCONT") && program.raw.slice(from).includes(on),
        20_000,
      );
      program.type(end);
      expect(await program.exitCode()).toBe(0);
      expect(program.raw.lastIndexOf(off)).toBeGreaterThan(program.raw.lastIndexOf(on));
    },
  );

  it.each([
    ["at its prompt", "SIGTERM", ""],
    ["at its prompt", "SIGHUP", ""],
    ["in a turn", "SIGTERM", "hang"],
    ["in a turn", "SIGHUP", "hang"],
    ["in a turn after a prompt", "SIGTERM", "hang"],
  ] as const)(
    "[C896] leaves the terminal as it was when it is ended %s by %s",
    { timeout: programsTimeoutMs },
    async (place, signal, message) => {
      const shell = await TypedProgram.startShell(host.folder);
      const [on, off] = ["\u001B[?2004h", "\u001B[?2004l"];
      const isAsked = place !== "in a turn";
      const words = `run scripted --home "${host.home}" ${isAsked ? "" : message}`;
      // A script does not repair the terminal, as an interactive shell does.
      shell.type(`sh -c '"${process.execPath}" "${programFile}" ${words}; echo ended $?; stty -a'\r`);
      if (isAsked) await shell.seen(/commands\.\n[^]*> $/);
      if (isAsked && message !== "") shell.type(`${message}\r`);
      if (message !== "") await shell.seen("Thinking");
      await shell.hasForegroundJob();
      process.kill(shell.foregroundProgram(), signal);
      await shell.seen(new RegExp(String.raw`ended ${signalExitCode(signal)}\n[^]*ready\$ $`));
      expect(shell.text).toMatch(/ icanon/);
      expect(shell.text).toMatch(/ echo /);
      expect(shell.raw.lastIndexOf(off)).toBeGreaterThan(shell.raw.lastIndexOf(on));
    },
  );

  it.each([
    ["at its prompt", "", /commands\.\n[^]*> $/],
    ["in a turn", "hang", /Thinking/],
  ] as const)(
    "[C896] ends at once when it is killed while Ctrl-Z has stopped it %s",
    { timeout: programsTimeoutMs },
    async (_place, message, shown) => {
      const shell = await TypedProgram.startShell(host.folder);
      shell.type(`holdfast run scripted --home "${host.home}" ${message}\r`);
      await shell.seen(shown);
      await shell.hasForegroundJob();
      shell.type("\u001A");
      await shell.seen(/Stopped[^]*ready\$ $/);
      shell.type(
        "P=$(jobs -p %1); kill %1; while kill -0 $P 2>/dev/null; do sleep 0.05; done; echo go''ne\r",
      );
      await shell.seen(/\ngone\n[^]*ready\$ $/);
      expect(shell.text).toContain("Terminated");
    },
  );

  it("[C29] needs a keyboard", async () => {
    expect(await runWords(["chat", "x", "--home", host.home])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("NO_TERMINAL"),
    });
  });
});
