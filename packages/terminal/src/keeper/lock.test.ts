// The lock of a keeper: who gets it when several want it, and after its holder has died.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { KeeperLock } from "./lock.ts";

function lockFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-lock-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return path.join(folder, "lock");
}

describe("[K724] the lock of a keeper", () => {
  it("[K724] is taken once, names its holder, and can be taken again when it was given back", () => {
    const file = lockFile();
    const lock = new KeeperLock(file);
    expect(lock.take()).toBeUndefined();
    expect(new KeeperLock(file).take()).toBe(process.pid);
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^${process.pid} \\S`));
    lock.close();
    expect(new KeeperLock(file).take()).toBeUndefined();
    expect(readdirSync(path.dirname(file))).toEqual(["lock"]);
  });

  it("[K724] is taken from a process that has died, or whose pid another process has got", async () => {
    const file = lockFile();
    const child = spawn("true");
    await once(child, "exit");
    for (const text of [`${child.pid} 1\n`, `${process.pid} 1\n`, "nonsense", ""]) {
      writeFileSync(file, text);
      const lock = new KeeperLock(file);
      expect(lock.take()).toBeUndefined();
      lock.close();
      expect(readdirSync(path.dirname(file))).toEqual([]);
    }
  });
});
