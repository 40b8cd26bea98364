// Questions of an agent in the middle of a turn: which there are, how they read, and how a person is asked (C23, C24).
import type { AcpPermissionDecision, TurnEvent, TurnEventOf } from "@holdfast/sdk";
import type { Console, Paint } from "../../console.ts";
import { askChoice, type Choice, Keys } from "../../keyboard.ts";
import { readLine } from "../../line-editor.ts";
import { safeLines, safeText } from "../../safe-text.ts";
import { describeForm, fillIn, type FormRequest } from "./form-question.ts";
import type { Screen } from "./screen.ts";
import { subjectFields } from "../subject.ts";
import { fieldsOf } from "./turn-view.ts";
import { count } from "../../plural.ts";

type ApprovalRequest = TurnEventOf<"permission_request">["data"];

export type Question =
  | { readonly kind: "approval"; readonly id: string; readonly request: ApprovalRequest }
  | { readonly kind: "form"; readonly id: string; readonly request: FormRequest };

export function questionOf({ type, data }: TurnEvent): Question | undefined {
  if (type === "permission_request") return { kind: "approval", id: data.requestId, request: data };
  if (type !== "status" || data.tag !== "input_request") return undefined;
  const { requestId, ...request } = fieldsOf(data);
  return { kind: "form", id: String(requestId), request };
}

/** Whether an event ends a question: somebody answered it, or its turn is over. */
export function settles({ type, data }: TurnEvent, id: string): boolean {
  if (type === "close") return true;
  if (type !== "status") return false;
  const isAnswer = data.tag === "permission_resolved" || data.tag === "input_resolved";
  return isAnswer && fieldsOf(data)["requestId"] === id;
}

/** What is said where nobody can be asked: what waits, and the command that answers it. */
export function waitingSentence(question: Question, sessionName: string): string {
  if (question.kind === "form") {
    const what = safeText(question.request.message ?? "something");
    return `The agent asks "${what}" and waits: answer it with \`holdfast chat ${sessionName}\`.`;
  }
  const { action, target } = question.request;
  return (
    `The agent asks to ${safeText(action)} "${safeText(target)}" and waits: ` +
    `answer it with \`holdfast approve ${question.id}\` or \`holdfast deny ${question.id}\`.`
  );
}

interface InterviewParts {
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

  /** The answer; undefined when there is none. */
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
      options.map(({ name, kind, agentName }) => ({
        label: name,
        letter: letterOf(kind),
        // The agent's own words for it, which may say anything.
        ...(agentName !== undefined && agentName !== name && { note: safeText(agentName) }),
      })),
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
    // A prompt of several lines would be drawn again with each key; only its last is the editor's.
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

/** Lines of an input that is no command line; a file's whole text would push the question off the screen. */
const maxInputLines = 40;

const letters: Readonly<Record<string, string>> = {
  allow_once: "y",
  allow_always: "a",
  reject_once: "n",
  reject_always: "d",
};

function letterOf(kind: string): string | undefined {
  return letters[kind];
}

/** The question in words. What would be done stands behind a bar, so that none of it can pass for a line of ours. */
function describeApproval(request: ApprovalRequest, paint: Paint): string {
  const { action, rawInput, subject } = request;
  const [main, ...others] = subjectFields(request);
  const lines = [paint.yellow(`The agent asks to ${safeText(action)}`), ...barred(main?.text ?? "", paint)];
  for (const { name, text } of others) {
    const [first = "", ...more] = text.split("\n");
    lines.push(`  ${paint.dim(name.toLowerCase())} ${first}`, ...shorten(barred(more.join("\n"), paint)));
  }
  const isDescribed = subject?.kind === "command" || subject?.kind === "write";
  const input = fieldsOf(rawInput);
  if (!isDescribed && Object.keys(input).length > 0) {
    lines.push(...shorten(barred(JSON.stringify(input, undefined, 2), paint)));
  }
  return `${lines.join("\n")}\n`;
}

function barred(text: string, paint: Paint): string[] {
  if (text === "") return [];
  return safeLines(text)
    .split("\n")
    .map((line) => `  ${paint.dim("│")} ${paint.bold(line)}`);
}

function shorten(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxInputLines) return lines;
  return [...lines.slice(0, maxInputLines), `  and ${count(lines.length - maxInputLines, "more line")}`];
}
