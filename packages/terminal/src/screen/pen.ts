// The attributes of characters, and the control sequence (SGR) that sets them.
import type { Attributes, SavedAttributes } from "./emulator-core.ts";

// The emulator's packing: a colour of 24 bits, two for its kind, and flags.
const COLOR_MASK = 0xffffff;
const COLOR_KIND_MASK = 0x3000000;
const PALETTE_16 = 0x1000000;
const PALETTE_256 = 0x2000000;
const RGB = 0x3000000;
const UNDERLINE = 0x10000000;
const HAS_EXTENDED = 0x10000000;
const UNDERLINE_STYLE_MASK = 0x1c000000;
const UNDERLINE_STYLE_SHIFT = 26;

const foregroundFlags: readonly (readonly [flag: number, code: number])[] = [
  [0x8000000, 1],
  [0x20000000, 5],
  [0x4000000, 7],
  [0x40000000, 8],
  [0x80000000, 9],
];
const backgroundFlags: readonly (readonly [flag: number, code: number])[] = [
  [0x8000000, 2],
  [0x4000000, 3],
  [0x40000000, 53],
];
const INVERSE = 0x4000000;
const STRIKETHROUGH = 0x80000000;
const OVERLINE = 0x40000000;

/** A look; two of the same look are equal field by field. */
export interface Pen {
  readonly foreground: number;
  readonly background: number;
  readonly underlineStyle: number;
  readonly underlineColor: number;
  /** The link that the characters are part of; 0 for none. */
  readonly linkId: number;
}

/** The look of a terminal that has just been opened. */
export const PLAIN: Pen = { foreground: 0, background: 0, underlineStyle: 0, underlineColor: 0, linkId: 0 };

/** Whether a look has more than its two numbers say: a link, or a kind or colour of underline. */
export function hasExtendedLook({ bg }: Attributes): boolean {
  return (bg & HAS_EXTENDED) !== 0;
}

/** The look of a cell. */
export function penOf({ fg, bg, extended }: Attributes): Pen {
  const isExtended = (bg & HAS_EXTENDED) !== 0;
  const isUnderlined = (fg & UNDERLINE) !== 0;
  return {
    foreground: withWholeColor(fg),
    background: withWholeColor(bg & ~HAS_EXTENDED),
    underlineStyle: isUnderlined ? (isExtended ? styleOf(extended._ext) : 1) : 0,
    underlineColor: isUnderlined && isExtended ? extended.underlineColor : 0,
    linkId: isExtended ? extended.urlId : 0,
  };
}

/** The look of what is written next: its underlines may have a colour before there are any. */
export function currentPen(attributes: Attributes): Pen {
  return { ...penOf(attributes), underlineColor: attributes.extended.underlineColor };
}

/** The look that was saved with a cursor. */
export function savedPen({ fg, bg }: SavedAttributes): Pen {
  return {
    ...PLAIN,
    foreground: withWholeColor(fg),
    background: withWholeColor(bg & ~HAS_EXTENDED),
    underlineStyle: (fg & UNDERLINE) === 0 ? 0 : 1,
  };
}

/** The look of a place where something was erased: its background alone. */
export function erasedPen(pen: Pen): Pen {
  return { ...PLAIN, background: pen.background & (COLOR_MASK | COLOR_KIND_MASK) };
}

/** Whether a place with nothing on it can be seen, other than by its background. */
export function showsOnBlank({ foreground, background, underlineStyle }: Pen): boolean {
  return (
    (foreground & (INVERSE | STRIKETHROUGH)) !== 0 || (background & OVERLINE) !== 0 || underlineStyle !== 0
  );
}

/** Whether two looks are the same, links aside. */
export function looksSame(one: Pen, other: Pen): boolean {
  return (
    one.foreground === other.foreground &&
    one.background === other.background &&
    one.underlineStyle === other.underlineStyle &&
    one.underlineColor === other.underlineColor
  );
}

/** The sequence after which characters are written in this look, whatever was before. */
export function penSequence(pen: Pen): string {
  const codes: (number | string)[] = [0];
  for (const [flag, code] of foregroundFlags) if ((pen.foreground & flag) !== 0) codes.push(code);
  for (const [flag, code] of backgroundFlags) if ((pen.background & flag) !== 0) codes.push(code);
  if (pen.underlineStyle !== 0) codes.push(pen.underlineStyle === 1 ? 4 : `4:${pen.underlineStyle}`);
  codes.push(...colorCodes(pen.foreground, 30), ...colorCodes(pen.background, 40));
  codes.push(...colorCodes(pen.underlineColor, 50));
  return codes.length === 1 ? "\x1b[m" : `\x1b[${codes.join(";")}m`;
}

function styleOf(extended: number): number {
  return (extended & UNDERLINE_STYLE_MASK) >>> UNDERLINE_STYLE_SHIFT || 1;
}

/** Without what an earlier colour of another kind left in the bits that this kind does not use. */
function withWholeColor(packed: number): number {
  const kind = packed & COLOR_KIND_MASK;
  if (kind === RGB) return packed;
  return kind === 0 ? packed & ~COLOR_MASK : packed & ~0xffff00;
}

/** `base`: 30 for the foreground, 40 for the background, 50 for underlines, which have no short forms. */
function colorCodes(packed: number, base: 30 | 40 | 50): readonly number[] {
  const color = packed & COLOR_MASK;
  switch (packed & COLOR_KIND_MASK) {
    case PALETTE_16:
      if (base === 50) return [58, 5, color & 0xff];
      return [(color & 8) === 0 ? base + (color & 7) : base + 60 + (color & 7)];
    case PALETTE_256:
      return [base + 8, 5, color & 0xff];
    case RGB:
      return [base + 8, 2, color >>> 16, (color >>> 8) & 0xff, color & 0xff];
    default:
      return [];
  }
}
