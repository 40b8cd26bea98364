// `watch` and `cancel` against a real host: a session across its turns, and the whole host.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { askToRun, say, ScriptedHost } from "../testing/scripted-host.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-watch-"));
/** A busy machine takes its time to start programs. */
const programsTimeoutMs = 90_000;
let host: ScriptedHost;

beforeAll(async () => {
  host = await ScriptedHost.start(folder, {
    prompts: {
      one: [say("first")],
      two: [say("second")],
      hang: [say("Thinking"), { do: "hang" }],
      ask: [askToRun("ask", "make all"), say("made")],
    },
  });
});

afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Printed {
  readonly type?: string;
  readonly event?: string;
  readonly cursor?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

function watch(...words: string[]): ProgramRun {
  const run = new ProgramRun(["watch", ...words, "--home", host.home], { program: "main" });
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return run;
}

function printed({ stdout }: ProgramRun): Printed[] {
  const lines = stdout.slice(0, stdout.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Printed);
}

async function newSession(): Promise<string> {
  const { session_key } = await host.api.acpAgent.createSession({ agent_id: "scripted", cwd: host.folder });
  return session_key;
}

async function turn(key: string, message: string): Promise<void> {
  for await (const { type } of host.api.acpAgent.streamChat(key, message)) expect(type).not.toBe("error");
}

/** Gist of a session's lines, without the parts that are always the same. */
function gist(lines: readonly Printed[]): string[] {
  return lines.flatMap(({ type, data }) => {
    const isWords = type === "text_delta" || data?.["tag"] === "turn_started";
    if (isWords) return [`${type}: ${String(data?.["text"])}`];
    return type === "done" ? [type] : [];
  });
}

it("[C848] a watcher whose key is revoked fails with 5", { timeout: programsTimeoutMs }, async () => {
  const session = await newSession();
  await turn(session, "one");
  for (const words of [[], [session, "--after", "0"]]) {
    const { key, secret } = await host.api.keys.create({ name: "watcher", scopes: ["admin"] });
    const run = new ProgramRun(["watch", ...words, "--json", "--home", host.home], {
      program: "main",
      environment: { HOLDFAST_TOKEN: secret },
    });
    onTestFinished(async () => void (await run.stop("SIGKILL")));
    await run.until(({ stdout }) => (stdout === "" ? undefined : true));
    await host.api.keys.revoke(key.id);
    expect(await run.end()).toMatchObject({ code: 5 });
    expect(run.stderr).toContain("UNAUTHORIZED");
  }
});

describe("[C31] watching a session", () => {
  it(
    "[C31, C20] prints the events since a cursor and continues across turns; Ctrl-C ends it with 0",
    { timeout: programsTimeoutMs },
    async () => {
      const key = await newSession();
      await turn(key, "one");
      const whole = watch(key.slice(-36, -24), "--after", "0", "--json");
      await whole.until((run) => printed(run).find(({ type }) => type === "close"));
      const all = ["status: one", "text_delta: first", "done"];
      expect(gist(printed(whole))).toEqual(all);
      await turn(key, "two");
      await whole.until((run) => printed(run).filter(({ type }) => type === "close")[1]);
      expect(gist(printed(whole))).toEqual([...all, "status: two", "text_delta: second", "done"]);
      expect(await whole.stop("SIGINT")).toEqual({ code: 0, signal: null });

      const { cursor = "" } = printed(whole).find(({ type }) => type === "text_delta") ?? {};
      const running = host.api.acpAgent.streamChat(key, "hang");
      await running.next();
      const [rest, now] = [watch(key, "--after", cursor, "--json"), watch(key)];
      await rest.until((run) => gist(printed(run)).find((line) => line.includes("Thinking")));
      expect(gist(printed(rest))).toEqual([
        "done",
        "status: two",
        "text_delta: second",
        "done",
        "status: hang",
        "text_delta: Thinking",
      ]);
      await now.until(({ stdout }) => (stdout.includes("Thinking") ? true : undefined));
      expect(now.stdout).toBe("> hang\nThinking");

      const cancelled = await runWords(["cancel", key, "--home", host.home]);
      expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining("is cancelled.") });
      await now.until(({ stdout }) => (stdout.endsWith("\n") ? true : undefined));
      await host.api.acpAgent.closeSession(key);
      expect(await now.end()).toEqual({ code: 0, signal: null });
    },
  );
});

describe("[C32] watching the host", () => {
  it(
    "[C32] reports sessions, their pending approvals, and terminals",
    { timeout: programsTimeoutMs },
    async () => {
      const key = await newSession();
      const [lines, people] = [watch("--json"), watch()];
      const next = (event: string, isIt: (change: Printed) => boolean = () => true): Promise<Printed> =>
        lines.until((run) => printed(run).find((change) => change.event === event && isIt(change)));
      const isOurs = ({ session_key }: Printed): boolean => session_key === key;
      expect(await next("session_added", isOurs)).toMatchObject({ agent: "scripted", state: "idle" });
      await people.until(({ stdout }) => (stdout.includes("scripted, idle") ? true : undefined));
      const asking = host.api.acpAgent.streamChat(key, "ask");
      await asking.next();
      const { requestId } = await next("approval_waiting", isOurs);
      const question = `asks to execute make all: holdfast approve ${String(requestId)}`;
      await people.until(({ stdout }) => (stdout.includes(question) ? true : undefined));
      expect(await next("session_changed", ({ state }) => state === "needs-approval")).toBeDefined();
      await people.until(({ stdout }) => (stdout.includes("needs approval") ? true : undefined));
      await host.api.approvals.resolve(String(requestId), "yes");
      expect(await next("approval_settled")).toMatchObject({ requestId, target: "make all" });
      const shell = await host.api.acpAgent.createSession({
        agent_id: "shell",
        cwd: host.folder,
        approvalPolicy: "approve-all",
      });
      await turn(shell.session_key, "exit 3");
      const { terminalId } = await next("terminal_started");
      expect(await next("terminal_ended")).toMatchObject({ terminalId, exit: { kind: "code", exitCode: 3 } });
      await host.api.acpAgent.closeSession(key);
      await next("session_removed", isOurs);
      await people.until(({ stdout }) => (/exit 3 exit 3\n[^]*is closed/.test(stdout) ? true : undefined));
      expect(await people.stop("SIGINT")).toEqual({ code: 0, signal: null });
    },
  );
});

describe("[C33] cancel", () => {
  it("[C33, C20] says when no turn runs, and names those that a word may mean", async () => {
    const key = await newSession();
    await newSession();
    const idle = await runWords(["cancel", key, "--json", "--home", host.home]);
    expect(JSON.parse(idle.stdout)).toEqual({ session_key: key, cancelled: false });
    const several = await runWords(["cancel", "agent:scripted", "--home", host.home]);
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining(key) });
    expect(await runWords(["cancel", "nonesuch", "--home", host.home])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("ACP_SESSION_NOT_FOUND"),
    });
  });
});
