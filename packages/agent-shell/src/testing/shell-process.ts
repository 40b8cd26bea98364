// The agent as a child process, with every message that it writes checked against the schema.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { NdjsonSplitter } from "@holdfast/jsonrpc";
import { findErrorFaults, findParamsFaults, findResultFaults } from "./acp-schema.ts";
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** One message as it was on the wire. */
export interface WireMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { code: number; message: string };
}

/** How the process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** How the process is started. */
export interface ShellProcessOptions {
  readonly stateFolder?: string | undefined;
  /** Without the commands for tests, as people have it. */
  readonly isAsShipped?: boolean | undefined;
}

const root = fileURLToPath(new URL("../../../..", import.meta.url));
/** The program as users run it, compiled; it is brought up to date before the first test. */
const programFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** A running agent. */
export class ShellProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<ProcessEnd>;
  /** Everything the agent wrote, in order. */
  readonly sent: WireMessage[] = [];
  /** What was wrong with it. */
  readonly faults: string[] = [];
  stderr = "";
  /** The methods of our requests by their id, to know what an answer should look like. */
  readonly #asked = new Map<unknown, string>();

  constructor({ stateFolder, isAsShipped = false }: ShellProcessOptions = {}) {
    const { HOLDFAST_SHELL_STATE: _, HOLDFAST_SHELL_TEST_COMMANDS: __, ...inherited } = process.env;
    const environment = isAsShipped ? inherited : { ...inherited, HOLDFAST_SHELL_TEST_COMMANDS: "1" };
    this.child = spawn(process.execPath, [programFile], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
      env: stateFolder === undefined ? environment : { ...environment, HOLDFAST_SHELL_STATE: stateFolder },
    });
    this.ended = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        resolve({ code, signal });
      });
    });
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    const splitter = new NdjsonSplitter({
      message: (text) => {
        this.#check(JSON.parse(text) as WireMessage);
      },
      noise: (text) => this.faults.push(`noise on stdout: ${text}`),
      tooLong: (text) => this.faults.push(`a line too long: ${text}`),
    });
    this.child.stdout.on("data", (chunk: Buffer) => {
      splitter.push(chunk);
    });
  }

  /** Notes whole messages that are written to the agent, so that its answers can be checked. */
  note(chunk: string | Uint8Array): void {
    for (const line of Buffer.from(chunk).toString().split("\n").filter(Boolean)) {
      const { id, method } = JSON.parse(line) as WireMessage;
      if (method !== undefined && id !== undefined) this.#asked.set(id, method);
    }
  }

  #check(message: WireMessage): void {
    this.sent.push(message);
    const { id, method, params, result, error } = message;
    if (method !== undefined) {
      this.faults.push(...findParamsFaults(method, params));
      return;
    }
    const asked = this.#asked.get(id);
    if (asked === undefined) this.faults.push(`an answer to nothing: ${JSON.stringify(message)}`);
    else if (error !== undefined) this.faults.push(...findErrorFaults(error));
    else this.faults.push(...findResultFaults(asked, result));
  }
}
