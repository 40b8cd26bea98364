// Keyed input of one run: how much of it was taken, by writer, so that input which is sent again is typed once (K740).
import type { InputKey } from "../process/port.ts";
import { FrameError } from "./frame.ts";

/** A piece of keyed input. */
export interface KeyedPiece extends InputKey {
  /** The offset of the piece in the input of its key. */
  readonly at: number;
}

/** Writers that are remembered; the one that has been silent longest is forgotten first. */
const maxWriters = 256;

/** The last key of each writer, and the bytes of its input that were taken. */
export class InputKeys {
  readonly #last = new Map<string, { readonly number: number; readonly endBytes: number }>();

  /** How many of a piece's first bytes were taken before. */
  repeatedBytes({ writer, number, at }: KeyedPiece, sizeBytes: number): number {
    const last = this.#last.get(writer);
    if (last === undefined || number > last.number) return 0;
    if (number < last.number) return sizeBytes;
    return Math.min(Math.max(last.endBytes - at, 0), sizeBytes);
  }

  /** A piece was taken. */
  note({ writer, number, at }: KeyedPiece, sizeBytes: number): void {
    const last = this.#last.get(writer);
    if (last !== undefined && number < last.number) return;
    const takenBytes = last?.number === number ? last.endBytes : 0;
    this.#last.delete(writer);
    this.#last.set(writer, { number, endBytes: Math.max(takenBytes, at + sizeBytes) });
    if (this.#last.size <= maxWriters) return;
    const [oldest] = this.#last.keys();
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}

const numberBytes = 8;
const atBytes = 4;

/** The head of a keyed piece: the length of the writer's name, the name, the number, and the offset. */
export function encodeKey({ writer, number, at }: KeyedPiece): Buffer {
  const name = Buffer.from(writer, "utf8");
  const head = Buffer.allocUnsafe(1 + name.length + numberBytes + atBytes);
  head.writeUInt8(name.length, 0);
  name.copy(head, 1);
  head.writeDoubleBE(number, 1 + name.length);
  head.writeUInt32BE(at, 1 + name.length + numberBytes);
  return head;
}

/** A keyed piece and its bytes; throws a `FrameError` when they are none. */
export function decodeKey(payload: Buffer): { piece: KeyedPiece; bytes: Buffer } {
  const nameEnd = 1 + (payload[0] ?? 0);
  const end = nameEnd + numberBytes + atBytes;
  if (payload.length < end) throw new FrameError("keyed input without its key");
  const writer = payload.toString("utf8", 1, nameEnd);
  const piece = {
    writer,
    number: payload.readDoubleBE(nameEnd),
    at: payload.readUInt32BE(nameEnd + numberBytes),
  };
  return { piece, bytes: payload.subarray(end) };
}
