// A question with a few answers, each by one key (C23).
import type { Paint } from "../../paint.ts";
import { safeText } from "../../safe-text.ts";
import { INTERRUPT_KEY, type Keys } from "./keys.ts";

/** One of the answers. */
export interface Choice {
  readonly label: string;
  /** The letter that it goes by beside its number, unless another one has it too. */
  readonly letter?: string | undefined;
}

/** How a choice is put to a person. */
export interface ChoiceParts {
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
  const offers = choices.map(({ label }, index) => {
    const letter = letters[index] === undefined ? "" : ` (${letters[index]})`;
    return `${paint.bold(numbers[index] ?? "")} ${safeText(label)}${letter}`;
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
