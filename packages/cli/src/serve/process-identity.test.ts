// Distinguishing a process from a later one with the same pid.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { identifyProcess, isRunning } from "./process-identity.ts";

describe("[C6] a process", () => {
  it("[C6] is known by its pid and its birth", () => {
    const me = identifyProcess(process.pid);
    expect(me).toEqual(identifyProcess(process.pid));
    expect(me !== undefined && isRunning(me)).toBe(true);
    expect(isRunning({ pid: process.pid, birth: "" })).toBe(true);
  });

  it.skipIf(process.platform === "win32")("[C6] is not a later one with its pid", () => {
    expect(isRunning({ pid: process.pid, birth: "some other time" })).toBe(false);
    expect(identifyProcess(process.ppid)?.birth).not.toBe("");
  });

  it("[C6] is not running once it has ended", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    await once(child, "spawn");
    const identity = identifyProcess(child.pid ?? 0);
    expect(identity !== undefined && isRunning(identity)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(identity !== undefined && isRunning(identity)).toBe(false);
  });

  it.runIf(process.platform === "linux")("[C6] is not running as a zombie", async () => {
    // The shell becomes a program that never reaps what the shell started.
    const parent = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ");
      expect(identifyProcess(pid)).toBeUndefined();
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it.each([0, -1, 1.5, Number.NaN])("[C6] has no pid like %d", (pid) => {
    expect(identifyProcess(pid)).toBeUndefined();
  });
});
