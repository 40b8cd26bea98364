// Facts of a tty's past that drawing its screen from the kept bytes needs: modes, sizes, the covered screen.
import type { ScreenSize } from "../screen-size.ts";
import { type ContentSource, INITIAL_MODES, type TerminalModes, wholeStart } from "../view/index.ts";

/** The size of a screen from an offset on. */
export interface SizeFrom {
  readonly offset: number;
  readonly size: ScreenSize;
}

/** Bytes that last drew the normal screen, put aside because the alternate screen covers it for long. */
interface CoveredScreen {
  readonly offset: number;
  /** They end with the sequence that switched the screens. */
  readonly bytes: Uint8Array;
  readonly modes: TerminalModes;
  readonly size: ScreenSize;
}

interface ModesFrom {
  readonly offset: number;
  modes: TerminalModes;
}

/** Programs hide and show the cursor all the time: within so many bytes only the last modes are kept. */
const stretchBytes = 4096;
/** As many stretches as a mebibyte has, and spare ones for switches of the screen. */
const maxModes = 1024;
const maxSizes = 64;
/** After so much on the alternate screen, what it covers is put aside: soon it would be gone. */
const asideAfterBytes = 256 * 1024;
const nearBytes = 64 * 1024;
/** Enough for any screen and some lines above it. */
const coveredBytes = 128 * 1024;

/** The past of one tty, by offsets of what is shown. */
export class ScreenHistory {
  readonly #output: ContentSource;
  #modes: ModesFrom[] = [{ offset: 0, modes: INITIAL_MODES }];
  readonly #sizes: SizeFrom[];
  #covered: CoveredScreen | undefined;
  /** Where the alternate screen was switched on, while what it covers has not been put aside. */
  #coveredAtOffset: number | undefined;
  #clearedAtOffset = 0;

  constructor(output: ContentSource, size: ScreenSize) {
    this.#output = output;
    this.#sizes = [{ offset: 0, size }];
  }

  /** Whether the alternate screen is on. */
  get isAlternate(): boolean {
    return this.#lastModes.modes.isAlternateScreen;
  }

  /** The first byte that may be shown: what is kept, and has not been cleared. */
  get startOffset(): number {
    return Math.max(this.#output.startOffset, this.#clearedAtOffset);
  }

  /** Whether bytes before the first that may be shown are gone without anybody having cleared them. */
  get isTrimmed(): boolean {
    return this.#output.startOffset > this.#clearedAtOffset;
  }

  /** How much is remembered. */
  get recordCount(): number {
    return this.#modes.length + this.#sizes.length;
  }

  /** The screen under the alternate screen, where the bytes that drew it may be gone. */
  get covered(): CoveredScreen | undefined {
    return this.#covered;
  }

  /** Where drawing begins: on the alternate screen after a whole sequence, if there is one near the first byte. */
  get drawingOffset(): number {
    const { startOffset } = this;
    if (!this.isTrimmed || !this.modesAt(startOffset).isAlternateScreen) return startOffset;
    // The first byte may be in the middle of a sequence, whose rest would be drawn as text.
    const next = this.#modes.find(({ offset }) => offset >= startOffset);
    const isNear = next !== undefined && next.offset - startOffset < nearBytes;
    if (isNear && next.modes.isAlternateScreen) return next.offset;
    const head = this.#output.bytes(startOffset, Math.min(startOffset + nearBytes, this.#output.endOffset));
    return startOffset + wholeStart(head, { isAll: true });
  }

  noteModes(offset: number, modes: TerminalModes): void {
    const last = this.#lastModes;
    const isSwitched = last.modes.isAlternateScreen !== modes.isAlternateScreen;
    if (isSwitched) {
      this.#covered = undefined;
      this.#coveredAtOffset = modes.isAlternateScreen ? offset : undefined;
    }
    // The last that sets a mode wins: a reader that begins in a stretch with its final modes has these at its end.
    if (!isSwitched && offset - last.offset < stretchBytes) last.modes = modes;
    else this.#modes.push({ offset, modes });
    if (this.#modes.length > 2 * maxModes) this.#prune();
  }

  noteSize(offset: number, size: ScreenSize): void {
    this.#sizes.push({ offset, size });
    if (this.#sizes.length > maxSizes) this.#sizes.shift();
  }

  noteCleared(offset: number): void {
    this.#clearedAtOffset = offset;
    this.#covered = undefined;
    this.#coveredAtOffset = undefined;
  }

  /** More is about to be shown, and the oldest bytes may go for it. */
  willShow(): void {
    const at = this.#coveredAtOffset;
    if (at === undefined || this.#output.endOffset - at < asideAfterBytes) return;
    this.#coveredAtOffset = undefined;
    const offset = Math.max(this.startOffset, at - coveredBytes);
    if (offset >= at) return;
    const kept = this.#output.bytes(offset, at);
    const bytes = offset === this.#clearedAtOffset ? kept : kept.subarray(wholeStart(kept, { isAll: true }));
    this.#covered = { offset, bytes, modes: this.modesAt(offset), size: this.sizeAt(at).size };
  }

  /** Modes to begin with at an offset, so that what follows leaves the right ones. */
  modesAt(offset: number): TerminalModes {
    if (offset === 0) return INITIAL_MODES;
    const found = this.#modes.findLast((record) => record.offset <= offset);
    return (found ?? this.#modes[0] ?? this.#lastModes).modes;
  }

  sizeAt(offset: number): SizeFrom {
    const found = this.#sizes.findLast((record) => record.offset <= offset) ?? this.#sizes[0];
    if (found === undefined) throw new Error("A screen has a size");
    return found;
  }

  /** The size that came after another. */
  sizeAfter(size: SizeFrom): SizeFrom | undefined {
    return this.#sizes[this.#sizes.indexOf(size) + 1];
  }

  get #lastModes(): ModesFrom {
    const last = this.#modes.at(-1);
    if (last === undefined) throw new Error("A screen has modes");
    return last;
  }

  #prune(): void {
    const { startOffset } = this.#output;
    const needed = this.#modes.findLastIndex(({ offset }) => offset <= startOffset);
    this.#modes = this.#modes.slice(Math.max(needed, this.#modes.length - maxModes));
  }
}
