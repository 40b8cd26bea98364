// A place where the words of a document are typed: a user's folder, the program on the PATH, and a host that runs.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { testedProgram } from "../setup/tested-program.ts";
import { root } from "./document.ts";

/** Output and exit code of a program. */
export interface Ending {
  readonly exitCode: number | null;
  /** Both of its streams, in their order. */
  readonly output: string;
}

/** One user's machine, as far as a document goes. */
export class DocumentHost {
  /** Where commands are typed. */
  readonly folder: string;
  readonly #home: string;
  #environment: Readonly<Record<string, string>>;

  private constructor(folder: string) {
    this.folder = folder;
    this.#home = path.join(folder, "state");
    this.#environment = {
      PATH: `${path.join(folder, "bin")}:${path.dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: folder,
      HOLDFAST_HOME: this.#home,
      SHELL: "/bin/sh",
      TERM: "xterm-256color",
      REPOSITORY: root,
    };
  }

  /** Makes the place and starts its host, on any port that is free. */
  static async start(): Promise<DocumentHost> {
    const place = new DocumentHost(mkdtempSync(path.join(tmpdir(), "holdfast-document-")));
    mkdirSync(place.#home, { mode: 0o700 });
    mkdirSync(path.join(place.folder, "bin"));
    writeFileSync(path.join(place.#home, "config.jsonc"), `{ "listen": { "port": 0 } }\n`);
    const shim = path.join(place.folder, "bin", "holdfast");
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${testedProgram}" "$@"\n`);
    chmodSync(shim, 0o755);
    // Modules of documents and examples find the packages as they would after an installation.
    symlinkSync(path.join(root, "node_modules"), path.join(place.folder, "node_modules"), "dir");
    writeFileSync(path.join(place.folder, "package.json"), `{ "type": "module" }\n`);
    await place.#serve();
    return place;
  }

  /** The variables with which everything is run here. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment;
  }

  get url(): string {
    return this.#environment["URL"] ?? "";
  }

  get token(): string {
    return this.#environment["TOKEN"] ?? "";
  }

  /** Runs a script in bash; its first failure ends it. */
  runShell(script: string): Promise<Ending> {
    return this.run("bash", ["-eu", "-o", "pipefail", "-c", script]);
  }

  /** Starts a program. */
  spawn(command: string, words: readonly string[]): ChildProcessByStdio<null, Readable, Readable> {
    return spawn(command, [...words], {
      cwd: this.folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** Gives later programs a variable that commands of a document set. */
  async learn(name: string, commands: string): Promise<void> {
    const { exitCode, output } = await this.runShell(`${commands} 2>/dev/null\nprintf %s "$${name}"`);
    if (exitCode !== 0 || output === "") throw new Error(`The commands did not set ${name}: ${output}`);
    this.#environment = { ...this.#environment, [name]: output };
  }

  /** Runs a program to its end. */
  async run(command: string, words: readonly string[]): Promise<Ending> {
    const child = this.spawn(command, words);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    const [exitCode] = (await once(child, "close")) as [number | null];
    return { exitCode, output };
  }

  /** Ends the host and removes everything. */
  async close(): Promise<void> {
    const hostFile = path.join(this.#home, "host.json");
    if (existsSync(hostFile)) {
      const { pid } = JSON.parse(readFileSync(hostFile, "utf8")) as { pid: number };
      process.kill(pid, "SIGTERM");
      while (isAlive(pid)) await delay(20);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #serve(): Promise<void> {
    const child = this.spawn(process.execPath, [testedProgram, "serve", "--json"]);
    let problems = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (problems += text));
    const ended = once(child, "exit").then((): string[] => []);
    const ready = once(createInterface(child.stdout), "line") as Promise<string[]>;
    const [line] = await Promise.race([ready, ended]);
    if (line === undefined) throw new Error(`The host did not start: ${problems}`);
    const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
    const token = readFileSync(tokenFile, "utf8").trim();
    this.#environment = { ...this.#environment, URL: url, TOKEN: token };
    child.unref();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // The system has no such process.
    return false;
  }
}
