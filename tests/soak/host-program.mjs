// The host of the soak, in a separate process that reports its memory.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Host } from "@holdfast/core";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { startServer } from "@holdfast/server";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";

const agent = {
  command: process.execPath,
  args: [fileURLToPath(new URL("talking-agent.mjs", import.meta.url))],
};
const folder = mkdtempSync(path.join(tmpdir(), "holdfast-soak-"));
const token = "soak-token-of-this-run";
const commandAgent = {
  command: process.execPath,
  args: [fileURLToPath(new URL("command-agent.mjs", import.meta.url))],
};
const idleSeconds = Number(process.env["SOAK_IDLE_SECONDS"] ?? 300);
const config = readConfig({ agents: { talker: agent, runner: commandAgent }, acp: { idleSeconds } });
if (!config.ok) throw new Error(JSON.stringify(config.problems));

/** @type {(level: string, message: string, facts?: object) => void} */
const log = (level, message, facts) => {
  if (level === "error") process.stderr.write(`${message} ${JSON.stringify(facts)}\n`);
};
const storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db") });
const spool = await openFileSpool({ folder: path.join(folder, "spool") });
const host = new Host({
  processPort: new Spawner(),
  storage,
  spool,
  config: config.value,
  stateFolder: folder,
  shellAgent: { ...agent, version: "0" },
  log,
});
const listen = { host: "127.0.0.1", port: 0 };
const server = await startServer({ host, token, listen, log, meta: storage.meta });

/** What is left after everything that can go has gone. */
async function measure() {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage();
}

/** Waits until every chat has left memory. */
async function becomeIdle() {
  while (host.hub.list("chat").length > 0) await sleep(50);
}

process.on("message", (question) => {
  if (question === "idle") void becomeIdle().then(() => process.send?.({ isIdle: true }));
  if (question === "measure") void measure().then((usage) => process.send?.({ usage }));
  if (question !== "stop") return;
  void (async () => {
    await server.close();
    await host.close();
    await spool.close();
    storage.close();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  })();
});
process.send?.({ url: server.url, token, folder });
