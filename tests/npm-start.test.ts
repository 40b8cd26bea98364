// Signals to a real `npm start`: npm, the host that it runs, and nothing else in between.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Holdfast } from "@holdfast/sdk";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runtimeAtHand } from "./package/runtime.ts";
import { root } from "./repository/source-file.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const timeouts = { timeout: 30_000, interval: 50 };

interface StartedHost {
  readonly npm: ChildProcess;
  readonly npmPid: number;
  readonly hostPid: number;
  readonly home: string;
  /** The line that it printed when it was ready. */
  readonly ready: { readonly url: string; readonly token: string };
}

/** Starts `npm start` in this repository; gives npm's process and the host's. */
async function npmStart(): Promise<StartedHost> {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-npm-"));
  const words = [
    runtimeAtHand().npmProgram,
    "start",
    "--silent",
    "--",
    "--port",
    "0",
    "--home",
    home,
    "--json",
  ];
  const npm = spawn(process.execPath, words, {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let hostPid = 0;
  onTestFinished(() => {
    for (const pid of [npm.pid ?? 0, hostPid]) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const [line] = (await once(npm.stdout, "data")) as [Buffer];
  ({ pid: hostPid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number });
  const { url, tokenFile } = JSON.parse(String(line)) as { url: string; tokenFile: string };
  const ready = { url, token: readFileSync(tokenFile, "utf8").trim() };
  return { npm, npmPid: npm.pid ?? 0, hostPid, home, ready };
}

function isAlive(pid: number): boolean {
  return pid > 0 && existsSync(`/proc/${pid}`);
}

describe.skipIf(process.platform !== "linux")("[C223] npm start", () => {
  const signals = ["SIGHUP", "SIGKILL", ...(isLong ? (["SIGTERM", "SIGINT"] as const) : [])] as const;
  it.each(signals)(
    "[C223] ends the host in an orderly way when npm gets %s",
    async (signal) => {
      const { npmPid, hostPid, home } = await npmStart();
      process.kill(npmPid, signal);
      await vi.waitFor(() => expect(isAlive(hostPid)).toBe(false), timeouts);
      expect(existsSync(path.join(home, "lock"))).toBe(false);
    },
    60_000,
  );

  it("[C518] passes none of npm's variables to the host's children", async () => {
    const { ready } = await npmStart();
    const { terminals } = new Holdfast({ baseUrl: ready.url, apiKey: ready.token });
    const { id } = await terminals.create({ kind: "text", command: "env" });
    for await (const { type } of terminals.stream(id)) if (type === "exited") break;
    const { text } = await terminals.output(id);
    expect(text).toContain("PATH=");
    expect(text).not.toMatch(/^(?:npm_\w+|INIT_CWD)=/im);
  }, 60_000);

  it("[C223] takes a signal to npm's whole group, as Ctrl-C is, for one signal and drains", async () => {
    const { npm, npmPid } = await npmStart();
    const ended = once(npm, "exit");
    process.kill(-npmPid, "SIGTERM");
    // Without the drain it is 1.
    expect(await ended).toEqual([0, null]);
  }, 60_000);
});
