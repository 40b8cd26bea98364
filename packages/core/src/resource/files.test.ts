// Files of a session: what lies inside its folders, links followed, and what can be read and written.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkPath, isInside, readTextFile, resolveFile, writeTextFile } from "./files.ts";

const readNow = async (target: string, line?: number | null, limit?: number | null): Promise<string> =>
  readTextFile(await resolveFile(target), line, limit);
const writeNow = async (target: string, content: string): Promise<void> =>
  writeTextFile(await resolveFile(target), content);

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "files-test-")));
const root = path.join(folder, "root");
const at = (...names: string[]): string => path.join(root, ...names);
mkdirSync(at("sub"), { recursive: true });
mkdirSync(path.join(folder, "rooted"));
mkdirSync(path.join(folder, "outside"));
writeFileSync(at("lines.txt"), "one\ntwo\r\nthree\nfour");
writeFileSync(path.join(folder, "outside", "secret"), "secret");
symlinkSync(path.join(folder, "outside"), at("way-out"));
symlinkSync(path.join(folder, "outside", "not-yet"), at("dangling"));
symlinkSync("dangling", at("dangling-twice"));
symlinkSync("../outside/not-yet-either", at("dangling-relative"));
symlinkSync(at("sub"), at("way-in"));
symlinkSync("loop-b", at("loop-a"));
symlinkSync("loop-a", at("loop-b"));
symlinkSync(root, path.join(folder, "alias"));

afterAll(() => rmSync(folder, { recursive: true }));

describe("[N28] inside the roots", () => {
  test.each([
    ["the root itself", root],
    ["a file", at("lines.txt")],
    ["a file that is yet to be made", at("new.txt")],
    ["one in folders that are yet to be made", at("a", "b", "c.txt")],
    ["a way down and up again", `${root}/sub/../lines.txt`],
    ["a link that stays inside", at("way-in", "x")],
    ["another name of the root", path.join(folder, "alias", "x")],
  ])("[N28] %s is inside", async (_what, target) => {
    expect(await isInside(target, [root])).toBe(true);
  });

  test.each([
    ["its parent", folder],
    ["a folder whose name begins like it", path.join(folder, "rooted", "x")],
    ["a way out by dots", `${root}/../outside/secret`],
    ["a way out by dots through what is not there", `${root}/none/../../outside/new`],
    ["a link that leads out", at("way-out", "secret")],
    ["a new file behind a link that leads out", at("way-out", "new")],
    ["a link to a file outside that is yet to be made", at("dangling")],
    ["the same by another link", at("dangling-twice")],
    ["the same by a relative link", at("dangling-relative")],
    ["anything else", "/etc/passwd"],
  ])("[N28] %s is outside", async (_what, target) => {
    expect(await isInside(target, [root])).toBe(false);
  });

  test("[N28] links that lead in a circle end the search", async () => {
    await expect(isInside(at("loop-a"), [root])).resolves.toEqual(expect.any(Boolean));
    await expect(writeNow(at("loop-a"), "x")).rejects.toMatchObject({ code: -32600 });
  });
});

test.each([["relative/path"], [""], [undefined], [42], ["/with\0nul"]])("[N28] %j is not a path", (value) => {
  expect(() => checkPath(value)).toThrow(expect.objectContaining({ code: -32602 }) as Error);
});

describe("[N29] reading", () => {
  test.each([
    [undefined, undefined, "one\ntwo\r\nthree\nfour"],
    [null, null, "one\ntwo\r\nthree\nfour"],
    [1, 1, "one\n"],
    [2, 2, "two\r\nthree\n"],
    [3, undefined, "three\nfour"],
    [undefined, 2, "one\ntwo\r\n"],
    [4, 100, "four"],
    [5, 1, ""],
    [0, 1, "one\n"],
    [2, 0, ""],
  ])("[N29] from line %j, %j lines: %j", async (line, limit, text) => {
    expect(await readNow(at("lines.txt"), line, limit)).toBe(text);
  });

  test("[N29] a missing file is -32002; a folder, a pipe and a file that is too large have different errors", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    writeFileSync(at("huge"), "");
    truncateSync(at("huge"), 32 * 1024 * 1024 + 1);
    await expect(readNow(at("none"))).rejects.toMatchObject({
      code: -32002,
      message: `No such file: ${at("none")}`,
    });
    await expect(readNow(root)).rejects.toMatchObject({ code: -32602 });
    await expect(readNow(at("pipe"))).rejects.toMatchObject({ code: -32602 });
    await expect(writeNow(at("pipe"), "x")).rejects.toMatchObject({ code: -32602 });
    await expect(readNow(at("huge"))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("33554433") as string,
    });
  });
});

test("[N29] writing makes the file and its folders, replaces what was there, and says what went wrong", async () => {
  await writeNow(at("made", "of", "folders.txt"), "first and longer");
  await writeNow(at("made", "of", "folders.txt"), "second €");
  expect(readFileSync(at("made", "of", "folders.txt"), "utf8")).toBe("second €");
  await expect(writeNow(at("lines.txt", "below-a-file"), "x")).rejects.toMatchObject({ code: -32603 });
  await expect(writeNow(at("sub"), "x")).rejects.toMatchObject({ code: -32602 });
});
