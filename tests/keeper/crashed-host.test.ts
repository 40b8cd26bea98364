// Commands that wait for a host that crashed and that nobody restarts: they start it again and continue.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { programWords, Windows } from "../cli/window.ts";
import { freePort, startRealHost } from "../host/real-host.ts";

it("[C863] exec and attach start a crashed host again and continue with what the keeper holds", async () => {
  const host = await startRealHost({ keeper: true, port: await freePort() });
  onTestFinished(() => host.close());
  const windows = new Windows();
  onTestFinished(() => windows.close());
  const script = "echo one; until [ -e go ]; do sleep 0.1; done; echo two; exit 7";
  const words = ["exec", "--home", host.home, "--no-input", "--", "sh", "-c", script];
  const child = spawn(process.execPath, [...programWords, ...words], {
    cwd: host.project,
    env: { ...process.env, HOLDFAST_NO_KEEPER: "" },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()));
  const closed = once(child, "close");
  const window = await windows.openShell(`HOLDFAST_NO_KEEPER= holdfast exec --home '${host.home}' -- cat`);
  window.type("typed before\r");
  await window.shows(/typed before\s+typed before/);
  await vi.waitUntil(() => stdout === "one\n");
  await host.kill();
  const started = `The host had crashed, so it was started again: ${host.url}`;
  await window.until(() => window.written.includes("[connection lost"));
  window.type("typed after\r");
  await window.shows(/typed after\s+typed after/);
  writeFileSync(path.join(host.project, "go"), "");
  expect(await closed).toEqual([7, null]);
  expect(stdout).toBe("one\ntwo\n");
  // Both may have started it at the same moment; then one of them found the host of the other.
  expect(stderr + window.written).toContain(started);
}, 120_000);
