// Folders of FIFOs: which are removed, and which are left alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  const made = path.join(folder, change(path.basename(own).replace(`-${process.pid}-`, `-${pid}-`)));
  rmSync(own, { recursive: true });
  mkdirSync(made);
  writeFileSync(path.join(made, "0"), "");
  return made;
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
      const made = folderOf(await endedPid());
      // A process that begins after the folder; the clocks of both are coarse.
      await new Promise((resolve) => {
        setTimeout(resolve, 2500);
      });
      const later = spawn("sleep", ["1000"]);
      onTestFinished(() => void later.kill("SIGKILL"));
      await once(later, "spawn");
      const reused = made.replace(/fifos-\d+-/, `fifos-${later.pid}-`);
      renameSync(made, reused);
      await removeStaleFifoFolders();
      expect(existsSync(reused)).toBe(false);
    },
  );
});
