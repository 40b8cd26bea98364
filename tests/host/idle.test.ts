// How often an idle host wakes up while twenty shells are watched.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { AhpClient } from "@holdfast/ahp/client";
import { makeId, terminalUri } from "@holdfast/ahp";
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished, vi } from "vitest";
import { testedProgram } from "../setup/tested-program.ts";
import { WebSocket } from "ws";
import { transportOf } from "../ahp/served-host.ts";

const shellCount = 20;
const measuredSeconds = 5;
const maxWakeUpsPerSecond = 2;

interface Ready {
  readonly url: string;
  readonly token: string;
}

async function startHost(): Promise<{ ready: Ready; pid: number }> {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-idle-"));
  const host = spawn(process.execPath, [testedProgram, "--port", "0", "--home", home, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(host, "exit");
    host.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const [line] = (await once(host.stdout, "data")) as [Buffer];
  const { url, tokenFile } = JSON.parse(line.toString()) as { url: string; tokenFile: string };
  return { ready: { url, token: readFileSync(tokenFile, "utf8").trim() }, pid: host.pid ?? 0 };
}

/** Shells of people, each watched by one client. */
async function watchShells({ url, token }: Ready): Promise<void> {
  const api = new Holdfast({ baseUrl: url, apiKey: token });
  for (let index = 0; index < shellCount; index += 1) {
    const { id } = await api.terminals.create({
      kind: "tty",
      command: "/bin/sh",
      args: [],
      name: `shell ${index}`,
    });
    const client = new AhpClient({
      clientId: `watcher-${index}`,
      open: () => transportOf(new WebSocket(`${url.replace(/^http/, "ws")}/ahp?tkn=${token}`)),
    });
    onTestFinished(() => client.close());
    await client.connect();
    await client.subscribe(terminalUri(makeId("terminal", id)), "terminal");
  }
}

/** How often the threads of some processes have gone to sleep so far, each time to be woken again. */
function sleepsOf(pids: readonly number[]): Map<string, number> {
  const sleeps = new Map<string, number>();
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "latin1");
      const name = /^Name:\s*(.*)$/m.exec(status)?.[1] ?? "";
      const count = Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)?.[1]);
      sleeps.set(`${pid}/${thread} ${name}`, count);
    }
  }
  return sleeps;
}

/** The host's own processes: itself and its spawn helper, not the shells. */
function ownProcesses(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").map(Number);
  const helpers = children.filter((child) =>
    readFileSync(`/proc/${child}/cmdline`, "latin1").includes("helper"),
  );
  return [pid, ...helpers];
}

it.runIf(process.platform === "linux")(
  "[O220] an idle host with 20 watched shells wakes up at most twice a second",
  async () => {
    const { ready, pid } = await startHost();
    await watchShells(ready);
    const processes = ownProcesses(pid);
    expect(processes).toHaveLength(2);
    // Work that the shells and clients started ends first, such as the compiler's in the background.
    await vi.waitFor(
      async () => {
        const before = sleepsOf(processes);
        await delay(measuredSeconds * 1000);
        const wakeUps = [...sleepsOf(processes)]
          .map(([thread, count]) => count - (before.get(thread) ?? 0))
          .reduce((sum, count) => sum + count, 0);
        expect(wakeUps / measuredSeconds).toBeLessThanOrEqual(maxWakeUpsPerSecond);
      },
      { timeout: 60_000, interval: 100 },
    );
  },
  120_000,
);
