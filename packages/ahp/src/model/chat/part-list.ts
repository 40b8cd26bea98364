// The parts of a running turn, found by their ids: adding, changing and finding one costs the same however many there are.
import { PersistentList } from "../persistent-list.ts";
import type { ResponsePart } from "./turn.ts";

/** Ids are unique among tool calls, among questions, and among all other parts. */
export type PartGroup = "toolCall" | "inputRequest" | "other";

/** Where each part stands. Lists that grew from each other share one; only the longest of them adds to it. */
interface PartIndex {
  readonly places: Map<string, number>;
  count: number;
}

/** An immutable list of parts. As JSON it is the plain list. */
export class PartList implements Iterable<ResponsePart> {
  /** Lists made from plain ones: the parts of a state that was read from JSON are needed more than once. */
  static readonly #made = new WeakMap<readonly ResponsePart[], PartList>();
  readonly #parts: PersistentList<ResponsePart>;
  readonly #index: PartIndex;
  #array: readonly ResponsePart[] | undefined;

  private constructor(parts: PersistentList<ResponsePart>, index: PartIndex) {
    this.#parts = parts;
    this.#index = index;
  }

  /** The parts as such a list; one that is such a list already is given as it is. */
  static of(parts: PartList | readonly ResponsePart[]): PartList {
    if (parts instanceof PartList) return parts;
    const known = PartList.#made.get(parts);
    if (known !== undefined) return known;
    const made = new PartList(PersistentList.from(parts), indexOf(parts));
    PartList.#made.set(parts, made);
    return made;
  }

  get length(): number {
    return this.#parts.length;
  }

  at(index: number): ResponsePart | undefined {
    return this.#parts.at(index);
  }

  append(part: ResponsePart): PartList {
    const index = this.#index.count === this.length ? this.#index : indexOf(this.#parts);
    index.places.set(keyOf(groupOf(part), idOf(part)), index.count);
    index.count += 1;
    return new PartList(this.#parts.append(part), index);
  }

  /** Puts a part with the same id in the place of another. */
  with(index: number, part: ResponsePart): PartList {
    return new PartList(this.#parts.with(index, part), this.#index);
  }

  /** Where the part with an id stands; -1 when there is none. */
  placeOf(group: PartGroup, id: string): number {
    const place = this.#index.places.get(keyOf(group, id));
    const part = place === undefined ? undefined : this.#parts.at(place);
    // The index may already hold parts that a later list has and this one has not.
    return part !== undefined && groupOf(part) === group && idOf(part) === id ? (place ?? -1) : -1;
  }

  [Symbol.iterator](): Iterator<ResponsePart> {
    return this.#parts[Symbol.iterator]();
  }

  /** A plain list, made once. */
  toArray(): readonly ResponsePart[] {
    this.#array ??= this.#parts.toArray();
    return this.#array;
  }

  toJSON(): readonly ResponsePart[] {
    return this.toArray();
  }
}

/** The id of a part, unique in its group. */
export function idOf(part: ResponsePart): string {
  switch (part.kind) {
    case "markdown":
    case "reasoning":
    case "contentRef":
      return part.id;
    case "systemNotification":
      return part.notice.id;
    case "toolCall":
      return part.toolCall.toolCallId;
    case "inputRequest":
      return part.request.id;
  }
}

function indexOf(parts: Iterable<ResponsePart>): PartIndex {
  const index: PartIndex = { places: new Map(), count: 0 };
  for (const part of parts) {
    index.places.set(keyOf(groupOf(part), idOf(part)), index.count);
    index.count += 1;
  }
  return index;
}

function groupOf({ kind }: ResponsePart): PartGroup {
  return kind === "toolCall" || kind === "inputRequest" ? kind : "other";
}

function keyOf(group: PartGroup, id: string): string {
  return `${group} ${id}`;
}
