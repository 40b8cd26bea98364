// The token: made once, kept private, never empty.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { recordLog, temporaryFolder } from "../testing/temporary-home.ts";
import { openToken, readToken } from "./token.ts";

describe("[C2] the token", () => {
  it("[C2] is 32 random bytes, made once and read again", () => {
    const home = temporaryFolder();
    const { log, lines } = recordLog();
    const token = openToken(home, log);
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(openToken(home, log)).toBe(token);
    expect(readToken(home)).toBe(token);
    expect(openToken(temporaryFolder(), log)).not.toBe(token);
    expect(lines).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("[C2] is readable by its owner alone, and that is repaired", () => {
    const home = temporaryFolder();
    const { log, lines } = recordLog();
    const token = openToken(home, log);
    const file = path.join(home, "token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    expect(openToken(home, log)).toBe(token);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([expect.stringMatching(/^warn Others could read the token/)]);
    expect(lines.join("")).not.toContain(token);
  });

  it.skipIf(process.platform === "win32")(
    "[C225] is no link, whose target keeps its mode, nor a pipe",
    () => {
      const home = temporaryFolder();
      const target = path.join(temporaryFolder(), "theirs");
      writeFileSync(target, "a-long-secret-of-somebody-else\n", { mode: 0o644 });
      const file = path.join(home, "token");
      symlinkSync(target, file);
      expect(() => openToken(home, recordLog().log)).toThrow(`${file} is a symbolic link`);
      expect(() => readToken(home)).toThrow(`${file} is a symbolic link`);
      expect(statSync(target).mode & 0o777).toBe(0o644);
      rmSync(file);
      execFileSync("mkfifo", [file]);
      expect(() => openToken(home, recordLog().log)).toThrow(`${file} is not a file`);
    },
  );

  it.each([
    ["empty", ""],
    ["short", "secret"],
    ["two words", "one-long-token and-another"],
  ])("[C2] that is %s is refused, and left as it is", (_what, text) => {
    const home = temporaryFolder();
    const file = path.join(home, "token");
    writeFileSync(file, text, { mode: 0o600 });
    expect(() => openToken(home, recordLog().log)).toThrow(/does not hold a token\. Delete it/);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
