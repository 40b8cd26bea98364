// Which modes are set in an emulator: asked by number, or written down for another one.
import type { Terminal } from "@xterm/headless";
import { coreOf } from "./emulator-core.ts";

const mouseTrackings = { none: 0, x10: 9, vt200: 1000, drag: 1002, any: 1003 } as const;
const mouseEncodings: Readonly<Record<string, number>> = { SGR: 1006, SGR_PIXELS: 1016 };
const cursorStyles: Readonly<Record<string, number>> = { block: 2, underline: 4, bar: 6 };
const mouseNumbers: ReadonlySet<number> = new Set([9, 1000, 1002, 1003, 1006, 1016]);

/** Whether a mode is set; undefined for one that the emulator does not know. */
export function modeOf(terminal: Terminal, number: number, isPrivate: boolean): boolean | undefined {
  const { modes } = terminal;
  if (!isPrivate) return number === 4 ? modes.insertMode : undefined;
  const core = coreOf(terminal);
  if (mouseNumbers.has(number)) return mouseModes(terminal).includes(number);
  switch (number) {
    case 1:
      return modes.applicationCursorKeysMode;
    case 6:
      return modes.originMode;
    case 7:
      return modes.wraparoundMode;
    case 25:
      return !core.coreService.isCursorHidden;
    case 45:
      return modes.reverseWraparoundMode;
    case 47:
    case 1047:
    case 1049:
      return terminal.buffer.active.type === "alternate";
    case 66:
      return modes.applicationKeypadMode;
    case 1004:
      return modes.sendFocusMode;
    case 2004:
      return modes.bracketedPasteMode;
    case 2026:
      return modes.synchronizedOutputMode;
    default:
      return undefined;
  }
}

/** Sequences that give a fresh terminal the modes of another. Those that move the cursor are not here. */
export function emulatorModeSequences(terminal: Terminal): string {
  const { modes } = terminal;
  const { isCursorHidden, decPrivateModes } = coreOf(terminal).coreService;
  const numbers = [1, 45, 66, 1004, 2004].filter((number) => modeOf(terminal, number, true));
  const { cursorStyle, cursorBlink } = decPrivateModes;
  const style = cursorStyle === undefined ? undefined : cursorStyles[cursorStyle];
  return [
    ...[...numbers, ...mouseModes(terminal)].map((number) => `\x1b[?${number}h`),
    modes.wraparoundMode ? "" : "\x1b[?7l",
    modes.insertMode ? "\x1b[4h" : "",
    isCursorHidden ? "\x1b[?25l" : "",
    style === undefined ? "" : `\x1b[${cursorBlink === true ? style - 1 : style} q`,
  ].join("");
}

function mouseModes(terminal: Terminal): readonly number[] {
  const tracking = mouseTrackings[terminal.modes.mouseTrackingMode];
  const encoding = mouseEncodings[coreOf(terminal).coreMouseService.activeEncoding] ?? 0;
  return [tracking, encoding].filter((number) => number !== 0);
}
