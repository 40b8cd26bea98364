// Fuzzy matching: the letters of a search in order, better at the beginnings of words and next to each other.

export interface FuzzyMatch {
  readonly score: number;
  /** The places of the matched letters. */
  readonly places: readonly number[];
}

/** How well a text fits a search; undefined where it does not. Every word of the search must fit. */
export function fuzzyMatch(search: string, text: string): FuzzyMatch | undefined {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const lower = text.toLowerCase();
  let score = 0;
  const places = new Set<number>();
  for (const word of words) {
    const found = matchWord(word, text, lower);
    if (found === undefined) return undefined;
    score += found.score;
    for (const place of found.places) places.add(place);
  }
  // Of two that fit as well, the shorter one is meant.
  return { score: score - text.length / 100, places: [...places].toSorted((one, other) => one - other) };
}

/** The better of the first run of letters and the whole word as it stands. */
function matchWord(word: string, text: string, lower: string): FuzzyMatch | undefined {
  const candidates: number[][] = [];
  for (let at = lower.indexOf(word); at >= 0 && candidates.length < 20; at = lower.indexOf(word, at + 1)) {
    candidates.push(Array.from({ length: word.length }, (_, offset) => at + offset));
  }
  if (candidates.length === 0) {
    const scattered = matchScattered(word, text, lower);
    if (scattered !== undefined) candidates.push(scattered);
  }
  const scored = candidates.map((places) => ({ score: scoreOf(places, text), places }));
  return scored.toSorted((one, other) => other.score - one.score)[0];
}

/** Letter by letter: at the beginning of a word where one follows, else the next one. */
function matchScattered(word: string, text: string, lower: string): number[] | undefined {
  const places: number[] = [];
  let from = 0;
  for (let index = 0; index < word.length; index += 1) {
    const letter = word.charAt(index);
    const next = lower.indexOf(letter, from);
    if (next < 0) return undefined;
    let place = next;
    for (let at = next; at >= 0; at = lower.indexOf(letter, at + 1)) {
      // A beginning of a word counts only if the rest still fits behind it.
      if (isWordStart(text, at) && fitsFrom(lower, word.slice(index + 1), at + 1)) {
        place = at;
        break;
      }
    }
    places.push(place);
    from = place + 1;
  }
  return places;
}

function fitsFrom(lower: string, rest: string, from: number): boolean {
  let at = from;
  for (const letter of rest) {
    at = lower.indexOf(letter, at);
    if (at < 0) return false;
    at += letter.length;
  }
  return true;
}

function scoreOf(places: readonly number[], text: string): number {
  let score = 0;
  for (const [index, place] of places.entries()) {
    const isNext = index > 0 && places[index - 1] === place - 1;
    score += 1 + (isNext ? 5 : 0) + (isWordStart(text, place) ? 4 : 0) + (place === 0 ? 2 : 0);
  }
  return score;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  if (!/[\p{L}\p{N}]/u.test(before)) return true;
  return /\p{Lu}/u.test(text.charAt(at)) && /\p{Ll}/u.test(before);
}
