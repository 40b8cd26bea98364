// The numbers of a terminal control sequence, gathered byte by byte.

const MAX_PARAMETERS = 32;
/** Larger than any screen, small enough that arithmetic on it is safe. */
const MAX_PARAMETER_VALUE = 0xffff;

/** The numbers of a control sequence. */
export interface ControlParameters {
  readonly count: number;
  /** The number at an index; 0 and absent both give the default. */
  at(index: number, whenAbsent: number): number;
}

/** The parameters of the sequence being parsed; sub-parameters after a colon are left out. */
export class ParameterList implements ControlParameters {
  readonly #values = new Int32Array(MAX_PARAMETERS);
  #count = 1;
  #isSkipping = false;

  get count(): number {
    return this.#count;
  }

  at(index: number, whenAbsent: number): number {
    return (index < this.#count ? this.#values[index]! : 0) || whenAbsent;
  }

  clear(): void {
    this.#values[0] = 0;
    this.#count = 1;
    this.#isSkipping = false;
  }

  /** Takes a digit, a semicolon or a colon. */
  add(byte: number): void {
    if (byte === 0x3a) {
      this.#isSkipping = true;
    } else if (byte === 0x3b) {
      this.#isSkipping = this.#count === MAX_PARAMETERS;
      if (!this.#isSkipping) this.#values[this.#count++] = 0;
    } else if (!this.#isSkipping) {
      const last = this.#count - 1;
      this.#values[last] = Math.min(this.#values[last]! * 10 + byte - 0x30, MAX_PARAMETER_VALUE);
    }
  }
}
