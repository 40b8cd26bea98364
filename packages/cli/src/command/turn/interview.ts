// Puts one question to the person at the keyboard; closed, it takes the question away (C23, C24).
import type { AcpPermissionDecision } from "@holdfast/sdk";
import type { Console } from "../../console.ts";
import { describeApproval, letterOf } from "./approval-question.ts";
import { askChoice, type Choice } from "./choice.ts";
import { describeForm, fillIn } from "./form-question.ts";
import { Keys } from "./keys.ts";
import { readLine } from "./line-editor.ts";
import type { ApprovalRequest, FormRequest, Question } from "./question.ts";
import type { Screen } from "./screen.ts";

/** What asking needs. */
export interface InterviewParts {
  readonly console: Console;
  readonly screen: Screen;
  /** Ctrl-C was pressed. */
  readonly onInterrupt: () => void;
}

const formChoices = [
  { label: "Answer", letter: "y" },
  { label: "Decline", letter: "n" },
] as const;

/** From its beginning on, what is typed is thrown away until the question stands there: nobody answers it by accident. */
export class Interview {
  readonly #parts: InterviewParts;
  readonly #over = new AbortController();
  #keys: Keys | undefined;
  #asked: Promise<unknown> = Promise.resolve();

  constructor(parts: InterviewParts) {
    this.#parts = parts;
    this.#keys = new Keys(parts.console.streams.stdin);
  }

  /** The answer; undefined when none is to be had here. */
  ask(question: Question): Promise<AcpPermissionDecision | undefined> {
    const asked = this.#ask(question);
    this.#asked = asked;
    return asked;
  }

  /** Takes the question away, and gives the keyboard back. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#asked;
    this.#closeKeys();
  }

  async #ask({ kind, id: requestId, request }: Question): Promise<AcpPermissionDecision | undefined> {
    await this.#parts.screen.pause();
    if (kind === "form") return this.#askForm(requestId, request);
    return this.#askApproval(requestId, request);
  }

  async #askApproval(
    requestId: string,
    request: ApprovalRequest,
  ): Promise<AcpPermissionDecision | undefined> {
    const { options } = request;
    this.#write(describeApproval(request, this.#parts.console.notePaint));
    const chosen = await this.#choose(
      options.map(({ name, kind }) => ({ label: name, letter: letterOf(kind) })),
    );
    const option = chosen === undefined ? undefined : options[chosen];
    return option && { requestId, optionId: option.optionId };
  }

  async #askForm(requestId: string, request: FormRequest): Promise<AcpPermissionDecision | undefined> {
    this.#write(this.#parts.console.notePaint.yellow(describeForm(request)));
    const chosen = await this.#choose(formChoices);
    if (chosen === undefined) return undefined;
    if (chosen === 1) return { requestId, optionId: "decline" };
    this.#closeKeys();
    const content = await fillIn(
      request,
      (prompt) => this.#readLine(prompt),
      (text) => this.#write(text),
    );
    return content && { requestId, optionId: "accept", content };
  }

  async #choose(choices: readonly Choice[]): Promise<number | undefined> {
    const { console, onInterrupt } = this.#parts;
    if (this.#keys === undefined) return undefined;
    return askChoice({
      choices,
      keys: this.#keys,
      write: (text) => this.#write(text),
      paint: console.notePaint,
      signal: this.#over.signal,
      onInterrupt,
    });
  }

  async #readLine(prompt: string): Promise<string | undefined> {
    const { console, onInterrupt } = this.#parts;
    // A prompt of several lines would be drawn anew with each key; only its last is the editor's.
    const start = prompt.lastIndexOf("\n") + 1;
    this.#write(prompt.slice(0, start));
    const request = { prompt: prompt.slice(start), signal: this.#over.signal, onInterrupt };
    const line = await readLine(console, request);
    return line.kind === "line" ? line.text : undefined;
  }

  #write(text: string): void {
    this.#parts.console.streams.stderr.write(text);
  }

  #closeKeys(): void {
    this.#keys?.close();
    this.#keys = undefined;
  }
}
