// Envelope of a message: the exact text of its id, also where only its head is there, and how deep it is nested.

interface EnvelopeOutline {
  /** The JSON text of `id`, digit for digit. */
  idText: string | undefined;
  hasMethod: boolean;
  hasOutcome: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const BRACKET_OPEN = 91;
const BRACKET_CLOSE = 93;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

function endOfString(text: string, openingQuote: number): number {
  let index = openingQuote + 1;
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) break;
    if (unit === BACKSLASH) index += 1;
  }
  return index;
}

/** Finds the top-level members that identify a message, in text that may be cut off anywhere. */
export function outlineEnvelope(text: string): EnvelopeOutline {
  const outline: EnvelopeOutline = { idText: undefined, hasMethod: false, hasOutcome: false };
  let depth = 0;
  let key: string | undefined;
  let valueStart = 0;
  const endMember = (end: number): void => {
    if (depth === 1 && key === "id") outline.idText = text.slice(valueStart, end).trim();
    if (depth === 1) key = undefined;
  };
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE: {
        const end = endOfString(text, index);
        if (depth === 1 && key === undefined) key = text.slice(index + 1, end);
        index = end;
        break;
      }
      case COLON:
        if (depth !== 1) break;
        valueStart = index + 1;
        outline.hasMethod ||= key === "method";
        outline.hasOutcome ||= key === "result" || key === "error";
        break;
      case COMMA:
        endMember(index);
        break;
      case BRACE_OPEN:
      case BRACKET_OPEN:
        depth += 1;
        break;
      case BRACE_CLOSE:
      case BRACKET_CLOSE:
        endMember(index);
        depth -= 1;
        break;
      default:
    }
  }
  return outline;
}

/** The JSON text with which to answer an id: kept digit for digit where a JavaScript number would round it. */
export function textOfId(id: string | number | null, messageText: string): string {
  if (typeof id !== "number" || Number.isSafeInteger(id)) return JSON.stringify(id);
  return outlineEnvelope(messageText).idText ?? JSON.stringify(id);
}

/** Whether a value has more than `maxLevels` objects and arrays inside each other. Goes level by level: recursion would exhaust the stack. */
export function isNestedDeeper(root: unknown, maxLevels: number): boolean {
  let level = [root].filter(isContainer);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxLevels) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const value of Object.values(container) as unknown[]) if (isContainer(value)) next.push(value);
    }
    level = next;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
