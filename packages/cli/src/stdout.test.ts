// Commands whose stdout cannot be written: on a full device, at the limit of a file's size, without a reader.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { useAdministeredHost } from "./testing/administered-host.ts";
import { programFile } from "./testing/program-file.ts";
import { temporaryFolder } from "./testing/temporary-home.ts";

const host = useAdministeredHost();

/** Runs a script in which `holdfast` is the program. */
async function runScript(script: string): Promise<{ code: number; stderr: string }> {
  const definition = `holdfast() { "${process.execPath}" "${programFile}" "$@"; }`;
  const child = spawn("bash", ["-c", `${definition}; ${script}`], {
    env: { ...process.env, HOLDFAST_HOME: host.home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr)]);
  return { code: code as number, stderr };
}

const full = "Cannot write to stdout: no space left on device.";

it
  .skipIf(process.platform !== "linux")
  .each(["version", "ls", "agents", "run shell --policy approve-all 'echo hi'", "--help"])(
  "[C841] `%s` to a full device fails with a sentence",
  async (words) => {
    const { code, stderr } = await runScript(`holdfast ${words} > /dev/full`);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `holdfast: ${full} (OUTPUT_NOT_WRITTEN)\n` });
  },
);

it.skipIf(process.platform !== "linux")("[C841] a failed write is a line of JSON with --json", async () => {
  const { code, stderr } = await runScript("holdfast approvals --json > /dev/full");
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toEqual({ error: { code: "OUTPUT_NOT_WRITTEN", message: full, exitCode: 2 } });
});

it("[C841] a file that takes only the beginning is an error, not an end", async () => {
  const file = path.join(temporaryFolder(), "out");
  const { code, stderr } = await runScript(`ulimit -f 4; holdfast completion zsh > "${file}"`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "holdfast: Cannot write to stdout: file too large. (OUTPUT_NOT_WRITTEN)\n",
  });
  expect(statSync(file).size).toBe(4096);
});

it.skipIf(process.platform !== "linux")("[C841] `exec` to a full device ends its command", async () => {
  const { code, stderr } = await runScript("holdfast exec --name flood yes > /dev/full");
  expect({ code, stderr }).toEqual({ code: 125, stderr: `holdfast: ${full} (OUTPUT_NOT_WRITTEN)\n` });
  await vi.waitFor(async () => {
    const flood = (await host.api.terminals.list()).find(({ title }) => title === "flood");
    expect(flood?.lifecycle.status).toBe("exited");
  });
});

it("[C841] a reader that goes away is no failure", async () => {
  const { code, stderr } = await runScript("set -o pipefail; holdfast completion zsh | true");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

it.each([
  "watch",
  "watch --json",
  "audit tail -f",
  "logs -f TICKER",
  "logs -f --raw TICKER",
  "logs -f --json TICKER",
])("[C884] `%s` ends when its reader has gone", async (words) => {
  const tick = "while :; do echo tick; sleep 0.1; done";
  const { id } = await host.api.terminals.create({ command: "sh", args: ["-c", tick], kind: "text" });
  const over = new AbortController();
  onTestFinished(() => {
    over.abort();
    return host.api.terminals.kill(id);
  });
  const script = `set -o pipefail; holdfast ${words.replace("TICKER", id)} | head -n 1`;
  const end = runScript(script).finally(() => over.abort());
  // Something to print for those that follow the whole host.
  while (!over.signal.aborted) {
    await host.api.terminals.create({ command: "true", kind: "text" });
    await delay(100);
  }
  expect(await end).toEqual({ code: 0, stderr: "" });
});
