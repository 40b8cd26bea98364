// The commands that look after sessions, approvals, keys, apps and the audit, against one real host.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SessionState, Turn } from "@holdfast/ahp";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runWords, type CommandRun } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { TypedProgram } from "../testing/typed-program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-care-"));
const home = path.join(folder, "home");
const work = path.join(folder, "work");
let host: ProgramRun;
let api: Holdfast;

beforeAll(async () => {
  mkdirSync(work);
  host = new ProgramRun(["--port", "0", "--home", home, "--json"], { program: "main" });
  const { url, token } = await host.ready();
  api = new Holdfast({ baseUrl: url, apiKey: token });
}, 60_000);

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(...words: string[]): Promise<CommandRun> {
  return runWords([...words, "--home", home]);
}

async function read<Value>(...words: string[]): Promise<Value> {
  const { code, stdout, stderr } = await run(...words, "--json");
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
  return JSON.parse(stdout) as Value;
}

function linesOf<Line>({ stdout }: CommandRun): Line[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function refused(...words: string[]): Promise<{ code: string; exitCode: number }> {
  const { code, stderr } = await run(...words);
  const { error } = JSON.parse(stderr) as { error: { code: string; exitCode: number; remedy: string } };
  expect(error.exitCode).toBe(code);
  return { code: error.code, exitCode: code };
}

async function createSession(label?: string, approvalPolicy?: "approve-all"): Promise<string> {
  const { session_key } = await api.acpAgent.createSession({
    agent_id: "shell",
    cwd: work,
    ...(label !== undefined && { label }),
    ...(approvalPolicy && { approvalPolicy }),
  });
  return session_key;
}

const shortName = (key: string): string => (key.split(":").at(-1) ?? "").slice(0, 8);

/** Begins a turn that asks, and waits until it does. */
async function ask(key: string, message: string): Promise<{ requestId: string; ended: Promise<string> }> {
  const stream = api.acpAgent.streamChat(key, message);
  for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) }) {
    if (event.type !== "permission_request") continue;
    const drain = async (): Promise<string> => {
      let events = "";
      for await (const each of stream) events += JSON.stringify(each);
      return events;
    };
    return { requestId: event.data.requestId, ended: drain() };
  }
  return expect.fail("nothing was asked");
}

describe("[C50] sessions and agents", () => {
  it("[C50] ls shows what needs a person first, and closed ones when asked", async () => {
    const calm = await createSession("calm");
    const over = await createSession("over");
    const asking = await createSession();
    const { requestId, ended } = await ask(asking, "echo \u001B[31mred\u202E");
    expect((await run("close", shortName(over), "--reason", "done")).code).toBe(0);
    type Listed = { session_key: string; state: string; title: string; cwd: string };
    const open = await read<Listed[]>("ls");
    expect(open.map(({ session_key, state, cwd }) => [session_key, state, cwd])).toEqual([
      [asking, "needs-approval", work],
      [calm, "ready", work],
    ]);
    const table = (await run("ls", "--all")).stdout;
    expect(table).toMatch(
      new RegExp(
        `^SESSION +AGENT +STATE +AGE +FOLDER +TITLE\n${shortName(asking)} +shell +needs approval +\\ds +${work} +echo \\\\e\\[31mred\\\\u202e\n`,
      ),
    );
    expect(table).toMatch(/ closed .* over\n$/);
    const lesser = await api.keys.create({ name: "lesser", scopes: ["acp.agent"] });
    const { stdout } = await runWords(["ls", "--json", "--home", home], { HOLDFAST_TOKEN: lesser.secret });
    expect(JSON.parse(stdout)).toEqual([]);
    await api.approvals.resolve(requestId, "leave-it");
    await ended;
    for (const key of [calm, asking]) await api.acpAgent.closeSession(key);
  });

  it("[C50] agents lists which are installed, signed in, and of which version", async () => {
    const agents = await read<{ id: string; installed: boolean; models?: unknown }[]>("agents");
    expect(agents).toContainEqual(expect.objectContaining({ id: "shell", installed: true }));
    const { stdout } = await run("agents", "--models");
    expect(stdout).toMatch(/^AGENT +STATE +SIGN-IN +VERSION +NAME\nshell +installed +ready +\d/);
    expect(stdout).toContain("shell: no models, it offers none");
  });
});

describe("[C51] [C52] approvals", () => {
  it("[C51] shows exactly what would run and where, and nothing that steers a terminal", async () => {
    const key = await createSession("shows");
    const { ended } = await ask(key, "printf 'one\u001B]0;title\u0007'\u202E");
    const { stdout } = await run("approvals");
    expect(stdout).toContain(`  Runs     printf 'one\\e]0;title\\u0007'\\u202e\n  In       ${work}\n`);
    expect(stdout).toContain("run-it (Allow once), run-all-from-now (Always allow), leave-it (Deny)");
    expect(stdout).toContain("  By       the host, which enforces your decision\n");
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(await refused("approve", "ffffffff")).toEqual({ code: "APPROVAL_NOT_FOUND", exitCode: 6 });
    expect(await refused("approve", key, "leave-it")).toEqual({ code: "OPTION_NOT_OFFERED", exitCode: 2 });
    expect(await refused("deny", key, "--always")).toEqual({ code: "OPTION_NOT_OFFERED", exitCode: 2 });
    const denied = await run("deny", shortName(key));
    expect(denied.stdout).toMatch(/^Denied with "Deny":\n {2}Runs +printf/);
    expect(await ended).toContain(`"optionId":"leave-it"`);
    await api.acpAgent.closeSession(key);
  });

  it("[C52] answers by id, by its beginning, by the session, and with the option that is named", async () => {
    const key = await createSession("answers");
    const first = await ask(key, "echo one");
    expect(await read("approve", first.requestId.slice(0, 8))).toEqual({
      requestId: first.requestId,
      session_key: key,
      target: "echo one",
      optionId: "run-it",
    });
    expect(await first.ended).toContain("Exit code 0");
    const late = await refused("approve", first.requestId);
    expect(late).toEqual({ code: "APPROVAL_NOT_FOUND", exitCode: 6 });
    const second = await ask(key, "echo two");
    const named = await run("approve", key, "Run it and all later commands");
    expect(named.stdout).toContain(`Allowed with "Always allow"`);
    expect(await second.ended).toContain("Exit code 0");
    await api.acpAgent.closeSession(key);
  });
});

it("[C600] permissions lists what is always allowed, and takes it back", async () => {
  const key = await createSession("always");
  const first = await ask(key, "echo always");
  await run("approve", key, "--scope", "folder");
  await first.ended;
  const [rule] = await read<{ id: string; scope: string }[]>("permissions", "ls");
  expect(rule).toMatchObject({ scope: "folder", folder: work, subject: { line: "echo always", cwd: work } });
  expect((await run("permissions", "ls")).stdout).toContain(`echo always in ${work}`);
  expect(await refused("permissions", "remove", "none")).toEqual({ code: "RULE_NOT_FOUND", exitCode: 6 });
  expect(await read("permissions", "remove", rule?.id.slice(0, 8) ?? "")).toMatchObject({ id: rule?.id });
  expect(await read("permissions", "ls")).toEqual([]);
  await api.acpAgent.closeSession(key);
});

describe("[C53] closing and deleting", () => {
  it("[C53] delete wants a yes, and leaves nothing; prune goes by age", async () => {
    const kept = await createSession("kept");
    const deleted = await createSession("deleted");
    await api.acpAgent.closeSession(kept);
    expect(await refused("delete", shortName(deleted))).toEqual({ code: "CONFIRMATION_NEEDED", exitCode: 2 });
    expect(await read("delete", shortName(deleted), "--yes")).toEqual({
      session_key: deleted,
      deleted: true,
    });
    expect(await refused("delete", deleted, "--yes")).toEqual({ code: "ACP_SESSION_NOT_FOUND", exitCode: 6 });
    const left = await read<{ session_key: string }[]>("ls", "--all");
    expect(left.map(({ session_key }) => session_key)).toContain(kept);
    expect(left.map(({ session_key }) => session_key)).not.toContain(deleted);
    expect(await read("prune", "--yes")).toEqual({ deleted: false, sessions: [] });
    const dry = await read<{ sessions: string[] }>("prune", "--older-than", "0s", "--dry-run");
    expect(dry.sessions).toContain(kept);
    expect(await refused("prune", "--older-than", "0s")).toEqual({
      code: "CONFIRMATION_NEEDED",
      exitCode: 2,
    });
    expect(await refused("prune", "--older-than", "soon")).toEqual({ code: "WRONG_ARGUMENTS", exitCode: 2 });
    expect(await read("prune", "--older-than", "0s", "--yes")).toMatchObject({ deleted: true });
    const states = await read<{ state: string }[]>("ls", "--all");
    expect(states.filter(({ state }) => state === "closed")).toEqual([]);
  });
});

describe("[C53] a person", () => {
  it("[C53] is asked before a session is deleted, and may say no or break it off", async () => {
    const key = await createSession("asked about");
    const answer = async (typed: string): Promise<number | null> => {
      const program = await TypedProgram.start(["delete", shortName(key), "--home", home], work);
      await program.seen(`"asked about" with its whole history? It is not closed yet. [y/N] `);
      program.type(typed);
      return program.exitCode();
    };
    expect(await Promise.all([answer("n\r"), answer("\u0003")])).toEqual([0, 130]);
    expect(await read("ls")).toContainEqual(expect.objectContaining({ session_key: key }));
    expect(await answer("yes\r")).toBe(0);
    expect(await read("ls")).not.toContainEqual(expect.objectContaining({ session_key: key }));
  }, 60_000);
});

describe("[C54] keys and apps", () => {
  it("[C54] a key is shown once, listed without its secret, and opens nothing when revoked", async () => {
    const { stdout: secret } = await run(
      "keys",
      "create",
      "--name",
      "notes",
      "--scope",
      "terminal",
      "acp.agent",
    );
    expect(secret).toMatch(/^hf_\S+\n$/);
    const listing = await run("keys", "ls");
    expect(listing.stdout).toMatch(/valid +never +terminal,acp\.agent +approve-reads +notes\n/);
    expect(listing.stdout).not.toContain(secret.trim());
    const environment = { HOLDFAST_TOKEN: secret.trim() };
    expect((await runWords(["ls", "--home", home], environment)).code).toBe(0);
    expect((await runWords(["keys", "ls", "--home", home], environment)).code).toBe(5);
    expect((await run("keys", "revoke", "notes")).code).toBe(0);
    expect((await runWords(["ls", "--home", home], environment)).code).toBe(5);
    expect(await refused("keys", "revoke", "notes")).toEqual({ code: "KEY_NOT_FOUND", exitCode: 6 });
    expect(await refused("keys", "create", "--name", "x", "--scope", "all")).toMatchObject({ exitCode: 2 });
    expect(await refused("keys")).toEqual({ code: "WRONG_ARGUMENTS", exitCode: 2 });
  });

  it("[C620] a ceiling is set by options, listed, and holds for the key's sessions", async () => {
    const options = [
      "--policy",
      "approve-all",
      "--root",
      work,
      "--root",
      "relative",
      "--agents",
      "shell,claude",
    ];
    const made = await read("keys", "create", "--name", "bounded", ...options);
    const ceiling = {
      policy: "approve-all",
      roots: [work, path.resolve("relative")],
      agents: ["shell", "claude"],
    };
    expect(made).toMatchObject({ key: { ceiling } });
    expect((await run("keys", "ls")).stdout).toContain(`approve-all shell,claude ${work}`);
    const { secret } = made as { secret: string };
    const bounded = new Holdfast({ baseUrl: (await host.ready()).url, apiKey: secret });
    await expect(bounded.acpAgent.createSession({ agent_id: "shell", cwd: "/" })).rejects.toMatchObject({
      code: "CEILING_EXCEEDED",
      status: 403,
      message: expect.stringContaining("keys create"),
    });
    const session = await bounded.acpAgent.createSession({
      agent_id: "shell",
      cwd: work,
      approvalPolicy: "approve-all",
    });
    await bounded.acpAgent.closeSession(session.session_key);
    const words = ["--permission", "acp.agent", "--policy", "deny-all", "--agents", "shell"];
    expect(await read("apps", "grant", "bounded", ...words)).toMatchObject({
      ceiling: { policy: "deny-all", agents: ["shell"] },
    });
    expect((await run("apps", "ls")).stdout).toMatch(/bounded +granted +- +acp\.agent +deny-all shell/);
    await run("apps", "remove", "bounded");
  });

  it("[C622] [C623] a link signs one browser in, which is listed and signed out", async () => {
    const { stdout: link } = await run("open", "--print");
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?ticket=\S+\n$/);
    const headers = { "user-agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Edg/140.0" };
    const reply = await fetch(link.trim(), { redirect: "manual", headers });
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/"]);
    const [signedIn] = (await read("sign-ins", "ls")) as { id: string; device: string }[];
    expect(signedIn).toMatchObject({ device: "Edge on Windows" });
    expect((await run("sign-ins", "ls")).stdout).toMatch(/Edge on Windows +127\.0\.0\.1 /);
    expect(await refused("sign-ins", "revoke", "none")).toEqual({ code: "SIGN_IN_NOT_FOUND", exitCode: 6 });
    expect((await run("sign-ins", "revoke", signedIn?.id.slice(0, 6) ?? "")).code).toBe(0);
    expect(await read("sign-ins", "ls")).toEqual([]);
    const { url } = (await read("open")) as { url: string };
    await fetch(url, { redirect: "manual" });
    expect(await read("sign-ins", "revoke", "--all")).toHaveLength(1);
  });

  it("[C54] apps are granted what they asked for or what is named, refused and forgotten", async () => {
    const { registration } = new Holdfast({
      baseUrl: (await host.ready()).url,
      appId: "notes",
      permissions: ["acp.agent"],
    });
    await registration;
    expect((await run("apps", "ls")).stdout).toMatch(/notes +waiting +acp\.agent +-/);
    expect(await read("apps", "grant", "notes")).toMatchObject({
      state: "granted",
      permissions: ["acp.agent"],
    });
    expect(await refused("apps", "grant", "other")).toEqual({ code: "PERMISSION_NEEDED", exitCode: 2 });
    const words = ["--permission", "terminal", "--name", "Other"];
    expect(await read("apps", "grant", "other", ...words)).toMatchObject({
      permissions: ["terminal"],
      name: "Other",
    });
    expect(await read("apps", "deny", "notes")).toMatchObject({ state: "refused" });
    expect(await read("apps", "remove", "notes")).toEqual({ id: "notes", removed: true });
    expect(await refused("apps", "deny", "notes")).toMatchObject({ exitCode: 6 });
    expect((await run("apps", "remove", "other")).code).toBe(0);
  });
});

describe("[C55] [C56] what was done and said", () => {
  const turns = 23;
  const odd = "printf 'a\\033[1mb\\377\\n'; echo ä€😀";
  let key: string;

  beforeAll(async () => {
    key = await createSession("exported", "approve-all");
    for (let index = 0; index < turns - 2; index += 1) await api.acpAgent.chat(key, `echo line ${index}`);
    await api.acpAgent.chat(key, odd);
    await api.acpAgent.chat(key, "/write notes.txt hello\nthere");
  }, 60_000);

  it("[C55] the audit is exported whole as JSON lines, and its tail shown and followed", async () => {
    type Entry = { id: number; session: string; what: string; subject: string };
    const all = linesOf<Entry>(await run("audit", "export"));
    const own = linesOf<Entry>(await run("audit", "export", "--session", shortName(key)));
    expect(own).toEqual(all.filter(({ session }) => session === key));
    expect(own.filter(({ what }) => what === "command").map(({ subject }) => subject)).toEqual([
      ...Array.from({ length: turns - 2 }, (_, index) => `echo line ${index}`),
      odd,
    ]);
    const after = linesOf<Entry>(await run("audit", "export", "--after", String(own[3]?.id)));
    expect(after).toEqual([
      { anchor: { id: own[3]?.id, hash: expect.any(String) as string } },
      ...all.filter(({ id }) => id > (own[3]?.id ?? 0)),
    ]);
    const policies = linesOf<Entry>(
      await run("audit", "tail", "--what", "policy", "--since", "1h", "--json"),
    );
    expect(policies).toEqual(all.filter(({ what }) => what === "policy").slice(-20));
    expect(await run("audit", "export", "--since", "2100-01-01")).toMatchObject({ code: 0, stdout: "" });
    const tail = linesOf<Entry>(await run("audit", "tail", "-n", "2", "--json"));
    expect(tail).toEqual(all.slice(-2));
    expect((await run("audit", "tail", "--session", key, "-n", "1")).stdout).toContain("notes.txt");
    const follower = new ProgramRun(["audit", "tail", "-f", "--json", "-n", "1", "--home", home], {
      program: "main",
    });
    await follower.until(({ stdout }) => (stdout.includes("\n") ? true : undefined));
    await api.acpAgent.chat(key, "echo followed");
    await follower.until(({ stdout }) => (stdout.includes(`"echo followed"`) ? true : undefined));
    await follower.stop("SIGINT");
  });

  it("[C675] the chain of hashes is verified on the host and in an exported file, which reveals a change", async () => {
    const head = (await run("audit", "head")).stdout.trim();
    const [headId = "", headHash = ""] = head.split(":");
    expect((await run("audit", "verify", "--head", head)).stdout).toContain("The chain is intact");
    const file = path.join(folder, "audit.jsonl");
    expect(await run("audit", "export", "-o", file)).toMatchObject({ code: 0 });
    expect(await read("audit", "verify", "--file", file, "--head", head)).toMatchObject({ breaks: [] });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(JSON.parse(lines.at(Number(headId) - 1) ?? "")).toMatchObject({ hash: headHash });
    const verify = async (changed: readonly string[], ...words: string[]): Promise<unknown> => {
      writeFileSync(file, `${changed.join("\n")}\n`);
      const { code, stdout } = await run("audit", "verify", "--file", file, "--json", ...words);
      return [code, (JSON.parse(stdout) as { breaks: { id: number }[] }).breaks.map(({ id }) => id)];
    };
    const forged = lines.with(4, (lines[4] ?? "").replace(`"allowed"`, `"denied"`));
    expect(await verify(forged)).toEqual([11, [5]]);
    expect(await verify(lines.toSpliced(6, 2))).toEqual([11, [9]]);
    expect(await verify(lines.slice(0, -1))).toEqual([0, []]);
    expect(await verify(lines.slice(0, Number(headId) - 1), "--head", head)).toEqual([11, [Number(headId)]]);
    expect(await verify(lines, "--head", `3:${"0".repeat(64)}`)).toEqual([11, [3]]);
    writeFileSync(file, forged.join("\n"));
    expect(await refused("audit", "verify", "--file", file)).toEqual({ code: "AUDIT_BROKEN", exitCode: 11 });
    writeFileSync(file, "no entry");
    expect(await refused("audit", "verify", "--file", file)).toEqual({ code: "FILE_NOT_READ", exitCode: 2 });
    const rest = await run("audit", "export", "--after", "5", "-o", file);
    expect(rest).toMatchObject({ code: 0 });
    expect(await read("audit", "verify", "--file", file)).toMatchObject({ anchor: { id: 5 }, breaks: [] });
    rmSync(file);
  });

  it("[C56] a transcript has all that is kept, exactly, also once the session is closed", async () => {
    type Line =
      | { type: "session"; version: number; session: SessionState }
      | { type: "turn"; turn: Turn }
      | { type: "terminal"; terminal: string; turnId: string; isKept: boolean }
      | { type: "output"; terminal: string; offset: number; text?: string; base64?: string }
      | { type: "exited" | "end"; turns?: number; terminals?: number };
    await api.acpAgent.closeSession(key);
    const exported = await run("export", shortName(key));
    expect(exported.stderr).toBe("");
    const lines = linesOf<Line>(exported);
    expect(lines[0]).toMatchObject({ type: "session", version: 1, session: { key, label: "exported" } });
    expect(lines.at(-1)).toEqual({ type: "end", turns: turns + 1, terminals: turns });
    const written = lines.flatMap((line) => (line.type === "turn" ? [line.turn] : []));
    expect(written.map(({ message }) => message.text)).toEqual([
      ...Array.from({ length: turns - 2 }, (_, index) => `echo line ${index}`),
      odd,
      "/write notes.txt hello\nthere",
      "echo followed",
    ]);
    expect(JSON.stringify(written.at(-2))).toContain(`"type":"fileEdit"`);
    const oddTurn = written.at(-3)?.id;
    const terminal = lines.find((line) => line.type === "terminal" && line.turnId === oddTurn);
    const bytes = lines.flatMap((line) =>
      line.type === "output" && terminal?.type === "terminal" && line.terminal === terminal.terminal
        ? [line.text === undefined ? Buffer.from(line.base64 ?? "", "base64") : Buffer.from(line.text)]
        : [],
    );
    const expected = Buffer.concat([
      Buffer.from("a\u001B[1mb"),
      Buffer.from([0xff]),
      Buffer.from("\r\nä€😀\r\n"),
    ]);
    expect(Buffer.concat(bytes)).toEqual(expected);
    expect(exported.stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });

  it("[C56] a page to read goes into a file that is there only once it is whole", async () => {
    const file = path.join(folder, "exported.md");
    expect(await read("export", key, "--format", "markdown", "-o", file)).toEqual({ session_key: key, file });
    const page = readFileSync(file, "utf8");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(page).toContain("# exported\n");
    expect(page).toContain("> echo line 20\n");
    expect(page).toContain("    line 20\n\nExit code 0\n");
    expect(page).toContain("    + hello\n    + there");
    const missing = path.join(folder, "none", "x.md");
    expect(await refused("export", key, "-o", missing)).toEqual({ code: "FILE_NOT_WRITTEN", exitCode: 2 });
    const unknown = "agent:shell:acp:00000000-0000-4000-8000-000000000000";
    const unknownFile = path.join(folder, "unknown.jsonl");
    expect(await refused("export", unknown, "-o", unknownFile)).toMatchObject({ exitCode: 6 });
    expect(readdirSync(folder).toSorted()).toEqual(["exported.md", "home", "work"]);
  });
});
