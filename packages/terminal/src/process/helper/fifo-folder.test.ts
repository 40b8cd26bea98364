// Folders of FIFOs: which are removed, and which are left alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { makeFifoFolder, removeStaleFifoFolders } from "./fifo-folder.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-sweep-"));
  vi.stubEnv("TMPDIR", folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A folder as another process would have made it, with something in it. */
function folderOf(pid: number, change = (name: string): string => name): string {
  const own = makeFifoFolder();
  const owner = new RegExp(`-${process.pid}-\\d+-`);
  const name = path.basename(own).replace(owner, `-${pid}-${startTicks(pid)}-`);
  const made = path.join(folder, change(name));
  rmSync(own, { recursive: true });
  mkdirSync(made);
  writeFileSync(path.join(made, "0"), "");
  return made;
}

/** Field 22 of a process's stat; 1 for one that is gone. */
function startTicks(pid: number): string {
  const stat = path.join("/proc", String(pid), "stat");
  return existsSync(stat) ? (readFileSync(stat, "latin1").split(") ")[1]?.split(" ")[19] ?? "") : "1";
}

async function endedPid(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid ?? 0;
}

describe.skipIf(process.platform === "win32")("[T220] folders of FIFOs", () => {
  it("[T220] whose process is gone are removed; those of running ones, and other things, stay", async () => {
    const running = spawn("sleep", ["1000"]);
    onTestFinished(() => void running.kill("SIGKILL"));
    const stale = folderOf(await endedPid());
    const own = makeFifoFolder();
    const live = folderOf(running.pid ?? 0);
    const foreign = folderOf(await endedPid(), (name) => name.replace(/-\d+-(\w+)$/, "-1-$1"));
    const other = folderOf(await endedPid(), (name) => `my-${name}`);
    await removeStaleFifoFolders();
    expect(existsSync(stale)).toBe(false);
    expect([own, live, foreign, other].filter((kept) => !existsSync(kept))).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "[T220] whose pid another process has since got are removed",
    async () => {
      const later = spawn("sleep", ["1000"]);
      onTestFinished(() => void later.kill("SIGKILL"));
      await once(later, "spawn");
      const made = folderOf(later.pid ?? 0, (name) => name.replace(/fifos-(\d+)-\d+-/, "fifos-$1-7-"));
      await removeStaleFifoFolders();
      expect(existsSync(made)).toBe(false);
    },
  );

  it.each([-86_400_000, 86_400_000])(
    "[T220] of running helpers stay when the clock is set by %i ms",
    async (ms) => {
      const running = spawn("sleep", ["1000"]);
      onTestFinished(() => void running.kill("SIGKILL"));
      const live = folderOf(running.pid ?? 0);
      vi.setSystemTime(Date.now() + ms);
      onTestFinished(() => void vi.useRealTimers());
      await removeStaleFifoFolders();
      expect(existsSync(live)).toBe(true);
    },
  );
});
