// A turn as people see it: the answer as it comes, thoughts muted, tool calls and plans in short lines (C22).
import type { TurnEvent, TurnEventOf } from "@holdfast/sdk";
import { safeText } from "../../safe-text.ts";
import type { Screen } from "./screen.ts";
import { callLine, endLine, fieldsOf, type ToolCall } from "./tool-call-lines.ts";

/** What shows the events of a turn. */
export interface TurnDisplay {
  /** Shows an event; with `cursor` what comes after it can be asked for. */
  show(event: TurnEvent, cursor: string | undefined): Promise<void>;
  /** A question was answered here, so its answer is no news. */
  answeredHere(requestId: string): void;
  /** Nothing more comes of this turn. */
  finish(): Promise<void>;
}

interface SeenCall {
  readonly startedMs: number;
  readonly line: string;
}

const marks: Readonly<Record<string, string>> = { completed: "✓", in_progress: "▸", pending: "·" };

const answerers: Readonly<Record<string, string>> = {
  client: "by another client",
  app: "by an app",
  policy: "by the session's policy",
  expiry: "because nobody answered in time",
  host: "by the host",
};

/** Shows turns on a screen. */
export class TurnView implements TurnDisplay {
  readonly #screen: Screen;
  /** Whether events come as they happen, so that the time between them means something. */
  readonly #isLive: boolean;
  readonly #calls = new Map<string, SeenCall>();
  readonly #steps = new Map<string, string>();
  readonly #answeredHere = new Set<string>();

  constructor(screen: Screen, { isLive }: { readonly isLive: boolean }) {
    this.#screen = screen;
    this.#isLive = isLive;
  }

  async show(event: TurnEvent): Promise<void> {
    switch (event.type) {
      case "text_delta": {
        const { text, stream, messageId } = event.data;
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
        // Whoever follows the turn tells its end, and asks what is to be asked.
        break;
    }
  }

  answeredHere(requestId: string): void {
    this.#answeredHere.add(requestId);
  }

  async finish(): Promise<void> {
    await this.#screen.finish();
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
    if (call.status === "running") return;
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
        return this.#screen.line(yellow(`The agent came back without its memory: ${text}`));
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
    const { requestId, by } = fieldsOf(data);
    if (typeof requestId === "string" && this.#answeredHere.has(requestId)) return;
    const who = answerers[String(by)] ?? "elsewhere";
    await this.#screen.line(this.#screen.paint.dim(`${safeText(data.text)} ${who}`));
  }
}

function addressOf(update: unknown): string {
  const { uri } = fieldsOf(update);
  return typeof uri === "string" ? safeText(uri) : "";
}
