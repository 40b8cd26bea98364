// Turn on a console: for people the answer as it comes, tool calls and plans in short lines (C22); for programs each event as JSON (C28).
import { type LimitFired, limitOutcome } from "@holdfast/ahp";
import type { TurnEvent, TurnEventOf } from "@holdfast/sdk";
import type { Console, Paint } from "../../console.ts";
import { safeText } from "../../safe-text.ts";
import { durationWords } from "../../time.ts";
import type { LiveOutput } from "./live-output.ts";
import type { Screen } from "./screen.ts";

export interface TurnDisplay {
  /** Shows an event; with `cursor` what comes after it can be asked for. */
  show(event: TurnEvent, cursor: string | undefined): Promise<void>;
  /** A question was answered here, so its answer is no news. */
  answeredHere(requestId: string): void;
  /** The turn is cancelled here, and its open questions with it. */
  cancelledHere(): void;
  /** Nothing more comes of this turn. */
  finish(): Promise<void>;
}

interface SeenCall {
  readonly startedMs: number;
  readonly line: string;
}

const marks: Readonly<Record<string, string>> = {
  completed: "✓",
  failed: "✗",
  in_progress: "▸",
  pending: "·",
};

const answerers: Readonly<Record<string, string>> = {
  client: "by another client",
  app: "by an app",
  policy: "by the session's policy",
  expiry: "because nobody answered in time",
  host: "by the host",
};

export class TurnView implements TurnDisplay {
  readonly #screen: Screen;
  /** Whether events come as they happen, so that the time between them means something. */
  readonly #isLive: boolean;
  readonly #calls = new Map<string, SeenCall>();
  readonly #steps = new Map<string, string>();
  readonly #answeredHere = new Set<string>();
  #isCancelledHere = false;

  /** Shows the output of commands as it comes; absent where the agent's messages are all there is to show. */
  readonly #output: LiveOutput | undefined;

  constructor(
    screen: Screen,
    { isLive, output }: { readonly isLive: boolean; readonly output?: LiveOutput },
  ) {
    this.#screen = screen;
    this.#isLive = isLive;
    this.#output = output;
  }

  async show(event: TurnEvent): Promise<void> {
    switch (event.type) {
      case "text_delta": {
        const { text, stream, messageId, repeatsToolCall } = event.data;
        if (this.#output?.hasShown(repeatsToolCall) === true) {
          return this.#screen.answer(lastParagraph(text), messageId);
        }
        return stream === "thought"
          ? this.#screen.thought(text, messageId)
          : this.#screen.answer(text, messageId);
      }
      case "tool_call":
        return this.#showCall(event.data);
      case "status":
        return this.#showStatus(event.data);
      case "done":
      case "error":
      case "close":
      case "permission_request":
        // The follower of the turn reports its end, and asks the agent's questions.
        break;
    }
  }

  answeredHere(requestId: string): void {
    this.#answeredHere.add(requestId);
  }

  cancelledHere(): void {
    this.#isCancelledHere = true;
  }

  async finish(): Promise<void> {
    await this.#output?.close();
    await this.#screen.finish();
    this.#isCancelledHere = false;
    this.#calls.clear();
    this.#steps.clear();
  }

  async #showCall(call: ToolCall): Promise<void> {
    const { paint } = this.#screen;
    const seen = this.#calls.get(call.toolCallId);
    const line = callLine(call, paint);
    // Many agents name a call first and say later what it will do.
    if (seen?.line !== line) await this.#screen.line(line);
    this.#calls.set(call.toolCallId, { startedMs: seen?.startedMs ?? performance.now(), line });
    const { terminalId } = terminalOf(call);
    if (call.status === "running") {
      if (typeof terminalId === "string") this.#output?.begin(call.toolCallId, terminalId);
      return;
    }
    await this.#output?.end(call.toolCallId, "exitCode" in exitOf(call) || hasExit(call));
    const elapsedMs = this.#isLive && seen !== undefined ? performance.now() - seen.startedMs : undefined;
    await this.#screen.line(endLine(call, elapsedMs, paint));
  }

  async #showStatus(data: TurnEventOf<"status">["data"]): Promise<void> {
    const { dim, yellow, bold } = this.#screen.paint;
    const text = safeText(data.text);
    switch (data.tag) {
      case "turn_started":
        return this.#screen.line(bold(`> ${text}`));
      case "plan":
        return this.#showPlan(data);
      case "context_lost":
        return this.#screen.line(yellow(`The agent restarted without its context: ${text}`));
      case "notice":
        return this.#screen.line(yellow(text));
      case "resuming":
      case "turn_resumed":
        return this.#screen.line(dim(text));
      case "content":
        return this.#screen.line(dim(`[${text}] ${addressOf(data.update)}`));
      case "permission_resolved":
      case "input_resolved":
        return this.#showAnswer(data);
      default:
        // The rest is for programs.
        break;
    }
  }

  /** Only steps that are new or have moved. */
  async #showPlan({ text, entries }: TurnEventOf<"status">["data"]): Promise<void> {
    const { paint } = this.#screen;
    if (entries === undefined) return this.#screen.line(paint.dim(safeText(text)));
    for (const entry of entries.map(fieldsOf)) {
      const content = safeText(String(entry["content"]));
      const status = String(entry["status"]);
      if (this.#steps.get(content) === status) continue;
      this.#steps.set(content, status);
      await this.#screen.line(paint.dim(`${marks[status] ?? "·"} ${content}`));
    }
  }

  async #showAnswer(data: TurnEventOf<"status">["data"]): Promise<void> {
    const { requestId, by, outcome } = fieldsOf(data);
    if (typeof requestId === "string" && this.#answeredHere.has(requestId)) return;
    const isOwn = this.#isCancelledHere && by === "client" && outcome === "cancelled";
    const who = isOwn ? "by you" : (answerers[String(by)] ?? "elsewhere");
    await this.#screen.line(this.#screen.paint.dim(`${safeText(data.text)} ${who}`));
  }
}

function addressOf(update: unknown): string {
  const { uri } = fieldsOf(update);
  return typeof uri === "string" ? safeText(uri) : "";
}

export class TurnLines implements TurnDisplay {
  readonly #console: Console;

  constructor(console: Console) {
    this.#console = console;
  }

  async show({ type, data }: TurnEvent, cursor: string | undefined): Promise<void> {
    await this.#console.printJson({ type, data, cursor });
  }

  answeredHere(): void {
    // Every event is a line, also one that was caused here.
  }

  cancelledHere(): void {
    // The same.
  }

  async finish(): Promise<void> {
    // Each line is whole already.
  }
}

type ToolCall = TurnEventOf<"tool_call">["data"];

type Fields = Readonly<Record<string, unknown>>;

/** The members of what should be an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The command line that a tool's input asks for, if it does. */
export function commandOf(rawInput: unknown): string | undefined {
  const { command } = fieldsOf(rawInput);
  if (typeof command === "string") return command;
  return Array.isArray(command) && command.length > 0 ? command.map(String).join(" ") : undefined;
}

/** Description of a call: its command line, or its name. */
function callLine({ title, rawInput }: ToolCall, paint: Paint): string {
  const command = commandOf(rawInput);
  if (command === undefined) return `${paint.blue("•")} ${safeText(title)}`;
  const name = title === command || title === "" ? "" : `${safeText(title)}: `;
  return `${paint.blue("$")} ${name}${paint.bold(safeText(command))}`;
}

/** How a call ended: what it changed, its exit code, its time, or what went wrong. */
function endLine(call: ToolCall, elapsedMs: number | undefined, paint: Paint): string {
  const { exitCode, signal, durationMs } = { ...exitOf(call), ...fieldsOf(call.rawOutput) };
  const words: string[] = [];
  const limit = limitWord(call);
  if (limit !== undefined) words.push(limit);
  if (typeof exitCode === "number") words.push(`exit ${exitCode}`);
  else if (typeof signal === "string") words.push(`ended by ${safeText(signal)}`);
  else words.push(call.status === "failed" ? failureOf(call) : "done");
  const timeMs = typeof durationMs === "number" ? durationMs : elapsedMs;
  if (timeMs !== undefined) words.push(durationWords(timeMs));
  const paths = (call.content ?? []).map(fieldsOf).filter(({ type }) => type === "diff");
  words.push(...paths.map(({ path }) => `changed ${safeText(String(path))}`));
  const text = `  ${words.join(", ")}`;
  return call.status === "failed" ? paint.red(text) : paint.dim(text);
}

/** How the last terminal of a call ended, where the call shows it. */
function exitOf(call: ToolCall): Fields {
  return fieldsOf(terminalOf(call)["exitStatus"]);
}

/** The last terminal that a call shows. */
export function terminalOf({ content = [] }: ToolCall): Fields {
  return fieldsOf(content.map(fieldsOf).findLast(({ type }) => type === "terminal"));
}

/** Whether the agent says how the command ended. */
function hasExit({ rawOutput }: ToolCall): boolean {
  const { exitCode, signal } = fieldsOf(rawOutput);
  return typeof exitCode === "number" || typeof signal === "string";
}

/** The limit that ended the command of a call, in words; undefined where none did (C713). */
export function limitWord(call: ToolCall): string | undefined {
  const fired = limitOf(exitOf(call)["limit"]);
  return fired && safeText(limitOutcome(fired));
}

function limitOf(value: unknown): LimitFired | undefined {
  const { name, value: amount, unit, level } = fieldsOf(value);
  if (typeof name !== "string" || typeof amount !== "number") return undefined;
  if (unit !== "ms" && unit !== "bytes" && unit !== "count") return undefined;
  const isLevel = level === "command" || level === "session" || level === "key" || level === "host";
  return { name, value: amount, unit, ...(isLevel && { level }) };
}

/** The end of a message whose beginning was shown already. */
function lastParagraph(text: string): string {
  return text.slice(text.lastIndexOf("\n\n") + 1).trimStart();
}

/** What became of a call that did not do its work: why, in the host's word, and what it says of itself. */
function failureOf({ content = [], text, title }: ToolCall): string {
  const [, why = "failed"] = /^ \(([\w-]+)\)/.exec(text.slice(title.length)) ?? [];
  const shown = content.map(fieldsOf).find(({ type }) => type === "content");
  const { text: said } = fieldsOf(shown?.["content"]);
  const [first = ""] = typeof said === "string" ? said.split("\n", 1) : [];
  return first === "" ? why : `${why}: ${safeText(first)}`;
}
