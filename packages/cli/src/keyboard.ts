// Keyboard of the person at a command: single keys, a choice, a yes or no (C23, C843).
import { createInterface, type Interface } from "node:readline";
import { setImmediate as nextTick } from "node:timers/promises";
import { CommandError } from "./command-error.ts";
import type { Console, Paint, Streams } from "./console.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { RawInput, restoreEditorAtEnd } from "./raw-input.ts";
import { safeText } from "./safe-text.ts";

/** Ctrl-C, which sends no signal while keys are read one by one. */
const INTERRUPT_KEY = "\u0003";
/** Ctrl-D. */
const endKey = "\u0004";

/** The keyboard of one question. `close` gives it back to the terminal. */
export class Keys {
  readonly #input: RawInput;
  #onKey: ((key: string | undefined) => void) | undefined;
  #hasEnded = false;

  /** From now on keys are not echoed, and what nobody waits for is thrown away: it was typed for something else. */
  constructor(stdin: Streams["stdin"]) {
    this.#input = new RawInput({
      stdin,
      onText: (text) => this.#press(text),
      onEnd: () => {
        this.#hasEnded = true;
        this.#onKey?.(undefined);
      },
      isRequired: true,
    });
  }

  /** The next key; undefined when there is nobody to press one. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.#hasEnded || signal.aborted) return undefined;
    return new Promise((resolve) => {
      const settle = (key: string | undefined): void => {
        this.#onKey = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve(key);
      };
      const onAbort = (): void => settle(undefined);
      signal.addEventListener("abort", onAbort);
      this.#onKey = settle;
    });
  }

  close(): void {
    this.#input.close();
  }

  /** Several characters at once were pasted, or are a key that means nothing here. */
  #press(chunk: string): void {
    const key = chunk.length > 1 ? chunk.replace(/[\r\n]+$/, "") : chunk;
    if (key.length !== 1) return;
    this.#onKey?.(key === endKey ? undefined : key);
  }
}

export interface Choice {
  readonly label: string;
  /** The letter that it goes by beside its number, unless another one has it too. */
  readonly letter?: string | undefined;
  /** The agent's own words for it. */
  readonly note?: string | undefined;
}

interface ChoiceParts {
  readonly choices: readonly Choice[];
  readonly keys: Keys;
  readonly write: (text: string) => void;
  readonly paint: Paint;
  /** Ends the wait: somebody else has answered. */
  readonly signal: AbortSignal;
  /** Ctrl-C was pressed. */
  readonly onInterrupt: () => void;
}

/** Without the letters that answers go by. */
const numbers = "123456789bcefghijklmopqrstuvwxz";

/** The place of the answer that was chosen; undefined when there is none to be had. */
export async function askChoice(parts: ChoiceParts): Promise<number | undefined> {
  const { choices, keys, write, paint, signal, onInterrupt } = parts;
  const letters = choices.map(({ letter }, index) =>
    choices.some((other, at) => at !== index && other.letter === letter) ? undefined : letter,
  );
  const offers = choices.map(({ label, note }, index) => {
    const letter = letters[index] === undefined ? "" : ` (${letters[index]})`;
    const words = note === undefined ? "" : paint.dim(` "${safeText(note)}"`);
    return `${paint.bold(numbers[index] ?? "")} ${safeText(label)}${letter}${words}`;
  });
  write(`  ${offers.join("   ")}   ${paint.dim("Ctrl-C cancels the turn")}\n${paint.bold("?")} `);
  for (;;) {
    const key = await keys.next(signal);
    if (key === undefined) {
      write("\n");
      return undefined;
    }
    if (key === INTERRUPT_KEY) {
      write("\n");
      onInterrupt();
      continue;
    }
    const index = numbers.indexOf(key);
    const chosen = index >= 0 && index < choices.length ? index : letters.indexOf(key.toLowerCase());
    const choice = choices[chosen];
    if (choice === undefined) continue;
    write(`${safeText(choice.label)}\n`);
    return chosen;
  }
}

/** Readline pauses its input after Ctrl-Z and `fg`, and leaves it to its user to resume (C510). */
function resumeAfterStop(editor: Interface): void {
  editor.on("SIGCONT", () => editor.prompt(true));
}

/** Whether a person says yes; where nobody can be asked, `--yes` must have said it. */
export async function confirm(console: Console, question: string, isConfirmed: boolean): Promise<boolean> {
  if (isConfirmed) return true;
  if (!console.canAsk) {
    throw new CommandError(
      "CONFIRMATION_NEEDED",
      `"${question}" needs confirmation, and there is no terminal to ask in.`,
      {
        exitCode: EXIT_CODES.setup,
        remedy: "Use --yes.",
      },
    );
  }
  await discardTyped(console.streams.stdin);
  const answer = await ask(console, `${question} [y/N] `);
  if (answer !== undefined) return /^y(es)?$/i.test(answer.trim());
  throw new CommandError("CANCELLED", "Nothing was done.", { exitCode: EXIT_CODES.cancelled });
}

/** Throws away what was typed before the question stood there: it was meant for something else (C843). */
async function discardTyped(stdin: Streams["stdin"]): Promise<void> {
  const keys = new Keys(stdin);
  // What waits in the terminal is readable at once, and read before the second of these.
  await nextTick();
  await nextTick();
  keys.close();
}

/** What is typed; undefined when it is broken off with Ctrl-C or Ctrl-D. */
function ask(console: Console, question: string): Promise<string | undefined> {
  const { stdin: input, stderr: output } = console.streams;
  const lines = createInterface({ input, output });
  const undoRestore = restoreEditorAtEnd(input, lines);
  return new Promise<string | undefined>((resolve) => {
    resumeAfterStop(lines);
    lines.once("SIGINT", () => lines.close());
    lines.once("close", () => resolve(undefined));
    lines.question(question, resolve);
  }).finally(() => {
    undoRestore();
    lines.close();
  });
}
