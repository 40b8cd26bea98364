// What a terminal's output is shown on.

/** A view of a terminal's output. */
export interface OutputView {
  /** What is shown from now on begins with this text. */
  reset(text: string): void;
  append(text: string): void;
}
