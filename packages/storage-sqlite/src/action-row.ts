// One row of the log: an action, or several pieces of text that joined, and can be taken apart again.
import { channelModels, MODEL_VERSION, makeId, type Action, type ChannelKind } from "@holdfast/ahp";
import { StorageError, type ActionOrigin, type LogEntry, type StoredAction } from "@holdfast/core/ports";
import { maybeTextOf, numberOf, type SqlRow, textOf } from "./driver.ts";

type TextAction = Extract<Action, { type: "chat/delta" | "chat/reasoning" }>;

/** A piece of text in a row: its number and its length. */
interface Piece {
  readonly seq: number;
  readonly length: number;
}

/** A row that takes no more text beyond this: it fits one page, so rewriting it costs what a new row costs. */
const maxJoinedChars = 3000;

export class ActionRow {
  readonly seq: number;
  readonly atMs: number;
  readonly origin: ActionOrigin | undefined;
  #action: Action;
  #pieces: Piece[] = [];
  #grownChars = 0;

  constructor({ serverSeq, action, origin, atMs }: StoredAction | LogEntry) {
    this.seq = serverSeq;
    this.atMs = atMs;
    this.origin = origin;
    this.#action = action;
    if (isText(action)) this.#pieces = [{ seq: serverSeq, length: action.content.length }];
  }

  /** Reads a row back; one that a newer model wrote, or that is damaged, is an error. */
  static read(kind: ChannelKind, row: SqlRow): ActionRow {
    const serverSeq = numberOf(row, "seq");
    const action = readAction(kind, row);
    const origin = readOrigin(maybeTextOf(row, "origin"));
    const read = new ActionRow({ serverSeq, action, origin, atMs: numberOf(row, "at_ms") });
    const pieces = maybeTextOf(row, "pieces");
    if (pieces !== undefined) read.#pieces = decodePieces(serverSeq, pieces);
    return read;
  }

  /** The action of the whole row, with all its pieces. */
  get action(): Action {
    return this.#action;
  }

  get lastSeq(): number {
    return this.#pieces.at(-1)?.seq ?? this.seq;
  }

  get body(): string {
    return JSON.stringify(this.#action);
  }

  /** The numbers and lengths of the pieces, as differences; null for a row of one action. */
  get pieces(): string | null {
    if (this.#pieces.length < 2) return null;
    let before = this.seq;
    const numbers = this.#pieces.flatMap(({ seq, length }) => {
      const difference = seq - before;
      before = seq;
      return [difference, length];
    });
    return JSON.stringify(numbers);
  }

  /** Takes the next action of the channel into the row, if it can (D4). */
  join({ serverSeq, action, origin }: LogEntry): boolean {
    const mine = this.#action;
    if (!isText(mine) || !isText(action) || origin !== undefined || this.origin !== undefined) return false;
    if (mine.content.length + action.content.length > maxJoinedChars) return false;
    const both = channelModels.chat.merge(mine, action);
    if (both === undefined) return false;
    this.#action = both;
    this.#pieces.push({ seq: serverSeq, length: action.content.length });
    this.#grownChars += action.content.length;
    return true;
  }

  /** How much text has joined since the last call. */
  takeGrownChars(): number {
    const grownChars = this.#grownChars;
    this.#grownChars = 0;
    return grownChars;
  }

  /** The actions as they were applied. */
  split(): StoredAction[] {
    const { atMs, origin } = this;
    const whole = this.#action;
    if (!isText(whole) || this.#pieces.length < 2) {
      return [{ serverSeq: this.seq, action: whole, origin, atMs }];
    }
    let start = 0;
    return this.#pieces.map(({ seq, length }) => {
      const content = whole.content.slice(start, start + length);
      start += length;
      return { serverSeq: seq, action: { ...whole, content }, origin, atMs };
    });
  }
}

/** Refuses what a newer model wrote; an older one would be translated here. */
export function checkVersion(row: SqlRow): void {
  if (numberOf(row, "model_version") > MODEL_VERSION) {
    throw new StorageError("too_new", "A row was written by a newer Holdfast. Update this one.");
  }
}

function readAction(kind: ChannelKind, row: SqlRow): Action {
  checkVersion(row);
  const checked = channelModels[kind].checkAction(parseJson(textOf(row, "body")));
  if (checked.ok) return checked.value;
  throw new StorageError("damaged", `Action ${numberOf(row, "seq")} cannot be read: ${checked.problem}`);
}

function readOrigin(text: string | undefined): ActionOrigin | undefined {
  if (text === undefined) return undefined;
  const origin = parseJson(text) as { readonly clientId: string; readonly clientSeq: number };
  return { clientId: makeId("client", origin.clientId), clientSeq: origin.clientSeq };
}

function decodePieces(firstSeq: number, text: string): Piece[] {
  const numbers = parseJson(text) as readonly number[];
  const pieces: Piece[] = [];
  let seq = firstSeq;
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    seq += numbers[index] ?? 0;
    pieces.push({ seq, length: numbers[index + 1] ?? 0 });
  }
  return pieces;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StorageError("damaged", "A row holds no JSON.", { cause });
  }
}

function isText(action: Action): action is TextAction {
  return action.type === "chat/delta" || action.type === "chat/reasoning";
}
