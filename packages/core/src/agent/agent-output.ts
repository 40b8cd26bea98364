// An agent's words for people: text before its first message (N283), its errors (N737), the end of stderr and of the output.
import { RpcError } from "@holdfast/jsonrpc";
import { withoutEscapes } from "@holdfast/terminal/view";

const maxBytes = 4096;
/** A banner is shorter; a program that writes more before its first message floods (N460). */
const maxForeignBytes = 1024 * 1024;
const maxCharacters = 500;
// `jsonrpc` is a member of every message; a log line in JSON does not have it.
const message = /^[^\S\n]*\{[^\n]*"jsonrpc"/m;
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** The beginning of an agent's output, watched until it speaks ACP. `close` ends the watch. */
export class ForeignOutput {
  /** Rejects when text came and nothing after it for the given time, or when too much of it came. */
  readonly silence: Promise<never>;
  readonly #quietMs: number;
  #reject = (_error: Error): void => {};
  #head: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #foreignBytes = 0;

  constructor(quietMs: number) {
    this.#quietMs = quietMs;
    this.silence = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    // Nobody listens before the handshake begins.
    this.silence.catch(() => undefined);
  }

  push(bytes: Uint8Array): void {
    if (this.#isOver) return;
    // After a long text, each piece is looked at alone: a message begins its own line, and mostly its own piece.
    const isFull = this.#head.length === maxBytes;
    if (!isFull) this.#head = Buffer.concat([this.#head, bytes]).subarray(0, maxBytes);
    const newest = isFull ? Buffer.from(bytes.subarray(0, maxBytes)) : this.#head;
    if (message.test(newest.toString("utf8"))) {
      this.#head = Buffer.alloc(0);
      return this.close();
    }
    this.#foreignBytes += bytes.length;
    if (this.#foreignBytes > maxForeignBytes) {
      this.#reject(
        new Error(`no ACP message in the first ${maxForeignBytes / 1024 / 1024} MiB of its output`),
      );
      return this.close();
    }
    if (this.#timer !== undefined) this.#timer.refresh();
    else if (this.text !== "") this.#timer = setTimeout(() => this.#giveUp(), this.#quietMs);
  }

  /** The text without what would steer a terminal, on one line; empty when there was none, or when it speaks ACP. */
  get text(): string {
    return quote(this.#head.toString("utf8"));
  }

  /** It speaks ACP, or is over. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #giveUp(): void {
    this.#reject(new Error(`no ACP message within ${this.#quietMs / 1000} s of its last text`));
  }
}

/** A failure in one line; an agent's error with the details in its data, which many SDKs put there alone (N737). */
export function describeError(cause: unknown): string {
  if (!(cause instanceof RpcError)) return cause instanceof Error ? cause.message : String(cause);
  const { message: summary, data } = cause;
  const fields = (typeof data === "object" && data !== null ? data : {}) as { readonly details?: unknown };
  const details = typeof data === "string" ? data : fields.details;
  if (typeof details !== "string" || details === "" || summary.includes(details)) return summary;
  return `${summary.replace(/\.$/, "")}: ${quote(details)}`;
}

/** A text without what would steer a terminal, on one line, and not too long. */
function quote(text: string): string {
  const whole = withoutEscapes(text).replaceAll(controls, "");
  const lines = whole.split("\n").map((line) => line.trim());
  const line = lines.filter((each) => each !== "").join(" | ");
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line;
}

const maxTailBytes = 16 * 1024;
const maxTailLines = 20;

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Keeps the end of a stream of text; who reads it gets it without secrets. */
export class StderrTail {
  readonly #redact: Redact;
  #tail: Buffer = Buffer.alloc(0);
  #isCut = false;

  constructor(redact: Redact = (text) => text) {
    this.#redact = redact;
  }

  push(bytes: Uint8Array): void {
    const all = Buffer.concat([this.#tail, bytes]);
    this.#isCut ||= all.length > maxTailBytes;
    this.#tail = all.subarray(-maxTailBytes);
  }

  /** The newest lines, oldest first. */
  get lines(): readonly string[] {
    const text = this.#tail.toString("utf8");
    // Half a secret would not be found: a line that lost its beginning is left out, also where it is the only one.
    const whole = this.#isCut ? text.replace(/^[^\n]*/, "") : text;
    const lines = this.#redact(whole)
      .split("\n")
      .map((line) => line.trimEnd());
    return lines.filter((line) => line !== "").slice(-maxTailLines);
  }
}

/** How long the exit may take that usually follows the end of the output. */
const exitGraceMs = 500;

/** Ends an agent whose output has ended, unless it exits or is being closed. */
export class OutputEnd {
  readonly #endProcess: () => void;
  #timer: NodeJS.Timeout | undefined;
  #state: "open" | "ended-agent" | "closed" = "open";

  constructor(endProcess: () => void) {
    this.#endProcess = endProcess;
  }

  /** Whether the agent was ended because it closed its output. */
  get hasEndedAgent(): boolean {
    return this.#state === "ended-agent";
  }

  /** The output has ended. */
  note(): void {
    if (this.#state !== "open") return;
    this.#timer = setTimeout(() => {
      this.#state = "ended-agent";
      this.#endProcess();
    }, exitGraceMs);
  }

  /** The agent has exited, or is closed by its owner and may close its output first. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#state === "open") this.#state = "closed";
  }
}
