// The five terminal methods as an ACP client serves them, on real commands.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findByArgument, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { guardLeaks } from "../testing/leaks.ts";
import type { AcpTerminals, AcpTerminalsOptions } from "./acp-terminals.ts";
import type { TerminalEvent } from "./terminal-event.ts";
import { makeAcpTerminals } from "../testing/level.ts";

guardLeaks();
const open: AcpTerminals[] = [];
const folder = realpathSync(mkdtempSync(join(tmpdir(), "acp-terminals-")));
/** For tests without options: its helper is started once. */
let shared: AcpTerminals | undefined;
afterEach(async () => {
  await shared?.closeSession(sessionId);
  await Promise.all(open.splice(0).map((terminals) => terminals.close()));
});
afterAll(async () => {
  await shared?.close();
  rmSync(folder, { recursive: true });
});

const sessionId = "session";
function serve(options?: AcpTerminalsOptions): AcpTerminals {
  if (options === undefined) return (shared ??= make({}));
  const terminals = make(options);
  open.push(terminals);
  return terminals;
}

function make(options: AcpTerminalsOptions): AcpTerminals {
  return makeAcpTerminals({ environment: process.env, cwd: folder, killGraceMs: 1000, ...options });
}

async function run(
  terminals: AcpTerminals,
  command: string,
  more: object = {},
): Promise<{ sessionId: string; terminalId: string }> {
  return { sessionId, ...(await terminals.createTerminal({ sessionId, command, ...more })) };
}

async function untilOutput(
  terminals: AcpTerminals,
  id: { sessionId: string; terminalId: string },
  text: string,
): Promise<void> {
  while (!(await terminals.terminalOutput(id)).output.includes(text)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("the shapes of ACP v1", () => {
  it("[T30] create answers at once; output, wait, kill and release answer as the protocol says", async () => {
    const terminals = serve();
    const id = await run(terminals, "echo one; read line < /dev/null; sleep 0.2; exit 3");
    await untilOutput(terminals, id, "one");
    expect(await terminals.terminalOutput(id)).toEqual({ output: "one\n", truncated: false });
    expect(await terminals.waitForTerminalExit(id)).toEqual({ exitCode: 3, signal: null });
    expect(await terminals.terminalOutput(id)).toEqual({
      output: "one\n",
      truncated: false,
      exitStatus: { exitCode: 3, signal: null },
    });
    expect(await terminals.killTerminal(id)).toEqual({});
    expect(await terminals.releaseTerminal(id)).toEqual({});
  });

  it("[T30] a kill leaves the terminal readable and its status has the signal", async () => {
    const terminals = serve();
    const id = await run(terminals, "echo before; sleep 60");
    await untilOutput(terminals, id, "before");
    expect(await terminals.killTerminal(id)).toEqual({});
    expect(await terminals.killTerminal(id)).toEqual({});
    expect(await terminals.waitForTerminalExit(id)).toEqual({ exitCode: null, signal: "SIGTERM" });
    expect(await terminals.terminalOutput(id)).toEqual({
      output: "before\n",
      truncated: false,
      exitStatus: { exitCode: null, signal: "SIGTERM" },
    });
  });

  it("[T30] the output limit keeps the tail on a character boundary", async () => {
    const terminals = serve();
    const id = await run(terminals, "printf 'aäöü€😀'", { outputByteLimit: 8 });
    await terminals.waitForTerminalExit(id);
    expect(await terminals.terminalOutput(id)).toMatchObject({ output: "€😀", truncated: true });
  });

  it("[T30] absent and null fields mean the same, and the session's directory is the default", async () => {
    const terminals = serve({ sessionCwd: (id) => (id === sessionId ? "/usr" : undefined) });
    const id = await run(terminals, "pwd", {
      args: null,
      env: null,
      cwd: null,
      outputByteLimit: null,
      _meta: null,
    });
    await terminals.waitForTerminalExit(id);
    expect((await terminals.terminalOutput(id)).output).toBe("/usr\n");
  });

  it("[T31] env may be a map; the older fields are added only when asked for", async () => {
    const terminals = serve({ olderShapes: true });
    const id = await run(terminals, "echo $WORD; exit 4", { env: { WORD: "hello" } });
    expect(await terminals.waitForTerminalExit(id)).toEqual({
      exitCode: 4,
      signal: null,
      exitStatus: { exitCode: 4, signal: null, type: "exit_code", code: 4 },
    });
    expect(await terminals.terminalOutput(id)).toEqual({
      output: "hello\n",
      truncated: false,
      exitStatus: { exitCode: 4, signal: null, type: "exit_code", code: 4 },
    });
    const killed = await run(terminals, "kill -KILL $$");
    expect(await terminals.waitForTerminalExit(killed)).toMatchObject({
      exitStatus: { type: "signal", signal: "SIGKILL" },
    });
  });

  it("[T34] the ready JSON is the same result", async () => {
    const terminals = serve();
    for (const command of ["printf 'a\"b\\\\c\\t\\001\\377 €'; exit 2", "true", "echo running; sleep 60"]) {
      const id = await run(terminals, command);
      if (command.includes("sleep")) await untilOutput(terminals, id, "running");
      else await terminals.waitForTerminalExit(id);
      const json = Buffer.concat(await terminals.terminalOutputJson(id)).toString("utf8");
      expect(JSON.parse(json)).toEqual(await terminals.terminalOutput(id));
    }
  });

  it("[T30] a client requests a tty through _meta, and its text is folded", async () => {
    const terminals = serve();
    const id = await run(
      terminals,
      "tty >/dev/null && printf '10%%\\r100%%\\n\\033[31mred\\033[0m\\n'; tput cols",
      { _meta: { holdfast: { tty: true, columns: 90 } } },
    );
    await terminals.waitForTerminalExit(id);
    expect((await terminals.terminalOutput(id)).output).toBe("100%\nred\n90\n");
  });
});

describe("ids and waits", () => {
  it("[T32] an id belongs to its session; unknown ones are errors, but not for release", async () => {
    const terminals = serve();
    const { terminalId } = await run(terminals, "true");
    const unknown = expect.objectContaining({
      code: "terminal_not_found",
      rpcCode: -32002,
      field: "terminalId",
    });
    for (const id of [
      { sessionId: "other", terminalId },
      { sessionId, terminalId: "other" },
    ]) {
      await expect(terminals.terminalOutput(id)).rejects.toEqual(unknown);
      await expect(terminals.terminalOutputJson(id)).rejects.toEqual(unknown);
      await expect(terminals.waitForTerminalExit(id)).rejects.toEqual(unknown);
      await expect(terminals.killTerminal(id)).rejects.toEqual(unknown);
      expect(await terminals.releaseTerminal(id)).toEqual({});
    }
    await terminals.releaseTerminal({ sessionId, terminalId });
    await expect(terminals.terminalOutput({ sessionId, terminalId })).rejects.toEqual(unknown);
    expect(await terminals.releaseTerminal({ sessionId, terminalId })).toEqual({});
  });

  it.each(["killTerminal", "releaseTerminal"] as const)(
    "[T33] a pending wait is answered on %s",
    async (method) => {
      const terminals = serve();
      const id = await run(terminals, "sleep 60");
      const waits = [terminals.waitForTerminalExit(id), terminals.waitForTerminalExit(id)];
      await terminals[method](id);
      expect(await Promise.all(waits)).toEqual([
        { exitCode: null, signal: "SIGTERM" },
        { exitCode: null, signal: "SIGTERM" },
      ]);
    },
  );

  it("[T33] a pending wait is answered when the session closes, the engine closes, or the helper dies", async () => {
    const terminals = serve({});
    const closed = terminals.waitForTerminalExit(await run(terminals, "sleep 60"));
    await terminals.closeSession(sessionId);
    expect(await closed).toEqual({ exitCode: null, signal: "SIGTERM" });
    const lost = terminals.waitForTerminalExit(await run(terminals, "sleep 60"));
    process.kill(terminals.engine.helperPid ?? 0, "SIGKILL");
    expect(await lost).toEqual({ exitCode: null, signal: null });
    const ended = terminals.waitForTerminalExit(await run(terminals, "sleep 60"));
    await terminals.close();
    expect((await ended).signal).toBe("SIGTERM");
  });

  it("[T35] a cancelled wait is answered as cancelled, and the others continue", async () => {
    const terminals = serve();
    const id = await run(terminals, "sleep 60");
    const controller = new AbortController();
    const cancelled = terminals.waitForTerminalExit(id, { signal: controller.signal });
    const other = terminals.waitForTerminalExit(id);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled", rpcCode: -32800 });
    await terminals.killTerminal(id);
    expect((await other).signal).toBe("SIGTERM");
  });

  it("[T35] a create cancelled while somebody is asked starts nothing", async () => {
    const controller = new AbortController();
    const seconds = uniqueSeconds();
    const terminals = serve({
      validate: () => ({ decision: "ask" }),
      ask: async () => {
        controller.abort();
        return true;
      },
    });
    await expect(
      terminals.createTerminal({ sessionId, command: `sleep ${seconds}` }, { signal: controller.signal }),
    ).rejects.toMatchObject({ code: "cancelled" });
    expect(await untilGone(seconds)).toEqual([]);
  });
});

describe("what a client may forbid", () => {
  it("[T360] a line for the shell, where only programs are allowed", async () => {
    const terminals = serve({ allowShell: false });
    for (const command of ["echo hi; echo there", "echo $HOME", "true && true"]) {
      await expect(terminals.createTerminal({ sessionId, command })).rejects.toMatchObject({
        code: "invalid_request",
        field: "command",
      });
    }
    const program = await run(terminals, "echo", { args: ["a; b"] });
    await terminals.waitForTerminalExit(program);
    expect((await terminals.terminalOutput(program)).output).toBe("a; b\n");
    await terminals.waitForTerminalExit(await run(terminals, "true"));
  });

  it("[T36] a directory outside the roots, also through a link or a similar name", async () => {
    const inside = join(folder, "a");
    for (const name of ["a", "a/deep", "ab"]) mkdirSync(join(folder, name));
    symlinkSync(join(folder, "ab"), join(inside, "link"));
    const terminals = serve({ allowedRoots: [inside], cwd: inside });
    for (const cwd of [undefined, inside, join(inside, "deep"), `${inside}/`]) {
      const id = await run(terminals, "pwd", { cwd });
      expect((await terminals.waitForTerminalExit(id)).exitCode).toBe(0);
    }
    for (const cwd of [folder, join(folder, "ab"), join(inside, "link"), join(inside, ".."), "/"]) {
      await expect(run(terminals, "pwd", { cwd })).rejects.toMatchObject({
        code: "outside_roots",
        field: "cwd",
      });
    }
    await expect(run(terminals, "pwd", { cwd: join(inside, "missing") })).rejects.toMatchObject({
      code: "directory_not_found",
      field: "cwd",
    });
  });

  it("[T37] a command is allowed, asked about or denied", async () => {
    const asked: string[] = [];
    const terminals = serve({
      validate: ({ command }) =>
        command === "true"
          ? { decision: "allow" }
          : command === "rm"
            ? { decision: "deny", reason: "rm is not for agents" }
            : { decision: "ask" },
      ask: async ({ command }) => {
        asked.push(command);
        return command === "echo";
      },
    });
    await run(terminals, "true");
    await run(terminals, "echo");
    await expect(run(terminals, "rm")).rejects.toMatchObject({
      code: "denied",
      message: "rm is not for agents",
    });
    await expect(run(terminals, "ls")).rejects.toMatchObject({
      code: "denied",
      rpcCode: -32009,
      message: expect.stringContaining("Ask the user") as string,
    });
    expect(asked).toEqual(["echo", "ls"]);
    await expect(run(serve({ validate: () => ({ decision: "ask" }) }), "true")).rejects.toMatchObject({
      code: "denied",
    });
  });

  it("[T320] what cannot run is the request's fault, not an internal error", async () => {
    const terminals = serve();
    await expect(run(terminals, "no-such-program", { args: ["x"] })).rejects.toMatchObject({
      code: "program_not_found",
      rpcCode: -32602,
      message: expect.stringMatching(/no-such-program.*full path/) as string,
    });
    await expect(run(terminals, "/etc/passwd", { args: ["x"] })).rejects.toMatchObject({
      code: "program_not_executable",
      rpcCode: -32602,
    });
    await expect(run(terminals, "ls", { cwd: "/no/such/place" })).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it("[T38] every event is reported, and a faulty hook changes nothing", async () => {
    const events: TerminalEvent[] = [];
    const terminals = serve({
      onEvent: (event) => {
        events.push(event);
        throw new Error("faulty hook");
      },
    });
    const id = await run(terminals, "exit 2");
    await terminals.waitForTerminalExit(id);
    await terminals.killTerminal(id);
    await terminals.releaseTerminal(id);
    await expect(run(terminals, "nosuch")).rejects.toThrow("nosuch");
    expect(events).toMatchObject([
      { type: "created", sessionId, command: "exit 2", cwd: folder, terminalId: id.terminalId },
      { type: "exited", terminalId: id.terminalId, exit: { exitCode: 2 } },
      { type: "killed", left: [] },
      { type: "released", background: [] },
      { type: "refused", command: "nosuch", code: "program_not_found" },
    ]);
  });

  it.each([
    [{ sessionId: 7 }, "sessionId"],
    [{ sessionId: "" }, "sessionId"],
    [{ command: undefined }, "command"],
    [{ command: "" }, "command"],
    [{ args: "a" }, "args"],
    [{ args: [7] }, "args[0]"],
    [{ env: "A=B" }, "env"],
    [{ env: [{ name: "A" }] }, "env[0].value"],
    [{ cwd: "here" }, "cwd"],
    [{ cwd: 7 }, "cwd"],
    [{ outputByteLimit: -1 }, "outputByteLimit"],
    [{ outputByteLimit: "big" }, "outputByteLimit"],
  ])("[T5] %j is refused, naming %s", async (fault, field) => {
    await expect(
      serve().createTerminal({ sessionId, command: "true", ...(fault as object) }),
    ).rejects.toMatchObject({ code: "invalid_request", rpcCode: -32602, field });
  });
});

describe("release", () => {
  it("[T39] of a running command ends its whole tree", async () => {
    const terminals = serve();
    const seconds = uniqueSeconds();
    const id = await run(terminals, `setsid sleep ${seconds} & sleep ${seconds}`);
    await terminals.releaseTerminal(id);
    expect(await untilGone(seconds)).toEqual([]);
  });

  it("[T39] after the exit hands survivors to the session, which ends them when it closes", async () => {
    const terminals = serve();
    const seconds = uniqueSeconds();
    const id = await run(terminals, `sleep ${seconds} & echo started`);
    await terminals.waitForTerminalExit(id);
    await terminals.releaseTerminal(id);
    expect(findByArgument(seconds)).toHaveLength(1);
    expect((await terminals.background(sessionId)).map((terminal) => terminal.id)).toEqual([id.terminalId]);
    await terminals.closeSession(sessionId);
    expect(await untilGone(seconds)).toEqual([]);
  });

  it("[T39] background work that has ended is no longer listed", async () => {
    const terminals = serve();
    const id = await run(terminals, "(exec >/dev/null 2>&1; exec sleep 0.4) & echo started");
    await terminals.waitForTerminalExit(id);
    await terminals.releaseTerminal(id);
    expect(await terminals.background(sessionId)).toHaveLength(1);
    while ((await terminals.background(sessionId)).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(terminals.display(id)?.output.tail().output).toBe("started\n");
  });

  it("[T39] output stays readable for display", async () => {
    const terminals = serve();
    const id = await run(terminals, "echo kept");
    await terminals.waitForTerminalExit(id);
    await terminals.releaseTerminal(id);
    expect(terminals.display(id)?.output.tail()).toEqual({ output: "kept\n", truncated: false });
    expect(terminals.display({ sessionId: "other", terminalId: id.terminalId })).toBeUndefined();
  });

  it("[T39] of a terminal that a person took over only drops the agent's handle", async () => {
    const terminals = serve();
    const id = await run(terminals, "cat", { _meta: { holdfast: { tty: true } } });
    const wait = terminals.waitForTerminalExit(id);
    terminals.takeOver(id);
    await terminals.releaseTerminal(id);
    const terminal = terminals.display(id);
    terminal?.write("typed\n");
    while (terminal?.output.tail().output.includes("typed\ntyped") !== true) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    terminal.write("\x04");
    expect(await wait).toEqual({ exitCode: 0, signal: null });
  });

  it("[T39] a terminal given back is the agent's again", async () => {
    const terminals = serve();
    const id = await run(terminals, "sleep 60");
    terminals.takeOver(id);
    terminals.giveBack(id);
    const wait = terminals.waitForTerminalExit(id);
    await terminals.releaseTerminal(id);
    expect((await wait).signal).toBe("SIGTERM");
  });

  it("[T39] on detach a pending wait resolves without a status, and the command continues", async () => {
    const terminals = serve();
    const seconds = uniqueSeconds();
    const id = await run(terminals, `sleep ${seconds}`);
    const wait = terminals.waitForTerminalExit(id);
    terminals.detach(id);
    expect(await wait).toEqual({ exitCode: null, signal: null });
    await terminals.releaseTerminal(id);
    // In the first moment of a sandboxed command there is only the process that waits for it, with its words or without.
    const sleeping = (): string[] => findByArgument(seconds).filter((found) => /^\d+ sleep /.test(found));
    await expect.poll(sleeping).toHaveLength(1);
    expect(await terminals.background(sessionId)).toHaveLength(1);
    await terminals.closeSession(sessionId);
    expect(await untilGone(seconds)).toEqual([]);
  });
});
