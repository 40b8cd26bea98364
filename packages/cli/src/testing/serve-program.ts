// The program with a bare HTTP server in the host's place, for tests of what surrounds the host.
//
// TEST_DRAIN=<ms|never> slows the end down; TEST_FAULT=uncaught|rejection|start fails; TEST_START_BUSY=<ms> keeps the
// CPU busy before it listens; TEST_HANG_MS and TEST_RELEASE_MS are when the watchdog acts. SIGUSR2 makes it hang, in a
// way that TEST_HANG names: loop (default) or native. `/busy/<ms>` uses so much CPU time in one go, then answers.
import { pbkdf2Sync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runProgram } from "../program.ts";
import type { HostParts, ListeningHost } from "../serve/serve.ts";

const drain = process.env["TEST_DRAIN"];
const fault = process.env["TEST_FAULT"];
const hangMs = Number(process.env["TEST_HANG_MS"] ?? 10_000);
const releaseSignalsMs = Number(process.env["TEST_RELEASE_MS"] ?? hangMs / 2);

process.on("SIGUSR2", () => {
  process.stderr.write("hanging\n");
  if (process.env["TEST_HANG"] === "native") hangInNativeCode();
  else hangForEver();
});

/** Its name is looked for in the report. */
function hangForEver(): void {
  for (let count = 0; count >= 0; count = (count + 1) % 1000);
}

function hangInNativeCode(): void {
  // One call that takes minutes: the thread cannot be paused inside it.
  pbkdf2Sync("password", "salt", 1_000_000_000, 64, "sha512");
}

function keepBusy(cpuMs: number): void {
  const end = usedMs() + cpuMs;
  while (usedMs() < end);
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function startHost({ config, onStopRequest }: HostParts): Promise<ListeningHost> {
  if (fault === "start") throw new Error("cannot start");
  keepBusy(Number(process.env["TEST_START_BUSY"] ?? 0));
  const server = createServer(({ url = "" }, response) => {
    if (url.startsWith("/admin/stop?")) {
      response.writeHead(202).end();
      return void setImmediate(onStopRequest, "keep");
    }
    if (url === "/admin/sign-in-links") {
      return void response.end(JSON.stringify({ path: "/?ticket=another" }));
    }
    if (url.startsWith("/busy/")) {
      process.stderr.write("busy\n");
      keepBusy(Number(url.slice("/busy/".length)));
    }
    response.end(String(process.pid));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(config.listen.port, config.listen.host, resolve);
  });
  if (fault === "uncaught") setImmediate(() => throwFault());
  if (fault === "rejection") setImmediate(() => void Promise.reject(new Error("planted fault")));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.listen.host}:${port}`,
    signInUrl: () => `http://${config.listen.host}:${port}/?ticket=once`,
    async close(): Promise<void> {
      process.stderr.write("draining\n");
      if (drain === "never") await new Promise(() => undefined);
      await delay(Number(drain ?? 0));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function throwFault(): never {
  throw new Error("planted fault");
}

await runProgram({
  programPath: fileURLToPath(import.meta.url),
  loadHost: () => Promise.resolve(startHost),
  watchdogTimes: { hangMs, releaseSignalsMs, lookMs: Math.min(hangMs, releaseSignalsMs) / 5 },
});
