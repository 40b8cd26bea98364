// The hash chain of an audit log: each entry's hash covers the entry and the hash before it.
import { hash } from "node:crypto";

/** The hash before the first entry. */
export const CHAIN_START = "0".repeat(64);

/** A place in a chain. */
export interface ChainLink {
  readonly id: number;
  readonly hash: string;
}

/** An entry as it is kept or exported: its number, its hash, and its own members. */
export interface ChainedRecord {
  readonly id: number;
  /** Absent where none was recorded, which breaks the chain. */
  readonly hash?: string | undefined;
}

/** A place where a chain does not hold. */
export interface ChainBreak {
  readonly id: number;
  readonly reason: string;
}

/** SHA-256, in hexadecimal, of the hash before, a line feed, and the entry with its number as canonical JSON. */
export function chainHash(previous: string, entry: object): string {
  return hash("sha256", `${previous}\n${canonicalJson(entry)}`);
}

/** JSON without spaces, members in the order of their names (by UTF-16 units), and those that are undefined left out. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const record = value as Readonly<Record<string, unknown>>;
  let members = "";
  for (const name of Object.keys(record).toSorted()) {
    const member = record[name];
    if (member === undefined) continue;
    members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Follows a chain from a place that is trusted, entry by entry. */
export class ChainCheck {
  readonly breaks: ChainBreak[] = [];
  #last: ChainLink;
  #count = 0;

  constructor(start: ChainLink) {
    this.#last = start;
  }

  /** The entry that was checked last. */
  get head(): ChainLink {
    return this.#last;
  }

  get count(): number {
    return this.#count;
  }

  add(record: ChainedRecord): void {
    const { hash: recorded, ...entry } = record;
    const last = this.#last;
    const reason = recorded === undefined ? unhashed : this.#findBreak(recorded, entry);
    if (reason !== undefined) this.breaks.push({ id: record.id, reason });
    this.#count += 1;
    // The chain continues from what was recorded, so that one change counts once.
    this.#last = { id: Math.max(last.id, record.id), hash: recorded ?? CHAIN_START };
  }

  #findBreak(recorded: string, entry: ChainedRecord): string | undefined {
    const { id, hash: previous } = this.#last;
    if (chainHash(previous, entry) === recorded) return undefined;
    if (entry.id <= id) return `it comes after entry ${id}: entries were put in another order`;
    if (entry.id === id + 1) return changed;
    const missing = entry.id === id + 2 ? `entry ${id + 1} is` : `entries ${id + 1} to ${entry.id - 1} are`;
    return `${missing} missing before it`;
  }
}

const unhashed = "it has no hash: it was added by another program, or its hash was removed";
const changed =
  "its hash does not fit: this entry, or the hash of the one before, was changed after it was recorded";
