// The text that a running turn keeps in memory: above its limit the oldest goes, and is read from storage (M242).
import {
  type ActiveTurn,
  type ChatAction,
  type PartId,
  type TurnId,
  findTextPart,
  turnParts,
} from "@holdfast/ahp";

/** Counts the text of the running turn, and says what to leave out of its state. */
export class TurnText {
  readonly #limitBytes: number;
  /** How much is retained of each part, oldest first; parts without retained text are not listed. */
  readonly #retainedBytes = new Map<PartId, number>();
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes note of an action that was applied; `turn` is the running turn after it. */
  note(action: ChatAction, turn: () => ActiveTurn | undefined): void {
    switch (action.type) {
      case "chat/delta":
      case "chat/reasoning":
        this.#add(action.partId, action.content);
        return;
      case "chat/responsePart":
        if (action.part.kind === "markdown" || action.part.kind === "reasoning") {
          this.#add(action.part.id, action.part.content);
        }
        return;
      case "chat/turnStarted":
      case "chat/turnResume":
        this.#count(turn());
        break;
      default:
    }
  }

  /** Whether `trim` has something to leave out. */
  get isAboveLimit(): boolean {
    return this.#totalBytes > this.#limitBytes;
  }

  /** The actions that remove the oldest text, down to a quarter of the limit: so a character is seldom copied more than once. */
  *trim(turnId: TurnId, turn: () => ActiveTurn | undefined): Generator<ChatAction> {
    for (const [partId, sizeBytes] of this.#retainedBytes) {
      const excessBytes = this.#totalBytes - this.#limitBytes / 4;
      if (excessBytes <= 0) return;
      const content = findTextPart(turn(), partId)?.content ?? "";
      const share = Math.min(1, excessBytes / sizeBytes);
      const charCount = wholeCharacters(content, Math.ceil(content.length * share));
      const leftBytes = content.length - charCount;
      this.#totalBytes -= sizeBytes - leftBytes;
      if (leftBytes === 0) this.#retainedBytes.delete(partId);
      else this.#retainedBytes.set(partId, leftBytes);
      if (charCount > 0) yield { type: "chat/textOmitted", turnId, partId, charCount };
    }
  }

  #add(partId: PartId, content: string): void {
    // By its length: to count the bytes of UTF-8 would join each text that came in pieces, for every update.
    const sizeBytes = content.length;
    this.#retainedBytes.set(partId, (this.#retainedBytes.get(partId) ?? 0) + sizeBytes);
    this.#totalBytes += sizeBytes;
  }

  #count(turn: ActiveTurn | undefined): void {
    this.#retainedBytes.clear();
    this.#totalBytes = 0;
    for (const part of turn === undefined ? [] : turnParts(turn)) {
      if (part.kind === "markdown" || part.kind === "reasoning") this.#add(part.id, part.content);
    }
  }
}

/** A count that does not end between the two halves of a character. */
function wholeCharacters(content: string, charCount: number): number {
  const isSplit = charCount < content.length && (content.codePointAt(charCount - 1) ?? 0) > 0xffff;
  return isSplit ? charCount + 1 : charCount;
}
