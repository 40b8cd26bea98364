// Keeps events from being given twice when a stream is taken up between an event and the id that covers it.
import type { SseFrame } from "./sse.ts";

/**
 * Several events may come of one entry of the host's log, and only the last of them carries its id (A25).
 * Taken up after the id before, the host tells the entry again from its beginning; what was given of it is passed over.
 */
export class ReplayGuard {
  /** What was given since the last id. */
  #given: string[] = [];
  /** What of it is still to be told again. */
  #expected: string[] = [];

  /** The stream was opened again after the last id. */
  expectReplay(): void {
    this.#expected = [...this.#given];
  }

  /** Whether a frame has not been given before. Without a way to take the stream up, nothing need be remembered. */
  isNews(frame: SseFrame, canBeTakenUp: boolean): boolean {
    const { event, data, id } = frame;
    const text = `${event}\n${data}`;
    const isRepeated = this.#expected[0] === text;
    if (isRepeated) this.#expected.shift();
    // The host tells it in another way now, so none of it is a repetition.
    else if (data !== undefined) this.#expected = [];
    if (id !== undefined) this.#given = [];
    else if (canBeTakenUp && !isRepeated && data !== undefined) this.#given.push(text);
    return !isRepeated;
  }
}
