// The commands that look after sessions, approvals and the audit, against one real host.
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionState, Turn } from "@holdfast/ahp";
import { beforeAll, describe, expect, it } from "vitest";
import { useAdministeredHost } from "../testing/administered-host.ts";
import { runWords, type CommandRun } from "../testing/command-run.ts";
import { programFile } from "../testing/program-file.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { TypedProgram } from "../testing/typed-program.ts";

const host = useAdministeredHost();

function linesOf<Line>({ stdout }: CommandRun): Line[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

async function createSession(label?: string, approvalPolicy?: "approve-all"): Promise<string> {
  const { session_key } = await host.api.acpAgent.createSession({
    agent_id: "shell",
    cwd: host.work,
    ...(label !== undefined && { label }),
    ...(approvalPolicy && { approvalPolicy }),
  });
  return session_key;
}

const shortName = (key: string): string => (key.split(":").at(-1) ?? "").slice(0, 8);

/** Begins a turn that asks, and waits until it does. */
async function ask(key: string, message: string): Promise<{ requestId: string; ended: Promise<string> }> {
  const stream = host.api.acpAgent.streamChat(key, message);
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
  it("[C50, C861] ls shows what needs a person first, and closed ones when asked", async () => {
    const calm = await createSession("calm");
    const over = await createSession("over");
    const asking = await createSession();
    const { requestId, ended } = await ask(asking, "echo \u001B[31mred\u202E");
    expect((await host.run("close", shortName(over), "--reason", "done")).code).toBe(0);
    type Listed = { session_key: string; state: string; title: string; cwd: string };
    const open = await host.read<Listed[]>("ls");
    expect(open.map(({ session_key, state, cwd }) => [session_key, state, cwd])).toEqual([
      [asking, "needs-approval", host.work],
      [calm, "idle", host.work],
    ]);
    const table = (await host.run("ls", "--all")).stdout;
    expect(table).toMatch(
      new RegExp(
        `^SESSION +AGENT +STATE +AGE +ISOLATION +FOLDER +TITLE\n${shortName(asking)} +shell +needs approval +\\ds +\\w+ +${host.work} +echo \\\\e\\[31mred\\\\u202e\n`,
      ),
    );
    expect(table).toMatch(/ closed .* over\n$/);
    const lesser = await host.api.keys.create({ name: "lesser", scopes: ["acp.agent"] });
    const { stdout } = await runWords(["ls", "--json", "--home", host.home], {
      HOLDFAST_TOKEN: lesser.secret,
    });
    expect(JSON.parse(stdout)).toEqual([]);
    await host.api.approvals.resolve(requestId, "leave-it");
    await ended;
    for (const key of [calm, asking]) await host.api.acpAgent.closeSession(key);
  });

  it("[C50] agents lists which are installed, signed in, and of which version", async () => {
    const agents = await host.read<{ id: string; installed: boolean; models?: unknown }[]>("agents");
    expect(agents).toContainEqual(expect.objectContaining({ id: "shell", installed: true }));
    const { stdout } = await host.run("agents", "--models");
    expect(stdout).toMatch(/^AGENT +STATE +SIGN-IN +VERSION +NAME\nshell +installed +ready +\d/);
    expect(stdout).toContain("shell: no models, it offers none");
  });
});

describe("[C51] [C52] approvals", () => {
  it("[C51] shows exactly what would run and where, and nothing that steers a terminal", async () => {
    const key = await createSession("shows");
    const { ended } = await ask(key, "printf 'one\u001B]0;title\u0007'\u202E");
    const { stdout } = await host.run("approvals");
    expect(stdout).toContain(`  Runs      printf 'one\\e]0;title\\u0007'\\u202e\n  In        ${host.work}\n`);
    expect(stdout).toContain("run-it (Allow once), run-all-from-now (Always allow), leave-it (Deny)");
    expect(stdout).toContain("  By        the host, which enforces your decision\n");
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    expect(await host.refused("approve", "ffffffff")).toEqual({ code: "APPROVAL_NOT_FOUND", exitCode: 6 });
    expect(await host.refused("approve", key, "leave-it")).toEqual({
      code: "OPTION_NOT_OFFERED",
      exitCode: 2,
    });
    expect(await host.refused("deny", key, "--always")).toEqual({ code: "OPTION_NOT_OFFERED", exitCode: 2 });
    const denied = await host.run("deny", shortName(key));
    expect(denied.stdout).toMatch(/^Denied with "Deny":\n {2}Runs +printf/);
    expect(await ended).toContain(`"optionId":"leave-it"`);
    await host.api.acpAgent.closeSession(key);
  });

  it("[C52] answers by id, by its beginning, by the session, and with the option that is named", async () => {
    const key = await createSession("answers");
    const first = await ask(key, "echo one");
    expect(await host.read("approve", first.requestId.slice(0, 8))).toEqual({
      requestId: first.requestId,
      session_key: key,
      target: "echo one",
      optionId: "run-it",
    });
    expect(await first.ended).toContain("Exit code 0");
    const late = await host.refused("approve", first.requestId);
    expect(late).toEqual({ code: "APPROVAL_NOT_FOUND", exitCode: 6 });
    const second = await ask(key, "echo two");
    const named = await host.run("approve", key, "Always allow");
    expect(named.stdout).toContain(`Allowed with "Always allow"`);
    expect(await second.ended).toContain("Exit code 0");
    await host.api.acpAgent.closeSession(key);
  });
});

it("[C600] permissions lists what is always allowed, and takes it back", async () => {
  const key = await createSession("always");
  const first = await ask(key, "echo always");
  await host.run("approve", key, "--scope", "folder");
  await first.ended;
  const [rule] = await host.read<{ id: string; scope: string }[]>("permissions", "ls");
  expect(rule).toMatchObject({
    scope: "folder",
    folder: host.work,
    subject: { line: "echo always", cwd: host.work },
  });
  expect((await host.run("permissions", "ls")).stdout).toContain(`echo always in ${host.work}`);
  expect(await host.refused("permissions", "remove", "none")).toEqual({
    code: "RULE_NOT_FOUND",
    exitCode: 6,
  });
  expect(await host.read("permissions", "remove", rule?.id.slice(0, 8) ?? "")).toMatchObject({
    id: rule?.id,
  });
  expect(await host.read("permissions", "ls")).toEqual([]);
  await host.api.acpAgent.closeSession(key);
});

describe("[C53] closing and deleting", () => {
  it("[C53] delete wants a yes, and leaves nothing; prune goes by age", async () => {
    const kept = await createSession("kept");
    const deleted = await createSession("deleted");
    await host.api.acpAgent.closeSession(kept);
    expect(await host.refused("delete", shortName(deleted))).toEqual({
      code: "CONFIRMATION_NEEDED",
      exitCode: 2,
    });
    expect(await host.read("delete", shortName(deleted), "--yes")).toEqual({
      session_key: deleted,
      deleted: true,
    });
    expect(await host.refused("delete", deleted, "--yes")).toEqual({
      code: "ACP_SESSION_NOT_FOUND",
      exitCode: 6,
    });
    const left = await host.read<{ session_key: string }[]>("ls", "--all");
    expect(left.map(({ session_key }) => session_key)).toContain(kept);
    expect(left.map(({ session_key }) => session_key)).not.toContain(deleted);
    expect(await host.read("prune", "--yes")).toEqual({ deleted: false, sessions: [] });
    const dry = await host.read<{ sessions: string[] }>("prune", "--older-than", "0s", "--dry-run");
    expect(dry.sessions).toContain(kept);
    expect(await host.refused("prune", "--older-than", "0s")).toEqual({
      code: "CONFIRMATION_NEEDED",
      exitCode: 2,
    });
    expect(await host.refused("prune", "--older-than", "soon")).toEqual({
      code: "WRONG_ARGUMENTS",
      exitCode: 2,
    });
    expect(await host.read("prune", "--older-than", "0s", "--yes")).toMatchObject({ deleted: true });
    const states = await host.read<{ state: string }[]>("ls", "--all");
    expect(states.filter(({ state }) => state === "closed")).toEqual([]);
  });

  it("[C890] prune asks about one session in the singular", async () => {
    await host.api.acpAgent.closeSession(await createSession("alone"));
    const { stderr } = await host.run("prune", "--older-than", "0s");
    expect(stderr).toContain("Delete 1 closed session with its whole history?");
    expect(await host.read("prune", "--older-than", "0s", "--yes")).toMatchObject({ deleted: true });
  });
});

describe("[C53] a person", () => {
  it("[C53] is asked before a session is deleted, and may say no or break it off", async () => {
    const key = await createSession("asked about");
    const answer = async (typed: string): Promise<number | null> => {
      const program = await TypedProgram.start(["delete", shortName(key), "--home", host.home], host.work);
      await program.seen(`“asked about” with its whole history? It is not closed yet. [y/N] `);
      program.type(typed);
      return program.exitCode();
    };
    expect(await Promise.all([answer("n\r"), answer("\u0003")])).toEqual([0, 130]);
    expect(await host.read("ls")).toContainEqual(expect.objectContaining({ session_key: key }));
    expect(await answer("yes\r")).toBe(0);
    expect(await host.read("ls")).not.toContainEqual(expect.objectContaining({ session_key: key }));
  }, 60_000);
});

it.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "[C896] %s at a question ends the command and restores the terminal",
  async (signal, exitCode) => {
    const key = await createSession(`asked at ${signal}`);
    const shell = await TypedProgram.startShell(host.work);
    const words = `delete ${shortName(key)} --home "${host.home}"`;
    shell.type(`sh -c '"${process.execPath}" "${programFile}" ${words}; echo ended $?; stty -a'\r`);
    await shell.seen("[y/N] ");
    await shell.hasForegroundJob();
    process.kill(shell.foregroundProgram(), signal);
    await shell.seen(new RegExp(String.raw`ended ${exitCode}\n[^]*ready\$ $`));
    expect(shell.text).toMatch(/ icanon [^]* echo /);
  },
  60_000,
);

it("[C843] what was typed before the question does not answer it", async () => {
  const key = await createSession("typed ahead");
  const program = await TypedProgram.start(["delete", shortName(key), "--home", host.home], host.work);
  program.type("y\r");
  // The echo of the terminal: nobody reads it yet.
  await program.seen("y\n");
  await program.seen("[y/N] ");
  program.type("n\r");
  expect(await program.exitCode()).toBe(0);
  expect(program.text).toContain("Nothing was deleted.");
  expect(await host.read("ls")).toContainEqual(expect.objectContaining({ session_key: key }));
}, 60_000);

describe("[C55] [C56] what was done and said", () => {
  const turns = 23;
  const odd = "printf 'a\\033[1mb\\377\\n'; echo ä€😀";
  let key: string;

  beforeAll(async () => {
    key = await createSession("exported", "approve-all");
    for (let index = 0; index < turns - 2; index += 1) {
      await host.api.acpAgent.chat(key, `echo line ${index}`);
    }
    await host.api.acpAgent.chat(key, odd);
    await host.api.acpAgent.chat(key, "/write notes.txt hello\nthere");
  }, 60_000);

  it("[C55] the audit is exported whole as JSON lines, and its tail shown and followed", async () => {
    type Entry = { id: number; session: string; what: string; subject: string };
    const all = linesOf<Entry>(await host.run("audit", "export"));
    const own = linesOf<Entry>(await host.run("audit", "export", "--session", shortName(key)));
    expect(own[0]).toEqual({ filter: { session: key } });
    expect(own.slice(1)).toEqual(all.filter(({ session }) => session === key));
    expect(own.filter(({ what }) => what === "command").map(({ subject }) => subject)).toEqual([
      ...Array.from({ length: turns - 2 }, (_, index) => `echo line ${index}`),
      odd,
    ]);
    const after = linesOf<Entry>(await host.run("audit", "export", "--after", String(own[3]?.id)));
    expect(after).toEqual([
      { anchor: { id: own[3]?.id, hash: expect.any(String) as string } },
      ...all.filter(({ id }) => id > (own[3]?.id ?? 0)),
    ]);
    const policies = linesOf<Entry>(
      await host.run("audit", "tail", "--what", "policy", "--since", "1h", "--json"),
    );
    expect(policies).toEqual(all.filter(({ what }) => what === "policy").slice(-20));
    expect(linesOf(await host.run("audit", "export", "--since", "2100-01-01"))).toEqual([
      { filter: { since: "2100-01-01T00:00:00.000Z" } },
    ]);
    const tail = linesOf<Entry>(await host.run("audit", "tail", "-n", "2", "--json"));
    expect(tail).toEqual(all.slice(-2));
    expect((await host.run("audit", "tail", "--session", key, "-n", "1")).stdout).toContain("notes.txt");
    const follower = new ProgramRun(["audit", "tail", "-f", "--json", "-n", "1", "--home", host.home], {
      program: "main",
    });
    await follower.until(({ stdout }) => (stdout.includes("\n") ? true : undefined));
    await host.api.acpAgent.chat(key, "echo followed");
    await follower.until(({ stdout }) => (stdout.includes(`"echo followed"`) ? true : undefined));
    await follower.stop("SIGINT");
  });

  it("[C675] the chain of hashes is verified on the host and in an exported file, which reveals a change", async () => {
    const head = (await host.run("audit", "head")).stdout.trim();
    const [headId = "", headHash = ""] = head.split(":");
    expect((await host.run("audit", "verify", "--head", head)).stdout).toContain("The chain is intact");
    const file = path.join(host.folder, "audit.jsonl");
    expect(await host.run("audit", "export", "-o", file)).toMatchObject({ code: 0 });
    expect(await host.read("audit", "verify", "--file", file, "--head", head)).toMatchObject({ breaks: [] });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(JSON.parse(lines.at(Number(headId) - 1) ?? "")).toMatchObject({ hash: headHash });
    const verify = async (changed: readonly string[], ...words: string[]): Promise<unknown> => {
      writeFileSync(file, `${changed.join("\n")}\n`);
      const { code, stdout } = await host.run("audit", "verify", "--file", file, "--json", ...words);
      return [code, (JSON.parse(stdout) as { breaks: { id: number }[] }).breaks.map(({ id }) => id)];
    };
    const forged = lines.with(4, (lines[4] ?? "").replace(`"allowed"`, `"denied"`));
    expect(await verify(forged)).toEqual([11, [5]]);
    expect(await verify(lines.toSpliced(6, 2))).toEqual([11, [9]]);
    expect(await verify(lines.slice(0, -1))).toEqual([0, []]);
    expect(await verify(lines.slice(0, Number(headId) - 1), "--head", head)).toEqual([11, [Number(headId)]]);
    expect(await verify(lines, "--head", `3:${"0".repeat(64)}`)).toEqual([11, [3]]);
    writeFileSync(file, forged.join("\n"));
    expect(await host.refused("audit", "verify", "--file", file)).toEqual({
      code: "AUDIT_BROKEN",
      exitCode: 11,
    });
    writeFileSync(file, "no entry");
    expect(await host.refused("audit", "verify", "--file", file)).toEqual({
      code: "FILE_NOT_READ",
      exitCode: 2,
    });
    const rest = await host.run("audit", "export", "--after", "5", "-o", file);
    expect(rest).toMatchObject({ code: 0 });
    expect(await host.read("audit", "verify", "--file", file)).toMatchObject({
      anchor: { id: 5 },
      breaks: [],
    });
    rmSync(file);
  });

  it("[C56] a transcript has all that is kept, exactly, also once the session is closed", async () => {
    type Line =
      | { type: "session"; version: number; session: SessionState }
      | { type: "turn"; turn: Turn }
      | { type: "terminal"; terminal: string; turnId: string; isKept: boolean }
      | { type: "output"; terminal: string; offset: number; text?: string; base64?: string }
      | { type: "exited" | "end"; turns?: number; terminals?: number };
    await host.api.acpAgent.closeSession(key);
    const exported = await host.run("export", shortName(key));
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
    const file = path.join(host.folder, "exported.md");
    expect(await host.read("export", key, "--format", "markdown", "-o", file)).toEqual({
      session_key: key,
      file,
    });
    const page = readFileSync(file, "utf8");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(page).toContain("# exported\n");
    expect(page).toContain("> echo line 20\n");
    expect(page).toContain("    line 20\n\nExited 0\n");
    expect(page).toContain("    + hello\n    + there");
    const missing = path.join(host.folder, "none", "x.md");
    expect(await host.refused("export", key, "-o", missing)).toEqual({
      code: "FILE_NOT_WRITTEN",
      exitCode: 2,
    });
    const unknown = "agent:shell:acp:00000000-0000-4000-8000-000000000000";
    const unknownFile = path.join(host.folder, "unknown.jsonl");
    expect(await host.refused("export", unknown, "-o", unknownFile)).toMatchObject({ exitCode: 6 });
    expect(readdirSync(host.folder).toSorted()).toEqual(["exported.md", "home", "work"]);
  });
});
