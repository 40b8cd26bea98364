// Colours for a terminal, or none.

const escape = "\u001B[";

/** Paints text, if there is any colour to be had. */
export class Paint {
  readonly #isOn: boolean;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  readonly bold = (text: string): string => this.#wrap(text, 1, 22);
  readonly dim = (text: string): string => this.#wrap(text, 2, 22);
  readonly red = (text: string): string => this.#wrap(text, 31, 39);
  readonly green = (text: string): string => this.#wrap(text, 32, 39);
  readonly yellow = (text: string): string => this.#wrap(text, 33, 39);
  readonly blue = (text: string): string => this.#wrap(text, 34, 39);

  #wrap(text: string, on: number, off: number): string {
    return this.#isOn ? `${escape}${on}m${text}${escape}${off}m` : text;
  }
}
