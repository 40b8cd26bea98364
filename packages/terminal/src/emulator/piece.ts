// Where output is cut before xterm.js draws it: one piece takes milliseconds, whatever sequences it holds (T400).

/** Characters cost up to 50 µs each on a wide screen: in insert mode, or as line feeds in a scroll region. */
const maxPieceBytes = 256;
const ESC = 0x1b;
/** The first byte of every C1 control character in UTF-8. */
const C1_LEAD = 0xc2;
const BRACKET = "[".charCodeAt(0);
const QUESTION_MARK = "?".charCodeAt(0);
const DIGIT_0 = "0".charCodeAt(0);
const SEMICOLON = ";".charCodeAt(0);
const FIRST_FINAL = 0x40;

/** Final bytes of functions that change one row at most, whatever their numbers. */
const cheapFinals = finals("@ABCDEFGHKPX`adefgmnqrsu");
/** Those of modes, most of which only change how later bytes are read. */
const modeFinals = finals("hl");
/** The modes that switch screens, and with that clear one. */
const screenModes: ReadonlySet<number> = new Set([47, 1047, 1049]);

/**
 * The end of the piece that begins at an index: before the next sequence that may be expensive. One of those may clear
 * or move a million cells, so a piece holds at most one. What is not known to be cheap counts as expensive.
 */
export function pieceEnd(bytes: Uint8Array, from: number): number {
  const most = Math.min(bytes.length, from + maxPieceBytes);
  let index = bytes[from] === ESC ? afterCheapSequence(bytes, from) : from;
  // The first sequence of a piece may be expensive, or continue one from the piece before.
  index = Math.max(index, from + 1);
  while (index < most) {
    const byte = bytes[index];
    if (byte === ESC) {
      const after = afterCheapSequence(bytes, index);
      if (after === index || after > most) return index;
      index = after;
    } else if (byte === C1_LEAD) return index;
    else index++;
  }
  return most;
}

/** The index after a cheap sequence that begins at an index and is complete; else the index itself. */
function afterCheapSequence(bytes: Uint8Array, start: number): number {
  if (bytes[start + 1] !== BRACKET) return start;
  let index = start + 2;
  const isPrivate = bytes[index] === QUESTION_MARK;
  if (isPrivate) index++;
  let value = 0;
  for (; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (byte >= FIRST_FINAL) {
      const isCheap = isPrivate
        ? modeFinals[byte] === 1 && !screenModes.has(value)
        : cheapFinals[byte] === 1 || modeFinals[byte] === 1;
      return isCheap ? index + 1 : start;
    }
    if (byte < DIGIT_0 || byte > SEMICOLON) return start;
    if (byte > DIGIT_0 + 9) {
      // Several modes at once are rare, and any of them may be one that switches screens.
      if (isPrivate) return start;
    } else value = value * 10 + byte - DIGIT_0;
  }
  return start;
}

function finals(letters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const letter of letters) table[letter.charCodeAt(0)] = 1;
  return table;
}
