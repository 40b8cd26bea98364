// Interpretation of a command: the rule that agents of every habit rely on.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { resolveCommand } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "command-line-"));
afterAll(() => rmSync(folder, { recursive: true }));
const program = (name: string, mode = 0o755): string => {
  const file = join(folder, name);
  writeFileSync(file, "#!/bin/sh\n");
  chmodSync(file, mode);
  return file;
};
program("tool");
program("my tool");
program("locked", 0o644);
mkdirSync(join(folder, "folder"));

const path = `/nowhere:${folder}:/usr/bin:/bin`;
const resolve = (command: string, args: string[] = []): unknown =>
  resolveCommand(command, args, folder, path);

describe("a command", () => {
  it("[T3] with arguments is executed without a shell", () => {
    expect(resolve("tool", ["a b", "$HOME", "|"])).toEqual({
      file: join(folder, "tool"),
      args: ["a b", "$HOME", "|"],
    });
  });

  it("[T3] without arguments is executed when it names a program as a whole", () => {
    expect(resolve("tool")).toEqual({ file: join(folder, "tool"), args: [] });
    expect(resolve("my tool")).toEqual({ file: join(folder, "my tool"), args: [] });
    expect(resolve("./tool")).toEqual({ file: join(folder, "tool"), args: [] });
  });

  it.each([
    "tool --flag",
    "echo hi | cat",
    "A=1 tool",
    "cd folder && ls",
    "$EDITOR",
    `echo ${"x".repeat(5000)}/y`,
    "a\nb",
  ])("[T3] that is a line goes to the shell: %.20s", (line) => {
    expect(resolve(line)).toEqual({ file: "/usr/bin/bash", args: ["-c", line] });
  });

  it("[T3] that is a line goes to sh where there is no bash", () => {
    const bare = join(folder, "folder");
    expect(resolveCommand("a b", [], folder, bare)).toEqual({ file: "/bin/bash", args: ["-c", "a b"] });
  });

  it.each([
    ["nosuch", [], "program_not_found", "nosuch"],
    ["nosuch", ["x"], "program_not_found", "nosuch"],
    ["/no/such/tool", ["x"], "program_not_found", "/no/such/tool"],
    ["folder", [], "program_not_found", "folder"],
    ["locked", [], "program_not_executable", "locked"],
    ["echo hi", ["x"], "program_not_found", "echo hi"],
  ])("[T3] %s %j that names no program is an error that names it", (command, args, code, named) => {
    expect(() => resolve(command, args)).toThrow(
      expect.objectContaining({ code, field: "command", message: expect.stringContaining(named) }),
    );
  });

  it("[T3] is looked up in the default folders when there is no PATH", () => {
    expect(resolveCommand("ls", [], folder, undefined)).toEqual({ file: "/usr/bin/ls", args: [] });
  });
});
