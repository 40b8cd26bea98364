// Every library can be published: what its manifest names is there, with types, and nothing is of the repository alone.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { root } from "../repository/source-file.ts";
import { runCommand } from "./runtime.ts";

interface PublishedManifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const scratch = mkdtempSync(path.join(tmpdir(), "holdfast-libraries-"));
/** What programs use; all other packages are in the program's bundle. */
const names = ["ahp", "jsonrpc", "sdk", "terminal"];
const folderOf = (name: string): string => path.join(scratch, "libraries", name);

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

beforeAll(async () => {
  if (!isLong) return;
  const words = [path.join(root, "scripts", "pack.mjs"), "--libraries", "--into", scratch];
  const outcome = await runCommand(process.execPath, words, { cwd: root, environment: process.env });
  if (outcome.exitCode !== 0) throw new Error(outcome.stderr);
}, 120_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function readText(name: string, file: string): string {
  return readFileSync(path.join(folderOf(name), file), "utf8");
}

describe("the libraries", () => {
  beforeEach((context) => {
    context.skip(!isLong, "it packs every library; HOLDFAST_LONG=1 does");
  });

  it.each(names)("[Y7] %s passes publint, and each entry has types and code", async (name) => {
    const text = readText(name, "package.json");
    const manifest = JSON.parse(text) as PublishedManifest;
    const { messages } = await publint({ pkgDir: folderOf(name), strict: true });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
    expect(text).not.toContain("@holdfast/source");
    expect(text).not.toContain("devDependencies");
    expect(Object.keys(manifest.exports)).toContain(".");
    for (const conditions of Object.values(manifest.exports)) {
      const targets = Object.values(conditions);
      expect(targets.filter((target) => !existsSync(path.join(folderOf(name), target)))).toEqual([]);
      const isData = targets.every((target) => target.endsWith(".json"));
      if (!isData) expect(conditions).toHaveProperty("types");
    }
  });

  it("[Y7] a tarball holds no tests, no leftovers of the compiler, and the licence", () => {
    for (const name of names) {
      const files = readdirSync(folderOf(name), { recursive: true }) as string[];
      expect(files.filter((file) => /\.test\.|tsbuildinfo|(?:^|\/)testing(?:\/|$)/.test(file))).toEqual([]);
      expect(files).toEqual(
        expect.arrayContaining(["LICENSE", "README.md", path.join("dist", "index.d.ts")]),
      );
    }
    const shells = ["holdfast.bash", "holdfast.fish", "zsh/.zshenv"];
    for (const shell of shells) {
      expect(readText("terminal", `src/shell-integration/scripts/${shell}`)).toContain("HOLDFAST");
    }
    expect(readdirSync(scratch).filter((file) => file.endsWith(".tgz"))).toHaveLength(names.length + 1);
  });
});
