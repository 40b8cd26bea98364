// How many terminal cells a character takes: none, one or two.

const PAGE_SIZE = 256;

/** Wide by East Asian Width; emoji come from the runtime's own tables. */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

/** Vowels and final consonants of Korean that join the cell of the syllable before them. */
const JOINING_JAMO = { first: 0x1160, last: 0x11ff };
/** Pairs of these make a flag, each half one cell wide. */
const REGIONAL_INDICATORS = { first: 0x1f1e6, last: 0x1f1ff };

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const WIDE_EMOJI = /^\p{Emoji_Presentation}$/u;

/** Widths by page of code points, each made when it is first needed. */
const pages: Uint8Array[] = [];

/** The cells a printable character takes: 0 for one that joins the character before it. */
export function characterWidth(codePoint: number): number {
  if (codePoint < 0x300) return 1;
  const page = (pages[codePoint >> 8] ??= measurePage(codePoint >> 8));
  return page[codePoint & (PAGE_SIZE - 1)]!;
}

function measurePage(number: number): Uint8Array {
  return Uint8Array.from({ length: PAGE_SIZE }, (_, index) => measure(number * PAGE_SIZE + index));
}

function measure(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (ZERO_WIDTH.test(character) || isWithin(codePoint, JOINING_JAMO)) return 0;
  if (WIDE_RANGES.some(([first, last]) => codePoint >= first && codePoint <= last)) return 2;
  return WIDE_EMOJI.test(character) && !isWithin(codePoint, REGIONAL_INDICATORS) ? 2 : 1;
}

function isWithin(codePoint: number, range: { first: number; last: number }): boolean {
  return codePoint >= range.first && codePoint <= range.last;
}
