// Warnings about a peer, and the limit on the log lines that they cause.

/** Something odd that did not stop the connection. */
export type Warning =
  /** The peer printed something that is no message; `text` is its first 200 characters. */
  | { kind: "noise"; text: string }
  /** A message was longer than the framing takes and was skipped. */
  | { kind: "message-too-long"; limitBytes: number; text: string }
  /** A message was nested deeper than the limit and was skipped. */
  | { kind: "message-too-deep"; maxLevels: number; text: string }
  /** JSON that is no JSON-RPC message; `text` is its first 200 characters. */
  | { kind: "invalid-message"; text: string }
  /** An answer to a request that was never made. */
  | { kind: "unknown-answer"; text: string }
  /** A request was refused because too many are open. */
  | { kind: "too-busy"; method: string }
  /** A handler, or the order key's function, threw something other than an `RpcError`; the peer gets no details. */
  | { kind: "handler-failed"; method: string; error: unknown };

/** Takes warnings; it must not throw. */
export type WarningListener = (warning: Warning) => void;

/** How many lines are logged in full. */
const maxLines = 10;
/** The least time between two counts. */
const summaryMs = 60_000;

/** Logs the warnings about one peer. `close` logs the last count. */
export class WarningLimit {
  readonly #log: (line: string) => void;
  #lineCount = 0;
  #droppedCount = 0;
  #countedAt = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  /** Logs a line, or counts it; `render` is called only for a line that is logged. */
  add(render: () => string): void {
    if (this.#lineCount < maxLines) {
      this.#lineCount += 1;
      this.#countedAt = performance.now();
      this.#log(render());
      return;
    }
    this.#droppedCount += 1;
    if (performance.now() - this.#countedAt >= summaryMs) this.#logCount();
  }

  /** Logs how many warnings were dropped since the last count. */
  close(): void {
    this.#logCount();
  }

  #logCount(): void {
    if (this.#droppedCount === 0) return;
    const noun = this.#droppedCount === 1 ? "warning like these was" : "warnings like these were";
    this.#log(`${this.#droppedCount} more ${noun} dropped`);
    this.#droppedCount = 0;
    this.#countedAt = performance.now();
  }
}
