// Writes a stream to a screen no faster than the screen can draw: a flood is dropped here and never waits in the screen.
import { pieceEnd } from "@holdfast/terminal/emulator";
import { sizeWords } from "../frame/time-words.ts";
import { OutputTail } from "./output-tail.ts";
import { lastParts, lengthOf, type SizedText } from "./sized-output.ts";
import type { OutputView } from "./terminal-stream.ts";

export interface Screen {
  /** Modes that the program has set. */
  readonly modes: { readonly applicationCursorKeysMode: boolean };
  /** Draws bytes of UTF-8, between other tasks; calls back when they are drawn. */
  write(bytes: Uint8Array, callback?: () => void): void;
  reset(): void;
  resize(cols: number, rows: number): void;
}

/** A part of the output that was there before the screen. */
interface ReplayPart {
  readonly size: SizedText["size"];
  readonly output: OutputTail;
}

/** The text that may wait for the next frame; of more, only the end is kept. */
const pendingChars = 128 * 1024;
/** The text written for one frame: as much as this machine draws in time, measured while it runs. */
const mostFrameChars = 32 * 1024;
const leastFrameChars = 256;
const encoder = new TextEncoder();
const calmMs = 12;
const busyMs = 30;

export class ScreenWriter implements OutputView {
  readonly #screen: Screen;
  readonly #pending = new OutputTail(pendingChars);
  readonly #schedule: (callback: () => void) => void;
  readonly #onReplayed: () => void;
  #replay: ReplayPart[] = [];
  #isWriting = false;
  #isCut = false;
  #isClosed = false;
  #frameChars = leastFrameChars * 32;

  /** `schedule` calls back in the next frame, once for a callback that already waits; `onReplayed` is called when old output is drawn. */
  constructor(
    screen: Screen,
    schedule: (callback: () => void) => void,
    onReplayed: () => void = () => undefined,
  ) {
    this.#screen = screen;
    this.#schedule = schedule;
    this.#onReplayed = onReplayed;
  }

  /** Whether what is drawn was written before this screen was there: until then the screen has the size of that output (Z510). */
  get isReplaying(): boolean {
    return this.#replay.length > 0;
  }

  /** Whether the program wants the arrow keys of its application mode. */
  get hasApplicationKeys(): boolean {
    return this.#screen.modes.applicationCursorKeysMode;
  }

  /** Whether something of the output was not drawn. */
  get isCut(): boolean {
    return this.#isCut;
  }

  reset(parts: readonly SizedText[]): void {
    this.#screen.reset();
    this.#pending.clear();
    this.#isCut = lengthOf(parts) > pendingChars;
    this.#replay = lastParts(parts, pendingChars).map(({ size, text }) => {
      const output = new OutputTail(pendingChars);
      output.append(text);
      return { size, output };
    });
    this.#plan();
  }

  append(text: string): void {
    this.#pending.append(text);
    this.#plan();
  }

  /** Draws nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#replay = [];
    this.#pending.clear();
  }

  #plan(): void {
    if (!this.#isWriting && this.#hasMore) this.#schedule(this.#write);
  }

  get #hasMore(): boolean {
    return this.isReplaying || this.#pending.length > 0;
  }

  readonly #write = (): void => {
    if (this.#isWriting || this.#isClosed || !this.#hasMore) return;
    const [part] = this.#replay;
    if (part?.size !== undefined) this.#screen.resize(part.size.cols, part.size.rows);
    const { text, droppedChars } = (part?.output ?? this.#pending).take(this.#frameChars);
    // After a gap the colours and the place of the cursor are unknown: they are reset.
    const gap =
      droppedChars === 0
        ? ""
        : `\u001B[0m\r\n\u001B[2m… ${sizeWords(droppedChars)} of output not shown …\u001B[0m\r\n`;
    this.#isCut ||= droppedChars > 0;
    this.#isWriting = true;
    const startedMs = performance.now();
    this.#writePieces(encoder.encode(gap + text), () => {
      this.#isWriting = false;
      this.#learn(performance.now() - startedMs);
      if (this.#isClosed) return;
      if (part !== undefined) this.#endPart(part);
      this.#plan();
    });
  };

  #endPart(part: ReplayPart): void {
    // A reset during the write replaced the parts.
    if (this.#replay[0] !== part || part.output.length > 0) return;
    this.#replay.shift();
    if (!this.isReplaying) this.#onReplayed();
  }

  /** The screen looks at the clock between pieces, and one piece takes milliseconds (T400). */
  #writePieces(bytes: Uint8Array, callback: () => void): void {
    let from = 0;
    for (;;) {
      const end = pieceEnd(bytes, from);
      const piece = bytes.subarray(from, end);
      if (end === bytes.length) return this.#screen.write(piece, callback);
      this.#screen.write(piece);
      from = end;
    }
  }

  /** A slow machine, or one with other things to do, gets less at a time. */
  #learn(tookMs: number): void {
    if (tookMs > busyMs) this.#frameChars = Math.max(leastFrameChars, this.#frameChars / 2);
    else if (tookMs < calmMs) this.#frameChars = Math.min(mostFrameChars, this.#frameChars * 2);
  }
}
