// Keeps the values of a label few: each one is a series that lives as long as the process.

/** Lets the first values through; all later ones are `other`. */
export class BoundedLabel {
  readonly #limit: number;
  readonly #values = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value itself, or `other`. */
  of(value: string): string {
    if (this.#values.has(value)) return value;
    if (this.#values.size >= this.#limit) return "other";
    this.#values.add(value);
    return value;
  }
}
