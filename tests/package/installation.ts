// The packed program as a user has it: in an empty folder, with an empty home and nothing but Node, npm and a system.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { networkEnvironment, runCommand, type CommandOutcome, type Runtime } from "./runtime.ts";

/** A host's message when it listens. */
export interface Ready {
  readonly event: string;
  readonly url: string;
  readonly token: string;
}

/** Reads the ready line, and the token in the file that it names. */
export function readReady(line: string): Ready {
  const { event, url, tokenFile } = JSON.parse(line) as Ready & { readonly tokenFile: string };
  return { event, url, token: readFileSync(tokenFile, "utf8").trim() };
}

/** A folder in which the tarball is installed. */
export class Installation {
  readonly folder = mkdtempSync(path.join(tmpdir(), "holdfast-installed-"));
  /** The user's home: nothing is in it. */
  readonly home = path.join(this.folder, "home");
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly #runtime: Runtime;
  #host: ChildProcess | undefined;

  /** With an `npmCache` the packages may come from there; without one, they come from the registry. */
  constructor(runtime: Runtime, { npmCache }: { npmCache?: string | undefined } = {}) {
    this.#runtime = runtime;
    mkdirSync(this.home);
    writeFileSync(path.join(this.folder, "package.json"), "{}");
    this.environment = {
      PATH: [runtime.nodeFolder, "/usr/local/bin", "/usr/bin", "/bin"].join(path.delimiter),
      HOME: this.home,
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      ...networkEnvironment(),
      npm_config_update_notifier: "false",
      ...(npmCache !== undefined && { npm_config_cache: npmCache, npm_config_prefer_offline: "true" }),
    };
  }

  /** Installs the tarball; npm gets no option that a user would not give. */
  async install(tarball: string): Promise<CommandOutcome> {
    const outcome = await this.#npm(["install", tarball]);
    if (outcome.exitCode !== 0) throw new Error(`npm install failed: ${outcome.stderr}`);
    return outcome;
  }

  /** The installed package's own folder. */
  get packageFolder(): string {
    return path.join(this.folder, "node_modules", "holdfast");
  }

  /** Runs the program as `npx holdfast` does. */
  async npx(words: readonly string[]): Promise<CommandOutcome> {
    return this.#npm(["exec", "--", "holdfast", ...words]);
  }

  /** Runs the program by the link that npm made, which is quicker. */
  async run(words: readonly string[]): Promise<CommandOutcome> {
    return runCommand(this.program, words, { cwd: this.folder, environment: this.environment });
  }

  /** The link to the program that npm made. */
  get program(): string {
    return path.join(this.folder, "node_modules", ".bin", "holdfast");
  }

  /** Starts a host by `npx holdfast`; gives what it said, and how long that took. */
  async startByNpx(): Promise<{ ready: Ready; durationMs: number }> {
    const words = ["exec", "--", "holdfast", "--json", "--port", "0"];
    return this.#start(path.join(this.#runtime.nodeFolder, "node"), [this.#runtime.npmProgram, ...words]);
  }

  /** Starts a host without npm in between. */
  async startDirectly(): Promise<{ ready: Ready; durationMs: number }> {
    const program = path.join(this.packageFolder, "cli", "dist", "main.js");
    return this.#start(path.join(this.#runtime.nodeFolder, "node"), [
      program,
      "serve",
      "--json",
      "--port",
      "0",
    ]);
  }

  /** Waits until the host that was started has ended, and its npx with it. */
  async hostEnd(): Promise<number | null> {
    const host = this.#host;
    if (host === undefined) throw new Error("No host was started");
    if (host.exitCode === null) await once(host, "exit");
    return host.exitCode;
  }

  /** Ends the host, whatever state it is in, and removes everything. */
  async close(): Promise<void> {
    const host = this.#host;
    if (host !== undefined && host.exitCode === null && host.signalCode === null) {
      process.kill(this.#hostPid() ?? host.pid ?? 0, "SIGTERM");
      await once(host, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** npx passes signals on in its own way; the host itself is named in its home. */
  #hostPid(): number | undefined {
    try {
      const file = path.join(this.home, ".local", "state", "holdfast", "host.json");
      return (JSON.parse(readFileSync(file, "utf8")) as { pid: number }).pid;
    } catch {
      // It is not serving: what was started is still npx, or is going.
      return undefined;
    }
  }

  async #start(command: string, words: readonly string[]): Promise<{ ready: Ready; durationMs: number }> {
    const startedMs = performance.now();
    const host = spawn(command, words, {
      cwd: this.folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#host = host;
    let stdout = "";
    let stderr = "";
    host.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    host.stdout.setEncoding("utf8");
    return new Promise((resolve, reject) => {
      host.once("exit", (code) => reject(new Error(`the host ended with ${code}: ${stdout}${stderr}`)));
      host.stdout.on("data", (text: string) => {
        stdout += text;
        if (!stdout.endsWith("\n")) return;
        resolve({ ready: readReady(stdout), durationMs: performance.now() - startedMs });
      });
    });
  }

  async #npm(words: readonly string[]): Promise<CommandOutcome> {
    const { nodeFolder, npmProgram } = this.#runtime;
    return runCommand(path.join(nodeFolder, "node"), [npmProgram, ...words], {
      cwd: this.folder,
      environment: this.environment,
    });
  }
}
