// Programs that run outside of sandboxes: those of the system, whatever lies in the PATH.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { pidNamespaceObstacle } from "../process/tree/pid-namespace.ts";
import { Spawner } from "../process/spawner.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun } from "../testing/run-record.ts";
import { findEnterProgram } from "./enter-program.ts";
import { findSystemProgram } from "./system-program.ts";

guardLeaks();

let folder: string;
let marker: string;

/** A folder at the head of the PATH, as an agent could have filled it: each program leaves a file, and fails. */
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "planted-")));
  marker = path.join(folder, "marker");
  const tools = path.join(folder, "tools");
  mkdirSync(tools);
  const script = `#!/bin/sh\necho "$0" >> ${marker}\nexit 1\n`;
  for (const name of ["mkfifo", "as", "ld", "collect2", "unshare", "cat", "ps", "stty"]) {
    writeFileSync(path.join(tools, name), script, { mode: 0o755 });
  }
  vi.stubEnv("PATH", `${tools}:${process.env["PATH"]}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
});

describe.runIf(process.platform === "linux")("[T706] programs in the host's PATH", () => {
  it("[T706] are not taken to prepare commands", async () => {
    const spawner = new Spawner({ environment: process.env });
    onTestFinished(() => spawner.close(0));
    for (const kind of ["text", "tty"] as const) {
      const { run, record } = await recordRun(spawner, { kind, command: "echo", args: ["over"] });
      await record.ended();
      expect(record.text().trim()).toBe("over");
      run.release();
    }
    await pidNamespaceObstacle();
    expect(existsSync(marker)).toBe(false);
  });

  it("[T706] are not taken to look for a backend", async () => {
    const spawner = new Spawner({ environment: process.env });
    onTestFinished(() => spawner.close(0));
    await spawner.isolation();
    expect(existsSync(marker)).toBe(false);
  });

  it.runIf(findSystemProgram("cc") !== undefined)(
    "[T706] are not taken to compile the program that joins sandboxes",
    async () => {
      const output = path.join(folder, "private");
      expect(await findEnterProgram(output)).toBeDefined();
      expect(existsSync(marker)).toBe(false);
    },
  );
});
