// `run` as scripts use it: what is on stdout, what on stderr, and the exit code, without a terminal.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { defaultChatUri, ROOT_URI } from "@holdfast/ahp";
import { AhpClient, type ChannelHandle, webSocketTransport } from "@holdfast/ahp/client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { runWords, type CommandRun } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { askToRun, say, ScriptedHost, stop, update } from "../testing/scripted-host.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-run-"));
/** A busy machine takes its time to start programs. */
const programsTimeoutMs = 90_000;
let host: ScriptedHost;

const raw = "one\u001B[31m\u0007 two";
const thought = { content: { type: "text", text: "hm" } };
const call = { toolCallId: "call-1", title: "Look", kind: "read", status: "completed" };

beforeAll(async () => {
  host = await ScriptedHost.start(folder, {
    capabilities: { promptCapabilities: { image: true } },
    prompts: {
      parts: [update("agent_thought_chunk", thought), say(raw), update("tool_call", call), say("three")],
      tokens: [say("so far"), stop("max_tokens")],
      requests: [stop("max_turn_requests")],
      refuse: [stop("refusal")],
      fail: [{ do: "fail", code: -32603, message: "the model is away" }],
      cancelled: [stop("cancelled")],
      other: [stop("a_new_reason")],
      run: [askToRun("ask-1", "rm -rf build", "/srv"), say("ran")],
      hang: [say("Thinking"), { do: "hang" }],
      "*": [say("heard")],
    },
  });
});

afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(...words: string[]): Promise<CommandRun> {
  return runWords(["run", "scripted", ...words, "--home", host.home]);
}

function linesOf({ stdout }: CommandRun): { type: string; data: Record<string, unknown>; cursor?: string }[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown>; cursor?: string });
}

describe("[C22] run in a pipe", () => {
  it("[C22, C21] writes the answer alone, as it is, its parts set apart", async () => {
    expect(await run("parts")).toEqual({ code: 0, stdout: `${raw}\n\nthree\n`, stderr: "" });
  });

  it("[C22] makes a session where it is given, named by --title, and leaves it there unless --close", async () => {
    await run("hello", "there", "--title", "a name", "--cwd", folder);
    const kept = (await host.api.acpAgent.listSessions()).filter(({ label }) => label === "a name");
    expect(kept).toMatchObject([{ agent_id: "scripted", state: "ready", runtime_options: { cwd: folder } }]);
    expect(host.record).toContain('"text":"hello there"');
    await run("hello", "--title", "closed", "--close");
    const labels = (await host.api.acpAgent.listSessions()).map(({ label }) => label);
    expect(labels).not.toContain("closed");
  });

  it("[C712, C713] writes a command's output once, and names the limit that ended it on stderr", async () => {
    const shell = (...words: string[]): Promise<CommandRun> =>
      runWords(["run", "shell", "--policy", "approve-all", "--home", host.home, ...words]);
    const plain = await shell("echo one; echo two");
    expect(plain.stdout).toMatch(/^one\ntwo\n\nExit code 0 after .*\n$/);
    expect((await shell("true")).stdout).toMatch(/^No output\.\n\nExit code 0/);
    const stopped = await shell("sleep 60", "--limit", "time=1s");
    expect(stopped.stderr).toContain("sleep 60: Stopped: time limit (1 s)");
  });

  it("[C641] isolates a new session as asked, ls shows it, and a session that is there keeps its level", async () => {
    const [first] = linesOf(await run("hello", "--json", "--isolation", "none"));
    const key = String(first?.data["session_key"]);
    const { isolation } = await host.api.acpAgent.getSession(key);
    expect(isolation).toEqual({ wanted: "none", level: "none" });
    const { stdout } = await runWords(["ls", "--home", host.home]);
    expect(stdout).toMatch(/AGE +ISOLATION +FOLDER/);
    expect(stdout).toMatch(/ none +\S/);
    const changed = await run("more", "--session", key, "--isolation", "guard");
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining("when a session is created") });
    expect(await run("hello", "--isolation", "prison")).toMatchObject({ code: 2 });
  });

  it("[C22] continues a session, of the same agent only", async () => {
    const [first] = linesOf(await run("hello", "--json"));
    const key = String(first?.data["session_key"]);
    expect(await run("more", "--session", key.slice(0, -4))).toMatchObject({ code: 0, stdout: "heard\n" });
    expect(await runWords(["run", "shell", "x", "--session", key, "--home", host.home])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is one with scripted, not with shell"),
    });
  });

  it.each([
    [["-"], "piped"],
    [["look:", "at", "-", "please"], "look: at\\n\\npiped\\n\\nplease"],
    [[], "piped"],
  ])("[C22] reads stdin for %j", async (words, heard) => {
    const { stdin } = process;
    vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from(["pip", "ed\n"]) as typeof stdin);
    expect(await run(...words, "--close")).toMatchObject({ code: 0, stdout: "heard\n" });
    expect(host.record.trimEnd().split('"session/prompt"').at(-1)).toContain(`"text":"${heard}"`);
  });

  it("[C22] without a prompt says that there is none", async () => {
    const { code, stderr } = await run("");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("There is no prompt.") });
  });
});

describe("[C26] the exit code", () => {
  it.each([
    ["tokens", 20, "so far\n", "MAX_TOKENS"],
    ["requests", 21, "", "MAX_TURN_REQUESTS"],
    ["refuse", 22, "", "REFUSAL"],
    ["fail", 23, "", "the model is away"],
    ["cancelled", 130, "", ""],
    ["other", 0, "", ""],
  ])("[C26] of a turn that ends by %s is %i", async (prompt, code, stdout, message) => {
    const ended = await run(prompt, "--close");
    expect(ended).toMatchObject({ code, stdout });
    expect(ended.stderr).toContain(message);
    if (message === "") expect(ended.stderr).toBe("");
  });
});

describe("an answer of the built-in agent", () => {
  const runShell = (...words: string[]): Promise<CommandRun> =>
    runWords(["run", "shell", "--home", host.home, "--close", ...words]);

  it("[C380] has no code fences, unless they are asked for", async () => {
    const approved = ["--policy", "approve-all", "echo hi"];
    expect((await runShell(...approved)).stdout).toMatch(/^hi\n\nExit code 0 /);
    expect((await runShell("--markdown", ...approved)).stdout).toMatch(/^```\nhi\n```\n/);
  });

  it("[C381] whose every action the policy denied exits with 7", async () => {
    const { code, stderr } = await runShell("--policy", "deny-all", "echo hi");
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringContaining("ACTIONS_DENIED") as string,
    });
  });
});

describe("[C27] SIGTERM", () => {
  it(
    "[C27] leaves the turn to itself, and cancels it with --cancel-on-exit",
    { timeout: programsTimeoutMs },
    async () => {
      const words = ["run", "scripted", "hang", "--json", "--home", host.home];
      const runs = [words, [...words, "--cancel-on-exit"]].map((each) => {
        const program = new ProgramRun(each, { program: "main" });
        onTestFinished(async () => void (await program.stop("SIGKILL")));
        return program;
      });
      const ends = runs.map(async (program) => {
        await program.until(({ stdout }) => (stdout.includes("Thinking") ? true : undefined));
        return program.stop("SIGTERM");
      });
      expect(await Promise.all(ends)).toEqual([
        { code: null, signal: "SIGTERM" },
        { code: 143, signal: null },
      ]);
      const [left = "", cancelled = ""] = runs.map(({ stdout }) => /agent:[\w:-]+/.exec(stdout)?.[0]);
      const reasons = [];
      for await (const { type, data } of host.api.acpAgent.streamEvents(cancelled)) {
        if (type === "done") reasons.push(data.stopReason);
      }
      expect(reasons).toEqual(["cancelled"]);
      const asked = await runWords(["cancel", left, "--json", "--home", host.home]);
      expect(JSON.parse(asked.stdout)).toMatchObject({ cancelled: true });
    },
  );
});

/** The chat of a session, as a client of AHP sees it. */
async function chatOf(key: string): Promise<ChannelHandle<"chat">> {
  const read = (name: string): string => readFileSync(path.join(host.home, name), "utf8");
  const { url } = JSON.parse(read("host.json")) as { url: string };
  const client = new AhpClient({
    clientId: "watcher",
    open: () =>
      webSocketTransport(new WebSocket(`${url.replace("http", "ws")}/ahp?tkn=${read("token").trim()}`)),
  });
  onTestFinished(() => client.close());
  await client.connect();
  const root = await client.subscribe(ROOT_URI, "root");
  const session = root.state.sessions.find((each) => each.key === key);
  return client.subscribe(defaultChatUri(session!.resource), "chat");
}

it(
  "[C27] --cancel-on-exit takes back a message that waits behind another client's turn, which goes on",
  { timeout: programsTimeoutMs },
  async () => {
    const { acpAgent } = host.api;
    const { session_key: key } = await acpAgent.createSession({ agent_id: "scripted", cwd: host.folder });
    const events = acpAgent.streamChat(key, "hang")[Symbol.asyncIterator]();
    await events.next();
    const words = ["run", "scripted", "--session", key, "--queue", "--cancel-on-exit", "parts", "--json"];
    const program = new ProgramRun([...words, "--home", host.home], { program: "main" });
    onTestFinished(async () => void (await program.stop("SIGKILL")));
    const chat = await chatOf(key);
    await expect.poll(() => chat.state.queuedMessages.length).toBe(1);
    expect(await program.stop("SIGTERM")).toMatchObject({ code: 143 });
    await expect.poll(() => chat.state.queuedMessages.length).toBe(0);
    expect(chat.state.activeTurn?.message.text).toBe("hang");
    await acpAgent.cancelTurn(key);
  },
);

describe("[C28] --json", () => {
  it("[C28] names the session, then each event with the cursor that follows it", async () => {
    const ended = await run("parts", "--json");
    const lines = linesOf(ended);
    expect(lines.map(({ type }) => type)).toEqual([
      "session",
      "text_delta",
      "text_delta",
      "tool_call",
      "tool_call",
      "text_delta",
      "done",
      "close",
    ]);
    const key = String(lines[0]?.data["session_key"]);
    const after = lines[2]?.cursor ?? "";
    const rest = [];
    for await (const event of host.api.acpAgent.streamEvents(key, { after })) rest.push(event.type);
    expect(rest).toEqual(["tool_call", "tool_call", "text_delta", "done", "close"]);
  });
});

describe("[C23] without a terminal", () => {
  it(
    "[C23] a question stays open, and stderr names the command that answers it, once",
    { timeout: programsTimeoutMs },
    async () => {
      const program = new ProgramRun(["run", "scripted", "run", "--home", host.home], { program: "main" });
      onTestFinished(async () => void (await program.stop("SIGKILL")));
      const id = await program.until(({ stderr }) => /holdfast approve (\S+)`/.exec(stderr)?.[1]);
      expect(await host.api.approvals.list()).toMatchObject([{ requestId: id, target: "rm -rf build" }]);
      expect(await runWords(["approve", id, "--home", host.home])).toMatchObject({ code: 0 });
      expect(await program.end()).toEqual({ code: 0, signal: null });
      expect(program.stdout).toBe("ran\n");
      expect(program.stderr).toBe(
        `holdfast: The agent asks to execute "rm -rf build" and waits: ` +
          `answer it with \`holdfast approve ${id}\` or \`holdfast deny ${id}\`.\n`,
      );
    },
  );

  it(
    "[C860] a person's denial of everything exits with 7, as a policy's does",
    { timeout: programsTimeoutMs },
    async () => {
      const program = new ProgramRun(["run", "scripted", "run", "--home", host.home], { program: "main" });
      onTestFinished(async () => void (await program.stop("SIGKILL")));
      const id = await program.until(({ stderr }) => /holdfast deny (\S+)`/.exec(stderr)?.[1]);
      expect(await runWords(["deny", id, "--home", host.home])).toMatchObject({ code: 0 });
      expect(await program.end()).toEqual({ code: 7, signal: null });
      expect(program.stderr).toContain(
        "holdfast: Every action that the agent asked for was denied. (ACTIONS_DENIED)\n" +
          "  To decide again, send the prompt again.\n",
      );
    },
  );

  it("[C23] a policy answers, and nothing is said", async () => {
    expect(await run("run", "--policy", "approve-all")).toEqual({ code: 0, stdout: "ran\n", stderr: "" });
  });
});

describe("[C25] --attach", () => {
  it("[C25] sends files in their order, each as what it is", async () => {
    writeFileSync(path.join(folder, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64"));
    const file = path.join(folder, "dot.png");
    expect(await run("look", "--attach", file, "--attach", file)).toMatchObject({ code: 0 });
    expect(host.record).toContain(
      '{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"image","data":"iVBORw0KGgo="',
    );
  });

  it("[C25] what the agent does not take is refused, and no session is left behind", async () => {
    writeFileSync(path.join(folder, "notes.txt"), "words");
    const ended = await run("look", "--attach", path.join(folder, "notes.txt"), "--title", "useless");
    expect(ended).toMatchObject({ code: 7, stderr: expect.stringContaining("ACP_ATTACHMENT_NOT_SUPPORTED") });
    const labels = (await host.api.acpAgent.listSessions({ closed: true })).map(({ label }) => label);
    expect(labels).not.toContain("useless");
    expect(await run("look", "--attach", path.join(folder, "nowhere"))).toMatchObject({ code: 2 });
  });
});
