// A release starts from a clean tree, gives one version to everything, and takes the changesets into the changelog.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { changelogWith, readChanges } from "../../scripts/package/changelog.mjs";
import { packageNames, root } from "../repository/source-file.ts";
import { runCommand, type CommandOutcome } from "./runtime.ts";

/** Prints its arguments, does nothing, and fails on request. */
const npmProgram = `
import { appendFileSync, mkdirSync } from "node:fs";
appendFileSync("npm-calls.log", process.argv.slice(2).join(" ") + "\\n");
if (process.argv[2] === process.env.NPM_FAILS_AT) process.exit(1);
`;

/** The parts of the repository that a version is made from, committed. */
class Repository {
  readonly folder = mkdtempSync(path.join(tmpdir(), "holdfast-release-"));

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    const files = [
      ".changeset",
      "scripts",
      "package.json",
      "package-lock.json",
      "CHANGELOG.md",
      ...packageNames().map((name) => `packages/${name}/package.json`),
      "packages/agent-shell/src/version.ts",
      "packages/cli/src/version.ts",
    ];
    for (const file of files) this.#copy(file);
    mkdirSync(path.join(this.folder, "node_modules"));
    // Linked one by one: in a shared folder the script would note that it had installed.
    symlinkSync(
      path.join(root, "node_modules", "@changesets"),
      path.join(this.folder, "node_modules", "@changesets"),
    );
    this.write("npm-cli.js", npmProgram);
    this.write(".gitignore", "node_modules\nnpm-calls.log\n");
    this.git("init", "--quiet");
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "before");
  }

  #copy(file: string): void {
    cpSync(path.join(root, file), path.join(this.folder, file), { recursive: true });
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.folder, file), text);
  }

  git(...words: string[]): string {
    const identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"];
    const { stdout, stderr, status } = spawnSync("git", [...identity, ...words], {
      cwd: this.folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  }

  npmCalls(): string[] {
    return existsSync(path.join(this.folder, "npm-calls.log"))
      ? this.read("npm-calls.log").trim().split("\n")
      : [];
  }

  async release(environment: Record<string, string> = {}): Promise<CommandOutcome> {
    return runCommand(
      process.execPath,
      [path.join(this.folder, "scripts", "release.mjs"), "--version-only"],
      {
        cwd: this.folder,
        environment: { ...process.env, npm_execpath: path.join(this.folder, "npm-cli.js"), ...environment },
      },
    );
  }
}

describe("scripts/release.mjs", () => {
  it("[Y10] does nothing in a tree with changes, nor when the tests fail", async () => {
    const repository = new Repository();
    repository.write("stray.txt", "not committed");
    const refused = await repository.release();
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("?? stray.txt") });
    expect(repository.npmCalls()).toEqual([]);
    rmSync(path.join(repository.folder, "stray.txt"));
    const failed = await repository.release({ NPM_FAILS_AT: "test" });
    expect(failed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("the tests failed") });
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("[Y10] gives all packages one version, in manifests, constants and changelog, and publishes nothing", async () => {
    const repository = new Repository();
    repository.write(".changeset/a-repair.md", `---\n"holdfast": patch\n---\n\nFixes a thing.\n`);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", "--message", "a repair");
    const { exitCode, stderr } = await repository.release();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const manifests = packageNames().map(
      (name) =>
        JSON.parse(repository.read(`packages/${name}/package.json`)) as {
          version: string;
          dependencies?: Record<string, string>;
        },
    );
    const [version = ""] = new Set(manifests.map((manifest) => manifest.version));
    expect(new Set(manifests.map((manifest) => manifest.version)).size).toBe(1);
    const own = manifests
      .flatMap(({ dependencies = {} }) => Object.entries(dependencies))
      .filter(([name]) => name.startsWith("@holdfast/"));
    expect(own.filter(([, wanted]) => wanted !== version)).toEqual([]);
    for (const name of ["agent-shell", "cli"]) {
      expect(repository.read(`packages/${name}/src/version.ts`)).toContain(`VERSION = "${version}"`);
    }
    expect(repository.read("CHANGELOG.md")).toMatch(
      new RegExp(`^## ${version.replaceAll(".", String.raw`\.`)} – \\d{4}-\\d\\d-\\d\\d$`, "m"),
    );
    expect(readdirSync(path.join(repository.folder, ".changeset")).toSorted()).toEqual([
      "README.md",
      "config.json",
    ]);
    expect(repository.npmCalls().filter((call) => call.startsWith("publish"))).toEqual([]);
  });

  it("[Y10] the changelog keeps what was written by hand, and else lists the changesets by their weight", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-changes-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, "README.md"), "# Not a change\n");
    writeFileSync(path.join(folder, "b.md"), `---\n"holdfast": patch\n---\n\nFixes\na thing.\n`);
    writeFileSync(path.join(folder, "a.md"), `---\n"holdfast": minor\n---\n\nAdds a thing.\n`);
    const changes = readChanges(folder);
    expect(changes).toEqual([
      { weight: "minor", sentence: "Adds a thing." },
      { weight: "patch", sentence: "Fixes a thing." },
    ]);
    const text = "# Changelog\n\nWords.\n\n## 0.1.0 – unreleased\n\nBy hand.\n";
    const first = changelogWith(text, { version: "0.1.0", date: "2030-01-02", changes });
    expect(first).toBe("# Changelog\n\nWords.\n\n## 0.1.0 – 2030-01-02\n\nBy hand.\n");
    expect(changelogWith(first, { version: "0.2.0", date: "2030-02-03", changes })).toBe(
      "# Changelog\n\nWords.\n\n## 0.2.0 – 2030-02-03\n\n### Added\n\n- Adds a thing.\n\n### Fixed\n\n- Fixes a thing.\n\n" +
        "## 0.1.0 – 2030-01-02\n\nBy hand.\n",
    );
    writeFileSync(path.join(folder, "c.md"), "no front matter\n");
    expect(() => readChanges(folder)).toThrow(/c\.md does not say/);
  });
});
