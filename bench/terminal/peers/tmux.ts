// `tmux -C`: a control client that gets the output of every window as lines of text.
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { cpuMsOf, isInstalled } from "../installed.ts";
import type { Peer, PeerRun } from "../peer.ts";
import type { Workload } from "../workloads.ts";

const outputPrefix = "%output ";

/** tmux in control mode, or the reason why there is none. */
export function makeTmux(): Peer | string {
  if (!isInstalled("tmux")) return "tmux is not installed";
  const tmux = new Tmux();
  return {
    name: "tmux",
    channels: ["pty"],
    isSlow: true,
    run: (workload) => tmux.run(workload),
    close: () => tmux.close(),
  };
}

class Tmux {
  readonly #socketName = `holdfast-bench-${process.pid}`;
  readonly #client: ChildProcessByStdio<Writable, Readable, null>;
  #serverPid: Promise<number> | undefined;
  #bytes = 0;
  #onWindowClosed = (): void => {};
  #onReady = (): void => {};
  readonly #ready: Promise<void>;

  constructor() {
    const options = ["-L", this.#socketName, "-f", "/dev/null", "-C"];
    // A window that stays keeps the server alive between runs.
    this.#client = spawn("tmux", [...options, "new-session", "-x", "80", "-y", "24", "sleep infinity"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#ready = new Promise((resolve) => {
      this.#onReady = resolve;
    });
    this.#listen();
    // The server must not outlive a run that is interrupted.
    this.#client.stdin.write("set-option -g destroy-unattached on\n");
  }

  async run({ file, args }: Workload): Promise<PeerRun> {
    await this.#ready;
    this.#serverPid ??= this.#askServerPid();
    const pids = [await this.#serverPid, this.#client.pid ?? 0];
    const cpuMs = (): number => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
    const cpuBefore = cpuMs();
    const startedMs = performance.now();
    this.#bytes = 0;
    const closed = new Promise<void>((resolve) => {
      this.#onWindowClosed = resolve;
    });
    this.#client.stdin.write(`new-window -d '${["exec", file, ...args].join(" ")}'\n`);
    await closed;
    const elapsedMs = performance.now() - startedMs;
    return { bytes: this.#bytes, elapsedMs, cpuMs: cpuMs() - cpuBefore };
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#client.once("close", () => resolve()));
    this.#client.stdin.write("kill-server\n");
    await closed;
  }

  #listen(): void {
    let rest = "";
    this.#client.stdout.setEncoding("latin1").on("data", (text: string) => {
      rest += text;
      let start = 0;
      for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", start)) {
        this.#hear(rest.slice(start, end));
        start = end + 1;
      }
      rest = rest.slice(start);
    });
  }

  #hear(line: string): void {
    if (line.startsWith(outputPrefix)) this.#bytes += countBytes(line);
    else if (line.startsWith("%session-changed")) this.#onReady();
    else if (line.startsWith("%unlinked-window-close") || line.startsWith("%window-close")) {
      this.#onWindowClosed();
    }
  }

  async #askServerPid(): Promise<number> {
    const words = ["-L", this.#socketName, "display-message", "-p", "#{pid}"];
    return Number((await promisify(execFile)("tmux", words)).stdout);
  }
}

/** The bytes that a line of output stands for: control characters and backslashes come as `\ooo`. */
function countBytes(line: string): number {
  const start = line.indexOf(" ", outputPrefix.length) + 1;
  let escapes = 0;
  for (let index = line.indexOf("\\", start); index !== -1; index = line.indexOf("\\", index + 4)) {
    escapes += 1;
  }
  return line.length - start - 3 * escapes;
}
