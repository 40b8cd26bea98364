// `holdfast changes` and `holdfast revert` against a real host, with the built-in shell agent in a repository.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ChangeList, FileDiff } from "@holdfast/sdk";
import { expect, it } from "vitest";
import { useAdministeredHost } from "../testing/administered-host.ts";

const host = useAdministeredHost();

function gitIn(cwd: string): (...args: readonly string[]) => string {
  const author = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
  return (...args) => execFileSync("git", [...author, ...args], { cwd, encoding: "utf8" });
}

it("[C740] [C741] changes lists, prints as a patch and reverts what a command of the agent changed", async () => {
  const { work, api } = host;
  const git = gitIn(work);
  git("init", "-q", "-b", "main");
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join("");
  writeFileSync(path.join(work, "a.txt"), lines);
  git("add", "-A");
  git("commit", "-qm", "first");
  const { session_key } = await api.acpAgent.createSession({
    agent_id: "shell",
    cwd: work,
    approvalPolicy: "approve-all",
  });
  await api.acpAgent.chat(session_key, "sed -i -e '2s/.*/two/' -e '29s/.*/late/' a.txt; echo new > b.txt");
  expect((await host.run("changes", session_key)).stdout).toBe(
    "M  a.txt  +2 -2\nA  b.txt  +1 -0\n2 files, +3 -2\n",
  );
  expect(await host.read<ChangeList>("changes", session_key, "--turn", "1")).toMatchObject({
    source: "git",
    turn: 1,
    summary: { files: 2, additions: 3, deletions: 2 },
  });
  const patch = (await host.run("changes", session_key, "--diff")).stdout;
  writeFileSync(path.join(host.folder, "patch"), patch);
  git("apply", "--check", "--reverse", path.join(host.folder, "patch"));
  const { diffs } = await host.read<{ diffs: FileDiff[] }>("changes", session_key, "--diff");
  const id = diffs[0]?.hunks[0]?.id ?? "";
  const { stdout } = await host.run("revert", session_key, "a.txt", "--hunk", id);
  expect(stdout).toBe("Reverted. 2 files are still changed.\n");
  expect(readFileSync(path.join(work, "a.txt"), "utf8")).toBe(lines.replace("line 29", "late"));
  await host.run("revert", session_key, "a.txt", "b.txt");
  expect(git("status", "--porcelain")).toBe("");
  expect(await host.refused("revert", session_key, "a.txt")).toMatchObject({ code: "NOT_FOUND" });
  expect(await host.refused("revert", session_key, "a.txt", "b.txt", "--hunk", id)).toEqual({
    code: "WRONG_ARGUMENTS",
    exitCode: 2,
  });
  expect(await host.refused("changes")).toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
  await expect(api.changes.commit(session_key, "x")).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
});

it("[C867] the patch of a file with tabs, CRLF, escapes or an odd name is one that git applies", async () => {
  const work = path.join(host.folder, "bytes");
  mkdirSync(work);
  const git = gitIn(work);
  git("init", "-q", "-b", "main");
  git("config", "core.autocrlf", "false");
  const lines = (end: string): string =>
    Array.from({ length: 9 }, (_, index) => `\tline\t${index}\u200E \u001B[1m${end}`).join("");
  const names = ["tabs.go", 'quoted "name"\\.txt', "new\nline\t.txt", "grüße .txt"];
  for (const name of names) writeFileSync(path.join(work, name), lines("\n"));
  writeFileSync(path.join(work, "crlf.txt"), lines("\r\n"));
  git("add", "-A");
  git("commit", "-qm", "first");
  const { session_key } = await host.api.acpAgent.createSession({
    agent_id: "shell",
    cwd: work,
    approvalPolicy: "approve-all",
  });
  await host.api.acpAgent.chat(session_key, String.raw`sed -i 's/line\t4/&\t\r/' *; cp tabs.go added.go`);
  const { stdout: patch } = await host.run("changes", session_key, "--diff");
  expect(patch.match(/^\+\+\+ /gm)).toHaveLength(names.length + 2);
  writeFileSync(path.join(host.folder, "bytes.patch"), patch);
  git("apply", "--reverse", path.join(host.folder, "bytes.patch"));
  expect(git("status", "--porcelain")).toBe("");
});

it("[C867] changes shows modes and renames so that git applies the patch, and explains a .git that leads nowhere", async () => {
  const { api } = host;
  const work = path.join(host.folder, "modes");
  mkdirSync(work);
  const git = gitIn(work);
  git("init", "-q", "-b", "main");
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join("");
  for (const name of ["both.sh", "mode.sh", "old.txt"]) {
    writeFileSync(path.join(work, name), `${name}\n${lines}`);
  }
  git("add", "-A");
  git("commit", "-qm", "first");
  const wish = { agent_id: "shell", cwd: work, approvalPolicy: "approve-all" } as const;
  const { session_key } = await api.acpAgent.createSession(wish);
  await api.acpAgent.chat(session_key, "chmod +x mode.sh both.sh; echo x >> both.sh; mv old.txt new.txt");
  expect((await host.run("changes", session_key)).stdout).toBe(
    "M  both.sh  +1 -0  (mode 100644 → 100755)\n" +
      "M  mode.sh  +0 -0  (mode 100644 → 100755)\n" +
      "R  old.txt → new.txt  +0 -0\n" +
      "3 files, +1 -0\n",
  );
  const { stdout: patch } = await host.run("changes", session_key, "--diff");
  expect(patch).toContain("diff --git a/mode.sh b/mode.sh\nold mode 100644\nnew mode 100755\ndiff --git ");
  writeFileSync(path.join(host.folder, "patch"), patch);
  git("apply", "--reverse", path.join(host.folder, "patch"));
  expect(git("status", "--porcelain")).toBe("");

  const broken = path.join(host.folder, "broken");
  mkdirSync(broken);
  writeFileSync(path.join(broken, ".git"), "gitdir: ../gone/.git\n");
  const { session_key: other } = await api.acpAgent.createSession({ ...wish, cwd: broken });
  const reason =
    `${path.join(broken, ".git")} names the git folder ${path.join(host.folder, "gone/.git")}, ` +
    "which does not exist. Correct the path in it, or remove the file.";
  for (const words of [
    ["changes", other],
    ["changes", other, "--diff"],
  ]) {
    expect((await host.run(...words)).stderr).toBe(
      `holdfast: Only what the agent reported is shown. ${reason}\n`,
    );
  }
  await expect(api.changes.commit(other, "x")).rejects.toMatchObject({ message: reason });
});
