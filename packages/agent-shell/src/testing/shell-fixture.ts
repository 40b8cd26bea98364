// Fixtures of most test files: a scratch folder, clients that are closed at the end, and a look at what they saw.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { ShellClient } from "./shell-client.ts";
import type { ShellClientOptions } from "./shell-client.ts";

/** Makes a folder that is removed after the tests of this file. */
export function makeScratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-shell-")));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** Starts clients that are closed after the tests, then checked: every message fits ACP and stderr is quiet (S3, S4). */
export function useShellClients(): (options?: ShellClientOptions) => Promise<ShellClient> {
  const clients: ShellClient[] = [];
  const assertAllFits = (): void => {
    for (const { process } of clients) {
      expect(process.faults).toEqual([]);
      expect(process.stderr).toBe("");
    }
  };
  afterEach(assertAllFits);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    assertAllFits();
  });
  return async (options) => {
    const client = await ShellClient.start(options);
    clients.push(client);
    return client;
  };
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}
