// Changes of a session's folder with real repositories, real agents' commands and real sandboxes.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { makeId } from "@holdfast/ahp";
import type { Ceiling } from "@holdfast/protocol";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../caller.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { ask, type Step } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Outside of the temporary folders, which every level may change. */
const base = realpathSync(
  mkdtempSync(path.join(fileURLToPath(new URL("../../../../", import.meta.url)), "node_modules/.changes-")),
);
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
let repository = "";

const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
function git(...args: string[]): string {
  return execFileSync("git", [...person, "-C", repository, ...args], { encoding: "utf8" });
}
function write(name: string, text: string | Buffer): void {
  const file = path.join(repository, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const read = (name: string): string => readFileSync(path.join(repository, name), "utf8");

beforeEach(() => {
  count += 1;
  repository = path.join(base, `repository-${count}`);
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  write("kept.txt", "one\ntwo\nthree\n");
  write("long.txt", Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(""));
  git("add", "-A");
  git("commit", "-qm", "first");
});

/** A command that the agent runs in a terminal of the host. */
function run(name: string, command: string): Step[] {
  const terminalId = `$${name}.terminalId`;
  return [
    ask(name, "terminal/create", { command }),
    ask(`${name}Exit`, "terminal/wait_for_exit", { terminalId }),
    ask(`${name}Release`, "terminal/release", { terminalId }),
  ];
}

interface Scene {
  readonly host: FakeHost;
  readonly session: FakeSession;
}

async function openScene(
  commands: Readonly<Record<string, string>>,
  level = "none",
  cwd = repository,
): Promise<Scene> {
  const prompts = Object.fromEntries(
    Object.entries(commands).map(([prompt, line], index) => [prompt, run(`run${index}`, line)]),
  );
  const host = newHost({ config: { isolation: { level } }, agents: { mine: { prompts } } });
  return { host, session: await host.open({ cwd, approvalPolicy: "approve-all" }) };
}

const list = ({ host, session }: Scene, turn?: string) => host.host.changes.list(session.key, turn, ME);
const diff = ({ host, session }: Scene, file?: string, turn?: string) =>
  host.host.changes.diff(session.key, { path: file, turn }, ME);
const revert = ({ host, session }: Scene, files: { path: string; hunks?: string[] }[], turn?: string) =>
  host.host.changes.revert(session.key, { files, turn }, ME);

/** The tests below this matrix run under none. */
const linuxLevels = process.env["HOLDFAST_LONG"] === undefined ? ["guard"] : ["none", "guard", "workspace"];
const levels = process.platform === "linux" ? linuxLevels : ["none"];

describe.each(levels)("under %s", (level) => {
  test("[N740] a command's changes are listed against the start and by turn, with counts in the session's state", async () => {
    write("kept.txt", "one\ntwo\nthree\nfrom before\n");
    const scene = await openScene(
      { edit: "echo new > new.txt; sed -i s/two/2/ kept.txt", more: "rm long.txt; git commit -qam done" },
      level,
    );
    await scene.session.turn("edit");
    await scene.session.turn("more");
    const { files, summary, source, turns, isComplete } = await list(scene);
    expect({ source, turns, isComplete, summary }).toEqual({
      source: "git",
      turns: [1, 2],
      isComplete: true,
      summary: { files: 3, additions: 2, deletions: 41 },
    });
    expect(
      files.map(({ path: name, status, additions, deletions }) => [name, status, additions, deletions]),
    ).toEqual([
      ["kept.txt", "modified", 1, 1],
      ["long.txt", "deleted", 0, 40],
      ["new.txt", "added", 1, 0],
    ]);
    expect((await list(scene, "1")).files.map((file) => file.path)).toEqual(["kept.txt", "new.txt"]);
    expect((await list(scene, scene.session.lastTurn.id)).files.map((file) => file.path)).toEqual([
      "long.txt",
    ]);
    await vi.waitFor(() => expect(scene.session.status.changes).toEqual(summary));
    await expect(list(scene, "9")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("[N741] snapshots touch neither branches, index, HEAD nor reflogs, and write nothing into the repository", async () => {
    write("staged.txt", "staged\n");
    git("add", "staged.txt");
    const before = describeRepository();
    const scene = await openScene({ edit: "echo new > new.txt" }, level);
    await scene.session.turn("edit");
    await list(scene);
    await diff(scene);
    expect(describeRepository()).toEqual(before);
  });

  test("[N742] a file, a hunk, and the changes of one turn are reverted", async () => {
    const scene = await openScene(
      {
        edit: "sed -i -e '2s/.*/second/' -e '38s/.*/late/' long.txt; echo new > new.txt; rm kept.txt",
        more: "sed -i '20s/.*/middle/' long.txt",
      },
      level,
    );
    await scene.session.turn("edit");
    await scene.session.turn("more");
    const { diffs } = await diff(scene, "long.txt");
    const hunks = diffs[0]?.hunks ?? [];
    expect(hunks.map(({ oldStart }) => oldStart)).toEqual([1, 17, 35]);
    await revert(scene, [{ path: "long.txt", hunks: [hunks[0]?.id ?? ""] }]);
    expect(
      read("long.txt")
        .split("\n")
        .filter((line) => !line.startsWith("line")),
    ).toEqual(["middle", "late", ""]);
    await revert(scene, [{ path: "long.txt" }], "2");
    expect(
      read("long.txt")
        .split("\n")
        .filter((line) => !line.startsWith("line")),
    ).toEqual(["late", ""]);
    const left = await revert(scene, [{ path: "kept.txt" }, { path: "new.txt" }]);
    expect(left).toEqual({ files: 1, additions: 1, deletions: 1 });
    expect(read("kept.txt")).toBe("one\ntwo\nthree\n");
    expect(() => read("new.txt")).toThrow("ENOENT");
    await expect(revert(scene, [{ path: "long.txt", hunks: ["none"] }])).rejects.toMatchObject({
      code: "CHANGES_CONFLICT",
    });
    await expect(revert(scene, [{ path: "nothing" }])).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("[N743] files are staged and committed without hooks, and the audit has it", async () => {
    git("config", "user.name", "Ben");
    git("config", "user.email", "ben@example.org");
    writeFileSync(path.join(repository, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const scene = await openScene({ edit: "echo a >> kept.txt; echo new > new.txt; rm long.txt" }, level);
    await scene.session.turn("edit");
    const { key } = scene.session;
    await scene.host.host.changes.stage(key, ["new.txt", "long.txt"], ME);
    const { files } = await list(scene);
    expect(files.map(({ path: name, staged }) => [name, staged])).toEqual([
      ["kept.txt", undefined],
      ["long.txt", "full"],
      ["new.txt", "full"],
    ]);
    const commit = await scene.host.host.changes.commit(key, { message: "Second\n\nBody" }, ME);
    expect(git("log", "-1", "--format=%H %an %ae %s %b").trim()).toBe(
      `${commit} Ben ben@example.org Second Body`,
    );
    expect(git("show", "--name-status", "--format=", "HEAD")).toBe("D\tlong.txt\nA\tnew.txt\n");
    expect(git("status", "--porcelain")).toBe(" M kept.txt\n");
    expect(git("reflog", "-1", "--format=%gs").trim()).toBe("commit: Second");
    expect(git("branch", "--show-current").trim()).toBe("main");
    const request = { message: "Third", paths: ["kept.txt"] };
    await scene.host.host.changes.commit(key, request, ME);
    expect(git("status", "--porcelain")).toBe("");
    await expect(scene.host.host.changes.commit(key, { message: "x" }, ME)).rejects.toMatchObject({
      code: "CHANGES_UNAVAILABLE",
    });
    const entries = scene.host.host.audit.recent.filter(({ what }) => what === "stage" || what === "commit");
    expect(entries.map(({ what, subject, outcome }) => [what, subject, outcome])).toEqual([
      ["stage", "new.txt long.txt", "done"],
      ["commit", "Second", commit],
      ["commit", "Third", git("rev-parse", "HEAD").trim()],
      ["commit", "x", "Nothing is staged. Stage files first, or name them."],
    ]);
  });
});

test("[N740] a turn without a snapshot of its end has the changes until the next turn, and a revert leaves those after it", async () => {
  const scene = await openScene({
    fail: "echo 1 > first.txt; echo 1 >> kept.txt; mkfifo .gitattributes",
    more: "echo 2 > second.txt; sed -i s/^1/2/ first.txt",
  });
  await scene.session.turn("fail");
  // After the snapshot, which fails like this.
  await expect(list(scene)).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
  rmSync(path.join(repository, ".gitattributes"));
  expect((await list(scene, "1")).files.map((file) => file.path)).toEqual(["first.txt", "kept.txt"]);
  await scene.session.turn("more");
  const { files } = await list(scene, "1");
  expect(files.map((file) => file.path)).toEqual(["first.txt", "kept.txt"]);
  const { diffs } = await diff(scene, "first.txt", "1");
  expect(diffs[0]?.hunks.map(({ text }) => text)).toEqual(["+1\n"]);
  await revert(scene, [{ path: "kept.txt" }], "1");
  expect(read("kept.txt")).toBe("one\ntwo\nthree\n");
  expect(read("second.txt")).toBe("2\n");
});

test("[N743] an author and a filter that are configured while the session is open count from then on", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HOME", path.join(base, "empty"));
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  const { host, session } = await openScene({ edit: "echo x >> kept.txt; echo x >> long.txt" });
  await session.turn("edit");
  const { changes } = host.host;
  const commit = (): Promise<string> =>
    changes.commit(session.key, { message: "Second", paths: ["kept.txt"] }, ME);
  await expect(commit()).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
  git("config", "user.name", "Ben");
  git("config", "user.email", "ben@example.org");
  expect(git("log", "-1", "--format=%an", await commit())).toBe("Ben\n");
  git("config", "filter.vault.clean", "true");
  write(".gitattributes", "long.txt filter=vault\n");
  await expect(changes.stage(session.key, ["long.txt"], ME)).rejects.toMatchObject({
    code: "CHANGES_UNAVAILABLE",
    message: expect.stringContaining("filter vault"),
  });
});

test("[N800] files are unstaged as HEAD has them, and those of the newest commit are marked", async () => {
  git("config", "user.name", "Ben");
  git("config", "user.email", "ben@example.org");
  const scene = await openScene({
    edit: "echo a >> kept.txt; echo new > new.txt; git mv long.txt moved.txt",
  });
  await scene.session.turn("edit");
  const { key } = scene.session;
  const { changes, audit } = scene.host.host;
  const marks = async (): Promise<unknown> =>
    (await list(scene)).files.map(({ path: name, staged, isCommitted }) => [name, staged ?? isCommitted]);
  await changes.stage(key, ["kept.txt", "new.txt", "moved.txt"], ME);
  expect(git("status", "--porcelain")).toBe("M  kept.txt\nR  long.txt -> moved.txt\nA  new.txt\n");
  await changes.unstage(key, ["new.txt", "moved.txt"], ME);
  expect(git("status", "--porcelain")).toBe("M  kept.txt\n D long.txt\n?? moved.txt\n?? new.txt\n");
  expect(read("moved.txt")).toContain("line 40");
  await expect(changes.unstage(key, ["new.txt"], ME)).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
  expect(await marks()).toEqual([
    ["kept.txt", "full"],
    ["moved.txt", undefined],
    ["new.txt", undefined],
  ]);
  await changes.commit(key, { message: "Second" }, ME);
  await changes.commit(key, { message: "Third", paths: ["moved.txt"] }, ME);
  expect(await marks()).toEqual([
    ["kept.txt", true],
    ["moved.txt", true],
    ["new.txt", undefined],
  ]);
  expect(audit.recent.find(({ what }) => what === "unstage")).toMatchObject({
    subject: "new.txt moved.txt",
    outcome: "done",
  });
});

function describeRepository(): unknown {
  const objects = execFileSync("find", [".git", "-type", "f"], { cwd: repository, encoding: "utf8" });
  const files = objects
    .split("\n")
    .filter((name) => name !== "")
    .toSorted();
  return files.map((name) => [
    name,
    execFileSync("git", ["hash-object", "--no-filters", name], { cwd: repository, encoding: "utf8" }),
  ]);
}

test("[N744] renames, binary files, modes, links, line endings and odd names are shown, and reverted", async () => {
  write("moved.txt", "a\nb\nc\nd\ne\nf\n");
  write("picture.bin", Buffer.from([0, 1, 2, 255]));
  write("crlf.txt", "one\r\ntwo\r\n");
  write(".gitattributes", "crlf.txt text eol=crlf\n");
  write("tool.sh", "#!/bin/sh\n");
  symlinkSync("kept.txt", path.join(repository, "link"));
  git("add", "-A");
  git("commit", "-qm", "second");
  const odd = Buffer.from('caf\xe9 "x"\n.txt', "latin1");
  const scene = await openScene({ go: "true", again: "true" });
  await scene.session.turn("go");
  renameSync(path.join(repository, "moved.txt"), path.join(repository, "there.txt"));
  write("picture.bin", Buffer.from([0, 9, 9, 9]));
  write("crlf.txt", "one\r\n2\r\n");
  chmodSync(path.join(repository, "tool.sh"), 0o755);
  rmSync(path.join(repository, "link"));
  symlinkSync("long.txt", path.join(repository, "link"));
  writeFileSync(Buffer.concat([Buffer.from(`${repository}/`), odd]), "odd\n");
  rmSync(path.join(repository, "kept.txt"));
  write("kept.txt/inside", "a folder now\n");
  rmSync(path.join(repository, "long.txt"));
  symlinkSync("nowhere", path.join(repository, "long.txt"));
  await scene.session.turn("again");
  const { files } = await list(scene);
  const shown = files.map(({ additions, deletions, ...file }) => ({
    ...file,
    lines: [additions, deletions],
  }));
  const quoted = '"caf\\351 \\"x\\"\\012.txt"';
  expect(shown).toEqual([
    { path: quoted, status: "added", kind: "file", lines: [1, 0] },
    { path: "crlf.txt", status: "modified", kind: "file", lines: [1, 1] },
    { path: "kept.txt", status: "deleted", kind: "file", lines: [0, 3] },
    { path: "kept.txt/inside", status: "added", kind: "file", lines: [1, 0] },
    { path: "link", status: "modified", kind: "symlink", lines: [1, 1] },
    {
      path: "long.txt",
      status: "type-changed",
      kind: "symlink",
      oldMode: "100644",
      newMode: "120000",
      lines: [1, 40],
    },
    { path: "picture.bin", status: "modified", kind: "file", isBinary: true, lines: [0, 0] },
    { path: "there.txt", oldPath: "moved.txt", status: "renamed", kind: "file", lines: [0, 0] },
    {
      path: "tool.sh",
      status: "modified",
      kind: "file",
      oldMode: "100644",
      newMode: "100755",
      lines: [0, 0],
    },
  ]);
  const { diffs } = await diff(scene);
  expect(diffs.find(({ file }) => file.path === quoted)?.hunks[0]?.text).toBe("+odd\n");
  expect(diffs.find(({ file }) => file.path === "crlf.txt")?.hunks[0]?.text).toBe(" one\n-two\n+2\n");
  await revert(
    scene,
    files.map((file) => ({ path: file.path })),
  );
  expect(git("status", "--porcelain")).toBe("");
  expect(read("crlf.txt")).toBe("one\r\ntwo\r\n");
});

test("[N744] a carriage return in a file begins neither another file nor another hunk", async () => {
  const scene = await openScene({ go: "true" });
  await scene.session.turn("go");
  const fake = "x\rdiff --git a/z.txt b/z.txt\r@@ -1 +1 @@ nothing\r-old\r+new\n";
  write("a.txt", fake);
  write("kept.txt", "one\n2\nthree\n");
  write("z.txt", "z\n");
  const { diffs } = await diff(scene);
  const shown = diffs.map(({ file, hunks }) => [file.path, hunks.map(({ text }) => text)]);
  const changed = " one\n-two\n+2\n three\n";
  expect(shown).toEqual([
    ["a.txt", [`+${fake}`]],
    ["kept.txt", [changed]],
    ["z.txt", ["+z\n"]],
  ]);
  await revert(scene, [{ path: "kept.txt" }]);
  expect(git("status", "--porcelain")).toBe("?? a.txt\n?? z.txt\n");
});

test("[N749] an app sees its own sessions only, and changes files where its ceiling allows everything", async () => {
  const { host, session } = await openScene({ edit: "echo x >> kept.txt" });
  await session.turn("edit");
  const other = { kind: "app", appId: makeId("app", "other") } as const;
  const { changes } = host.host;
  await expect(changes.list(session.key, undefined, other)).rejects.toMatchObject({
    code: "ACP_SESSION_NOT_FOUND",
  });
  const appId = makeId("app", "mine");
  const withCeiling = (policy: Ceiling["policy"], roots = [base]): Caller => ({
    kind: "app",
    appId,
    ceiling: { policy, roots },
  });
  const options = { agent_id: "mine", cwd: repository, approvalPolicy: "approve-all" } as const;
  const { session_key: own } = await host.host.createSession(options, withCeiling("approve-all"));
  expect(await changes.list(own, undefined, withCeiling("ask"))).toMatchObject({ source: "git", files: [] });
  for (const caller of [withCeiling("approve-reads"), withCeiling("approve-all", ["/elsewhere"])]) {
    await expect(changes.stage(own, ["kept.txt"], caller)).rejects.toMatchObject({
      code: "CEILING_EXCEEDED",
    });
  }
  await expect(changes.stage(own, ["kept.txt"], withCeiling("approve-all"))).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
});

test("[N749] a session that is deleted leaves no snapshots", async () => {
  const { host, session } = await openScene({ edit: "echo x >> kept.txt" });
  await session.turn("edit");
  await list({ host, session });
  const folder = path.join(host.folder, "state/changes");
  expect(readdirSync(folder)).toHaveLength(1);
  await host.host.deleteSession(session.key, ME);
  expect(readdirSync(folder)).toEqual([]);
});
