// Writes a stream to a screen no faster than the screen can draw: a flood is dropped here and never waits in the screen.
import { sizeWords } from "../frame/time-words.ts";
import { OutputTail } from "./output-tail.ts";
import type { OutputView } from "./output-view.ts";

/** The part of a screen that is written to. */
export interface Screen {
  write(text: string, callback: () => void): void;
  reset(): void;
}

/** What may wait for the next picture; of more, only the end is kept. */
const pendingChars = 128 * 1024;
/** What is written for one picture: as much as this machine draws in a moment, found out as it goes. */
const mostFrameChars = 32 * 1024;
const leastFrameChars = 1024;
const calmMs = 12;
const busyMs = 30;

/** Feeds one screen. */
export class ScreenWriter implements OutputView {
  readonly #screen: Screen;
  readonly #pending = new OutputTail(pendingChars);
  readonly #schedule: (callback: () => void) => void;
  #isWriting = false;
  #isClosed = false;
  #replayChars = 0;
  #frameChars = leastFrameChars * 8;

  /** `schedule` calls back with the next picture, once for a callback that waits already. */
  constructor(screen: Screen, schedule: (callback: () => void) => void) {
    this.#screen = screen;
    this.#schedule = schedule;
  }

  /** Whether what is drawn was written before this screen was there. */
  get isReplaying(): boolean {
    return this.#replayChars > 0;
  }

  reset(text: string): void {
    this.#screen.reset();
    this.#pending.clear();
    this.#pending.append(text);
    // That its beginning is not drawn is no news: it was not asked for.
    if (this.#pending.droppedChars > 0) this.#pending.take(0);
    this.#replayChars = this.#pending.length;
    this.#plan();
  }

  append(text: string): void {
    this.#pending.append(text);
    this.#plan();
  }

  /** Draws nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#pending.clear();
  }

  #plan(): void {
    if (!this.#isWriting && this.#pending.length > 0) this.#schedule(this.#write);
  }

  readonly #write = (): void => {
    if (this.#isWriting || this.#isClosed || this.#pending.length === 0) return;
    const { text, droppedChars } = this.#pending.take(this.#frameChars);
    // After a gap the colours and the place of the cursor are unknown: they begin anew.
    const gap =
      droppedChars === 0
        ? ""
        : `\u001B[0m\r\n\u001B[2m… ${sizeWords(droppedChars)} went by too fast to be drawn …\u001B[0m\r\n`;
    this.#isWriting = true;
    const startedMs = performance.now();
    this.#screen.write(gap + text, () => {
      this.#isWriting = false;
      this.#learn(performance.now() - startedMs);
      this.#replayChars = Math.max(0, this.#replayChars - text.length - droppedChars);
      if (!this.#isClosed) this.#plan();
    });
  };
  /** A slow machine, or one with other things to do, gets less at a time. */
  #learn(tookMs: number): void {
    if (tookMs > busyMs) this.#frameChars = Math.max(leastFrameChars, this.#frameChars / 2);
    else if (tookMs < calmMs) this.#frameChars = Math.min(mostFrameChars, this.#frameChars * 2);
  }
}
