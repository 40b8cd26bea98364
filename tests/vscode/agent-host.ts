// VS Code's own agent host, as a process: a peer of ours for checks and measurements.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../host/real-host.ts";
import { nodeProgram, vsCodeFolder } from "./installation.ts";

const preload = fileURLToPath(new URL("agent-host-preload.mjs", import.meta.url));
const token = "a-token-of-the-peer";
const startTimeoutMs = 60_000;
/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

/** The running host. Close it. */
export class VsCodeAgentHost {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.url = `ws://127.0.0.1:${port}/?tkn=${token}`;
  }

  /** Starts it; resolves when it accepts connections. */
  static async start(): Promise<VsCodeAgentHost> {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-peer-"));
    const port = await freePort();
    const program = path.join(vsCodeFolder, "out/vs/platform/agentHost/node/agentHostMain.js");
    const folders = ["--logsPath", path.join(folder, "logs"), "--user-data-dir", path.join(folder, "data")];
    const child = spawn(nodeProgram, ["--import", preload, program, ...folders], {
      env: {
        ...process.env,
        HOLDFAST_VSCODE_SERVER: vsCodeFolder,
        HOME: folder,
        VSCODE_AGENT_HOST_CONNECTION_TOKEN: token,
        VSCODE_AGENT_HOST_HOST: "127.0.0.1",
        VSCODE_AGENT_HOST_PORT: String(port),
      },
      stdio: "ignore",
      // A group, so that its terminals end with it.
      detached: true,
    });
    const host = new VsCodeAgentHost(child, folder, port);
    const deadlineMs = performance.now() + startTimeoutMs;
    while (!(await accepts(port))) {
      if (child.exitCode === null && performance.now() < deadlineMs) {
        await sleep(100);
        continue;
      }
      await host.close();
      throw new Error(`VS Code's agent host did not start (exit code ${child.exitCode})`);
    }
    return host;
  }

  /** Processor time so far, in milliseconds. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    // The name of the program, in parentheses, may have spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  }

  /** Resident memory now, in bytes. */
  rssBytes(): number {
    const [, kibibytes = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(this.#status()) ?? [];
    return Number(kibibytes) * 1024;
  }

  #status(): string {
    return readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
  }

  async close(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, "exit") : undefined;
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, "SIGKILL");
    await ended;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
