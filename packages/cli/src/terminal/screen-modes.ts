// What a program switched on in the person's own terminal, so that all of it can be switched off again (C40).

/** A mode is set by `h` and reset by `l`; several may stand in one sequence. */
const privateMode = /\u001B\[\?([\d;]+)([hl])/g;
/** A beginning of a sequence that the next piece may end. */
const unfinished = /\u001B(?:\[[\d;?>=]*)?$/;
/** Scroll region, other character sets and keyboards: known to have been touched, and put back as a whole. */
const touches = /\u001B(?:\[[\d;]+r|\[>[\d;]*[um]|[()][^B]|=|\[\d+ q)/;
/** Full and soft reset. */
const resets = /\u001B(?:c|\[!p)/g;

const otherScreens: readonly string[] = ["1049", "1047", "47"];
/** These are on in a fresh terminal: the cursor is shown, and lines wrap. */
const onByDefault: readonly string[] = ["25", "7"];
/** Cursor keys, mouse, focus, paste: off in a fresh terminal. */
const offByDefault: readonly string[] =
  "1 5 6 66 9 1000 1001 1002 1003 1004 1005 1006 1015 1016 2004 2026 2031".split(" ");

/** The modes of one terminal. */
export class ScreenModes {
  readonly #changed = new Set<string>();
  #isTouched = false;
  #rest = "";

  /** Takes notice of what is written to the terminal. */
  push(data: string): void {
    const text = this.#rest + data;
    this.#rest = unfinished.exec(text)?.[0] ?? "";
    const fresh = text.slice(lastReset(text));
    if (fresh.length < text.length) this.#forget();
    if (touches.test(fresh)) this.#isTouched = true;
    for (const [, numbers = "", letter] of fresh.matchAll(privateMode)) {
      for (const number of numbers.split(";")) this.#set(number, letter === "h");
    }
  }

  /** Whether the program shows its other screen. */
  get hasOtherScreen(): boolean {
    return otherScreens.some((mode) => this.#changed.has(mode));
  }

  /** What undoes it all; nothing when nothing was done. */
  restore(): string {
    const onAgain = onByDefault.filter((mode) => this.#changed.has(mode));
    const off = offByDefault.filter((mode) => this.#changed.has(mode));
    const screen = otherScreens.find((mode) => this.#changed.has(mode));
    const isTouched = this.#isTouched;
    this.#forget();
    return [
      ...off.map((mode) => `\u001B[?${mode}l`),
      // The whole screen scrolls again; that moves the cursor, so its place is kept.
      ...(isTouched ? ["\u001B7\u001B[r\u001B8\u001B(B\u001B>\u001B[0 q\u001B[<u\u001B[>4m"] : []),
      ...(screen === undefined ? [] : [`\u001B[?${screen}l`]),
      ...onAgain.map((mode) => `\u001B[?${mode}h`),
      "\u001B[0m",
    ].join("");
  }

  #set(mode: string, isOn: boolean): void {
    const isChanged = onByDefault.includes(mode) ? !isOn : isOn;
    if (isChanged) this.#changed.add(mode);
    else this.#changed.delete(mode);
  }

  #forget(): void {
    this.#changed.clear();
    this.#isTouched = false;
  }
}

function lastReset(text: string): number {
  let end = 0;
  for (const { index, 0: found } of text.matchAll(resets)) end = index + found.length;
  return end;
}
