// The modes that a program has set on its terminal, as far as clients that join late need them.

/** Which mouse events a program wants. */
export type MouseTracking = "none" | "x10" | "vt200" | "drag" | "any";

/** How it wants them written. */
export type MouseEncoding = "default" | "sgr" | "sgrPixels";

/** The modes in force at one point of a stream. */
export interface TerminalModes {
  readonly isAlternateScreen: boolean;
  readonly isCursorHidden: boolean;
  readonly hasApplicationCursorKeys: boolean;
  readonly hasApplicationKeypad: boolean;
  readonly hasBracketedPaste: boolean;
  readonly hasFocusEvents: boolean;
  readonly mouseTracking: MouseTracking;
  readonly mouseEncoding: MouseEncoding;
}

/** The modes of a terminal that has just been opened. */
export const INITIAL_MODES: TerminalModes = {
  isAlternateScreen: false,
  isCursorHidden: false,
  hasApplicationCursorKeys: false,
  hasApplicationKeypad: false,
  hasBracketedPaste: false,
  hasFocusEvents: false,
  mouseTracking: "none",
  mouseEncoding: "default",
};

const trackings: Readonly<Record<number, MouseTracking>> = {
  9: "x10",
  1000: "vt200",
  1002: "drag",
  1003: "any",
};
const encodings: Readonly<Record<number, MouseEncoding>> = { 1006: "sgr", 1016: "sgrPixels" };

/** The modes after DECSET or DECRST of one number; the same object when nothing changes. */
export function withPrivateMode(modes: TerminalModes, number: number, isOn: boolean): TerminalModes {
  return changed(modes, privateMode(number, isOn));
}

/** The modes after the keypad was switched by `ESC =` or `ESC >`. */
export function withKeypad(modes: TerminalModes, hasApplicationKeypad: boolean): TerminalModes {
  return changed(modes, { hasApplicationKeypad });
}

/** The modes after a soft reset, which leaves the screen and the mouse as they are. */
export function withSoftReset(modes: TerminalModes): TerminalModes {
  const { isAlternateScreen, mouseTracking, mouseEncoding } = modes;
  return changed(modes, { ...INITIAL_MODES, isAlternateScreen, mouseTracking, mouseEncoding });
}

/** The modes after a full reset. */
export function withFullReset(modes: TerminalModes): TerminalModes {
  return changed(modes, INITIAL_MODES);
}

/** Sequences that give a fresh terminal these modes. */
export function modeSequences(modes: TerminalModes): string {
  const numbers = [
    modes.isAlternateScreen && 1049,
    modes.hasApplicationCursorKeys && 1,
    modes.hasApplicationKeypad && 66,
    modes.hasBracketedPaste && 2004,
    modes.hasFocusEvents && 1004,
    numberOf(trackings, modes.mouseTracking),
    numberOf(encodings, modes.mouseEncoding),
  ].filter((number) => number !== false && number !== undefined);
  const set = numbers.map((number) => `\x1b[?${number}h`).join("");
  return modes.isCursorHidden ? `${set}\x1b[?25l` : set;
}

function privateMode(number: number, isOn: boolean): Partial<TerminalModes> {
  const tracking = trackings[number];
  if (tracking !== undefined) return { mouseTracking: isOn ? tracking : "none" };
  const encoding = encodings[number];
  if (encoding !== undefined) return { mouseEncoding: isOn ? encoding : "default" };
  switch (number) {
    case 47:
    case 1047:
    case 1049:
      return { isAlternateScreen: isOn };
    case 1:
      return { hasApplicationCursorKeys: isOn };
    case 25:
      return { isCursorHidden: !isOn };
    case 66:
      return { hasApplicationKeypad: isOn };
    case 1004:
      return { hasFocusEvents: isOn };
    case 2004:
      return { hasBracketedPaste: isOn };
    default:
      return {};
  }
}

function changed(modes: TerminalModes, wanted: Partial<TerminalModes>): TerminalModes {
  const after = { ...modes, ...wanted };
  const isSame = (Object.keys(modes) as (keyof TerminalModes)[]).every((name) => modes[name] === after[name]);
  return isSame ? modes : after;
}

function numberOf<Value>(table: Readonly<Record<number, Value>>, value: Value): number | undefined {
  const found = Object.entries(table).find((entry) => entry[1] === value);
  return found === undefined ? undefined : Number(found[0]);
}
