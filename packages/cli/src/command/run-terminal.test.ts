// `run` as people use it: on a real terminal, with real keys.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { askToRun, say, ScriptedHost, update } from "../testing/scripted-host.ts";
import { TypedProgram } from "../testing/typed-program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-run-"));
const interrupt = "\u0003";
/** A busy machine takes its time to start programs. */
const programsTimeoutMs = 90_000;
let host: ScriptedHost;

const plan = [
  { content: "look", priority: "high", status: "completed" },
  { content: "leap", priority: "high", status: "pending" },
];
const spoof = "ls\u001B[2K\r  │ harmless\nrm -rf /";

function sleep(seconds: string): object {
  return { do: "ask", method: "terminal/create", params: { command: "sleep", args: [seconds] } };
}

beforeAll(async () => {
  host = await ScriptedHost.start(folder, {
    ignoresCancel: true,
    prompts: {
      work: [
        update("agent_thought_chunk", { content: { type: "text", text: "Let me see." } }),
        update("plan", { entries: plan }),
        update("tool_call", { toolCallId: "c", title: "Search", kind: "search", status: "in_progress" }),
        update("tool_call_update", { toolCallId: "c", status: "completed" }),
        say("Found\u001B]0;title\u0007 it"),
        askToRun("first", spoof, "/srv"),
        askToRun("second", "make", "/srv"),
        { do: "until", path: "gate" },
        say("All done"),
      ],
      hang: [say("Thinking"), { do: "hang" }],
      commands: [sleep("1000"), { do: "until", path: "second" }, sleep("2000"), { do: "hang" }],
    },
  });
});

afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(...words: string[]): Promise<TypedProgram> {
  return TypedProgram.start(["run", "scripted", ...words, "--home", host.home], host.folder);
}

/** Waits until so many terminals run in a session; gives their ids. */
function terminalsRun(sessionKey: string, count: number): Promise<string[]> {
  return vi.waitFor(async () => {
    const terminals = await host.api.terminals.list({ sessionKey });
    expect(terminals).toHaveLength(count);
    return terminals.map(({ id }) => id);
  }, 10_000);
}

describe("[C22] run on a terminal", () => {
  it(
    "[C519] names the command that prints output which is too long to be shown",
    { timeout: programsTimeoutMs },
    async () => {
      const words = ["run", "shell", "seq 1 20000", "--policy", "approve-all", "--home", host.home];
      const program = await TypedProgram.start(words, host.folder);
      expect(await program.exitCode()).toBe(0);
      expect(program.text).toMatch(
        /The output has \d{6} bytes; `holdfast logs [0-9a-f]{8}` prints all of it\./,
      );
      // It was shown as it came, and is not repeated.
      expect(program.text).toMatch(/\n19999\r?\n20000\r?\n/);
      expect(program.text).not.toContain("The last 32 KiB of the output:");
    },
  );

  it(
    "[C712] shows the output of a command of the built-in agent line by line, as it comes",
    { timeout: programsTimeoutMs },
    async () => {
      const gate = path.join(folder, "live-gate");
      const line = `echo first; until [ -e '${gate}' ]; do sleep 0.05; done; echo second`;
      const words = ["run", "shell", line, "--policy", "approve-all", "--home", host.home];
      const program = await TypedProgram.start(words, host.folder);
      await program.seen(/\nfirst\r?\n/);
      expect(program.text).not.toMatch(/\nsecond\r?\n/);
      writeFileSync(gate, "");
      expect(await program.exitCode()).toBe(0);
      expect(program.text).toMatch(/\nfirst\r?\nsecond\r?\n/);
      expect(program.text.match(/^first\r?$/gm)).toHaveLength(1);
      expect(program.text).toContain("Exit code 0 after");
    },
  );

  it(
    "[C835] shows a prompt that does not end its line, and says how to answer it",
    { timeout: programsTimeoutMs },
    async () => {
      const line = "printf 'Your name? '; read name; echo Hello $name";
      const words = ["run", "shell", line, "--policy", "approve-all", "--home", host.home];
      const program = await TypedProgram.start(words, host.folder);
      await program.seen("Your name? ");
      await program.seen(/If it waits for input: holdfast attach [0-9a-f]{8}/);
      const [, name = ""] = /holdfast attach ([0-9a-f]{8})/.exec(program.text) ?? [];
      const attached = await TypedProgram.start(["attach", name, "--home", host.home], host.folder);
      await attached.seen("Your name? ");
      attached.type("Ada\r");
      expect(await program.exitCode()).toBe(0);
      expect(program.text).toMatch(/\nHello Ada\r?\n/);
    },
  );

  it(
    "[C870, C871] drops what is typed during a turn, and says once how to type into the command",
    { timeout: programsTimeoutMs },
    async () => {
      const gate = path.join(folder, "typed-gate");
      const line = `echo go; until [ -e "${gate}" ]; do sleep 0.05; done; echo over`;
      const shell = await TypedProgram.startShell(host.folder);
      shell.type(`holdfast run shell '${line}' --home '${host.home}'\r`);
      await shell.seen(/Ctrl-C cancels the turn\n\? $/);
      shell.type("y");
      await shell.seen(/\ngo\n/);
      shell.type("echo st''ray\r");
      await shell.seen(
        /\nholdfast: Typed text is not sent to the command\. To type into it, run holdfast attach [0-9a-f]{8} in another window\.\n/,
      );
      // Ctrl-Z stops it, and the shell continues it in the background and in the foreground.
      shell.type("\u001A");
      await shell.seen(/Stopped[^]*ready\$ $/);
      shell.type("bg\r");
      await shell.seen(/\nready\$ bg\n[^]*ready\$ $/);
      shell.type("echo alive=$?\r");
      await shell.seen(/\nalive=0\nready\$ $/);
      shell.type("jobs; fg\r");
      await shell.seen(/ Running .*\n.*main\.js.*\n$/);
      await shell.hasForegroundJob();
      const before = shell.text.length;
      shell.type("\u001A");
      await shell.seen(/ Stopped [^]*ready\$ $/, before);
      const stopped = shell.text.length;
      shell.type("fg\r");
      await shell.seen(/main\.js.*\n$/, stopped);
      await shell.hasForegroundJob();
      shell.type("echo st''ray\recho half''way");
      writeFileSync(gate, "");
      // The terminal echoes what is typed until the program reads again.
      await shell.seen(/over\n[^]*ready\$ $/, stopped);
      shell.type("echo code=$?\r");
      await shell.seen(/\ncode=0\nready\$ $/);
      expect(shell.text).not.toMatch(/stray|halfway/);
      expect(shell.text.match(/Typed text is not sent/g)).toHaveLength(1);
    },
  );

  it(
    "[C872] attach takes the session of a running command, and lists the terminals where there are several",
    { timeout: programsTimeoutMs },
    async () => {
      const { session_key: sessionKey } = await host.api.acpAgent.createSession({
        agent_id: "scripted",
        cwd: host.folder,
        approvalPolicy: "approve-all",
      });
      const session = sessionKey.slice(sessionKey.lastIndexOf(":") + 1).slice(0, 8);
      const words = ["attach", session, "--home", host.home];
      const tooEarly = await TypedProgram.start(words, host.folder);
      expect(await tooEarly.exitCode()).toBe(6);
      expect(tooEarly.text).toContain(`Session ${session} has no running terminal.`);
      const turn = host.api.acpAgent.chat(sessionKey, "commands");
      await terminalsRun(sessionKey, 1);
      const attached = await TypedProgram.start(words, host.folder);
      await attached.seen(/\[attached to [0-9a-f]{8}/);
      host.open("second");
      const ids = await terminalsRun(sessionKey, 2);
      const unclear = await TypedProgram.start(words, host.folder);
      expect(await unclear.exitCode()).toBe(2);
      expect(unclear.text).toContain(
        `"${session}" matches 2 terminals: ${ids[0]} (sleep 1000), ${ids[1]} (sleep 2000).`,
      );
      for (const id of ids) await host.api.terminals.kill(id);
      await attached.exitCode();
      await host.api.acpAgent.closeSession(sessionKey);
      await turn.catch(() => undefined);
    },
  );

  it("[C713] names the limit that ended a command", { timeout: programsTimeoutMs }, async () => {
    const limit = ["--limit", "time=1s"];
    const words = ["run", "shell", "sleep 60", "--policy", "approve-all", ...limit, "--home", host.home];
    const program = await TypedProgram.start(words, host.folder);
    await program.exitCode();
    expect(program.text).toContain("Stopped: time limit (1 s)");
  });

  it(
    "[C22, C21, C23] shows all in its order, asks in place by one key, and says when another was faster",
    { timeout: programsTimeoutMs },
    async () => {
      const program = await start("work");
      // Typed before the question stands there, it answers nothing.
      program.type("1");
      await program.seen("? ");
      expect(program.text).toContain(["Let me see.", "✓ look", "· leap", "• Search"].join("\n"));
      expect(program.text).toMatch(/ {2}done, \d+ ms\nFound\\e\]0;title\\u0007 it\n/);
      expect(program.text).toMatch(/^ {2}isolation \w+/m);
      expect(program.text.replace(/^ {2}isolation .*\n/m, "")).toContain(
        [
          "The agent asks to execute",
          "  │ ls\\e[2K\\r  │ harmless",
          "  │ rm -rf /",
          "  in /srv",
          "  by the agent itself; reported by the agent",
          '  1 Allow once (y) "Yes"   2 Always allow (a)   3 Deny (n) "No"   Ctrl-C cancels the turn',
          "? ",
        ].join("\n"),
      );
      expect(program.raw).not.toMatch(/\u001B\]0;|\u001B\[2K/);
      program.type("3");
      await program.seen("? Deny\n");
      await program.seen(/ {2}│ make\n[^]*\? $/);
      const [approval] = await host.api.approvals.list();
      await host.api.approvals.resolve(approval?.requestId ?? "", "always");
      await program.seen("Permission approved by another client");
      host.open("gate");
      expect(await program.exitCode()).toBe(0);
      expect(program.text).toMatch(
        /by another client\nAll done\n[^]*Continue with `holdfast chat [0-9a-f]{8}`\.\n$/,
      );
      expect(host.record).toContain(
        '"answered":"first","result":{"outcome":{"outcome":"selected","optionId":"no"}}',
      );
    },
  );
});

describe("[C27] Ctrl-C", () => {
  it("[C27] once cancels the turn, twice leaves it to itself", { timeout: programsTimeoutMs }, async () => {
    const program = await start("hang", "--title", "hangs");
    await program.seen("Thinking");
    program.type(interrupt);
    await program.seen("Cancelling the turn. Press Ctrl-C again to leave");
    program.type(interrupt);
    expect(await program.exitCode()).toBe(130);
    const [, name = ""] =
      /The turn is still running: `holdfast watch ([0-9a-f]{8})` follows it/.exec(program.text) ?? [];
    const cancelled = await runWords(["cancel", name, "--json", "--home", host.home]);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ cancelled: true });
  });
});

it("[C873] one's own Ctrl-C at a question reads as one's own", { timeout: programsTimeoutMs }, async () => {
  const program = await TypedProgram.start(["run", "shell", "true", "--home", host.home], host.folder);
  await program.seen("Ctrl-C cancels the turn\n? ");
  program.type(interrupt);
  expect(await program.exitCode()).toBe(130);
  expect(program.text).toContain("Permission cancelled by you\n");
  expect(program.text).not.toContain("another client");
});

describe("[C300] run with an agent that is not signed in", () => {
  it(
    "[C300] asks whether to run the agent's own command, shows it here, and sends the message again",
    { timeout: programsTimeoutMs },
    async () => {
      const home = mkdtempSync(path.join(tmpdir(), "holdfast-sign-in-"));
      const file = path.join(home, "signed-in");
      const line = `echo "Code?"; read -r code; echo "$code" > ${file}`;
      const signIn = { command: "/bin/sh", args: ["-c", line] };
      const other = await ScriptedHost.start(home, {
        signInFile: file,
        authMethods: [{ id: "login", name: "Log in", _meta: { "terminal-auth": signIn } }],
        prompts: { work: [say("Hello")] },
      });
      try {
        const words = ["run", "scripted", "work", "--home", other.home];
        const refused = await TypedProgram.start(words, other.folder);
        await refused.seen("The agent is not signed in. Run `/bin/sh -c ");
        await refused.seen("[y/N] ");
        refused.type("n\r");
        expect(await refused.exitCode()).not.toBe(0);
        expect(refused.text).toContain(
          "scripted is not signed in (Authentication required). To sign in, run",
        );
        const program = await TypedProgram.start(words, other.folder);
        await program.seen("[y/N] ");
        program.type("y\r");
        // The question shows the command too; only its output ends the line there.
        await program.seen("Code?\n");
        program.type("1234\r");
        await program.seen("Hello");
        expect(await program.exitCode()).toBe(0);
        expect(readFileSync(file, "utf8")).toBe("1234\n");
      } finally {
        await other.close();
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
