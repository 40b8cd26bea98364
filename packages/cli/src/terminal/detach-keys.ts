// The keys that leave a terminal: finds them in what is typed, and lets everything else through (C39).
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";

/** What leaves a terminal if nothing else is asked for. */
export const DEFAULT_DETACH_KEYS = "ctrl-]";

export interface Typed {
  /** What is for the program. */
  readonly text: string;
  /** Whether the keys were pressed; whatever came after them is dropped. */
  readonly isDetach: boolean;
}

export class DetachKeys {
  /** The keys as a person writes them. */
  readonly name: string;
  /** The spellings of each key: programs may ask a terminal to write keys in other ways. */
  readonly #keys: readonly (readonly string[])[];
  #pressed = "";
  #count = 0;

  /** Reads keys such as `ctrl-]` or `ctrl-p,ctrl-q`. */
  constructor(words: string) {
    const names = words.split(",").map((word) => word.trim());
    this.#keys = names.map((name) => spellings(name) ?? wrongKey(name));
    this.name = names.map(showKey).join(" ");
  }

  /** Takes what was typed; the beginning of the sequence is held back until it is clear what it is. */
  push(data: string): Typed {
    let text = "";
    for (let index = 0; index < data.length;) {
      const match = this.#keys[this.#count]?.find((spelling) => data.startsWith(spelling, index));
      if (match !== undefined) {
        this.#pressed += match;
        this.#count += 1;
        index += match.length;
        if (this.#count === this.#keys.length) return { text, isDetach: true };
      } else if (this.#count > 0) {
        text += this.#giveUp();
      } else {
        text += data[index] ?? "";
        index += 1;
      }
    }
    return { text, isDetach: false };
  }

  #giveUp(): string {
    const pressed = this.#pressed;
    this.#pressed = "";
    this.#count = 0;
    return pressed;
  }
}

/** Control with a letter or one of these is a single byte. */
const controlKey = /^ctrl-([a-z@[\\\]^_])$/i;

function spellings(name: string): string[] | undefined {
  const key = controlKey.exec(name)?.[1]?.toLowerCase();
  if (key === undefined) return name.length === 1 ? [name] : undefined;
  const code = key.codePointAt(0) ?? 0;
  const byte = String.fromCodePoint((key.toUpperCase().codePointAt(0) ?? 0) % 32);
  // As the kitty protocol and as xterm's modifyOtherKeys write a key with Control.
  return [byte, `\u001B[${code};5u`, `\u001B[27;5;${code}~`];
}

function showKey(name: string): string {
  const key = controlKey.exec(name)?.[1];
  return key === undefined ? name : `Ctrl-${key.toUpperCase()}`;
}

function wrongKey(name: string): never {
  throw new CommandError("WRONG_ARGUMENTS", `"${safeText(name)}" is not a valid key.`, {
    exitCode: EXIT_CODES.setup,
    remedy: "Keys look like ctrl-] or ctrl-p,ctrl-q.",
  });
}
