// Removal of secrets from everything that is recorded or published, wherever they stand and however they are encoded.
import { formsOf, MIN_SECRET_LENGTH } from "./secret-forms.ts";

/** The replacement of a secret. */
export const REDACTED = "[redacted]";

/** A text that is looked for, found by four characters from its middle: beginnings are often the same. */
interface Form {
  readonly text: string;
  readonly anchorEnd: number;
}

interface Secret {
  readonly forms: readonly Form[];
  /** How many have asked for it to be kept. */
  holders: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const filterBits = 15;

/**
 * Knows secrets by their values. A text is gone through once, whatever the number of secrets: the last four
 * characters select the few that could be there. While there are none, nothing is gone through.
 */
export class Redactor {
  readonly #secrets = new Map<string, Secret>();
  readonly #formsByAnchor = new Map<number, Form[]>();
  /** How many anchors fall into each slot: most places of a text are passed over by one look at it. */
  readonly #filter = new Uint32Array(1 << filterBits);

  /** Whether there is nothing to take out. */
  get isEmpty(): boolean {
    return this.#formsByAnchor.size === 0;
  }

  /** Takes this value out of everything from now on, until the returned function is called; safe to call twice. */
  add(value: string): () => void {
    const known = this.#secrets.get(value);
    if (known === undefined) this.#secrets.set(value, this.#keep(value));
    else known.holders += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(value);
      isHeld = false;
    };
  }

  /** The text without any secret; the very same text where there was none. */
  redact(text: string): string {
    if (this.isEmpty || text.length < MIN_SECRET_LENGTH) return text;
    const found = this.#find(text);
    return found.length === 0 ? text : withoutRanges(text, found);
  }

  /**
   * A value as JSON knows it without any secret in its texts, numbers and names; the very same value where
   * there was none. What JSON does not know, such as an object of a class, is left as it is.
   */
  redactDeep<Value>(value: Value): Value {
    if (this.isEmpty) return value;
    // A number that held a secret becomes a text; types without such numbers are unaffected.
    return this.#redactValue(value) as Value;
  }

  #keep(value: string): Secret {
    const forms = formsOf(value).map((text) => ({ text, anchorEnd: (text.length >> 1) + 2 }));
    for (const form of forms) {
      const anchor = anchorOf(form);
      this.#filter[slotOf(anchor)] = (this.#filter[slotOf(anchor)] ?? 0) + 1;
      const together = this.#formsByAnchor.get(anchor);
      if (together === undefined) this.#formsByAnchor.set(anchor, [form]);
      else together.push(form);
    }
    return { forms, holders: 1 };
  }

  #release(value: string): void {
    const secret = this.#secrets.get(value);
    if (secret === undefined) return;
    secret.holders -= 1;
    if (secret.holders > 0) return;
    this.#secrets.delete(value);
    for (const form of secret.forms) {
      const anchor = anchorOf(form);
      this.#filter[slotOf(anchor)] = (this.#filter[slotOf(anchor)] ?? 1) - 1;
      const others = this.#formsByAnchor.get(anchor)?.filter((each) => each !== form) ?? [];
      if (others.length === 0) this.#formsByAnchor.delete(anchor);
      else this.#formsByAnchor.set(anchor, others);
    }
  }

  #find(text: string): Range[] {
    const found: Range[] = [];
    let anchor = 0;
    for (let index = 0; index < text.length; index += 1) {
      anchor = shiftIn(anchor, text.charCodeAt(index));
      if (this.#filter[slotOf(anchor)] === 0) continue;
      for (const form of this.#formsByAnchor.get(anchor) ?? []) {
        const start = index + 1 - form.anchorEnd;
        if (start >= 0 && text.startsWith(form.text, start)) {
          found.push({ start, end: start + form.text.length });
        }
      }
    }
    return found;
  }

  #redactValue(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        return this.redact(value);
      case "number":
      case "bigint": {
        const text = String(value);
        const redacted = this.redact(text);
        return redacted === text ? value : redacted;
      }
      case "object":
        if (Array.isArray(value)) return this.#redactList(value);
        return isPlain(value) ? this.#redactMembers(value) : value;
      default:
        return value;
    }
  }

  #redactList(list: readonly unknown[]): readonly unknown[] {
    const redacted = list.map((each) => this.#redactValue(each));
    return redacted.some((each, index) => !Object.is(each, list[index])) ? redacted : list;
  }

  #redactMembers(members: object): object {
    let isChanged = false;
    const redacted = Object.entries(members).map(([name, value]: [string, unknown]): [string, unknown] => {
      const entry: [string, unknown] = [this.redact(name), this.#redactValue(value)];
      isChanged ||= entry[0] !== name || !Object.is(entry[1], value);
      return entry;
    });
    return isChanged ? Object.fromEntries(redacted) : members;
  }
}

/** The last four characters as one number: a fifth is shifted out. */
function shiftIn(anchor: number, code: number): number {
  return (anchor << 8) ^ code;
}

function anchorOf({ text, anchorEnd }: Form): number {
  let anchor = 0;
  for (let index = anchorEnd - 4; index < anchorEnd; index += 1) {
    anchor = shiftIn(anchor, text.charCodeAt(index));
  }
  return anchor;
}

function slotOf(anchor: number): number {
  // A multiplication by an odd number with many bits spreads what differs in a few low ones.
  return Math.imul(anchor, 0x9e3779b1) >>> (32 - filterBits);
}

/** Secrets may overlap or hold each other: nothing of any of them stays. */
function withoutRanges(text: string, ranges: readonly Range[]): string {
  let kept = "";
  let position = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (start >= position) kept += text.slice(position, start) + REDACTED;
    position = Math.max(position, end);
  }
  return kept + text.slice(position);
}

function isPlain(value: object | null): value is object {
  if (value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
