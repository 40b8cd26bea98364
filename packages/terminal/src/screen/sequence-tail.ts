// The length of an incomplete sequence or character at the end of a stream.
import { VtParser, type VtSink } from "../view/vt-parser.ts";

const ESC = 0x1b;
const deaf: VtSink = {
  printAscii: () => {},
  print: () => true,
  repeat: () => {},
  execute: () => {},
  escape: () => {},
  control: () => {},
};

/** Follows a stream, chunk by chunk. */
export class SequenceTail {
  #parser = new VtParser(deaf);
  #bytes = 0;

  /** The number of bytes at the end that mean nothing before more have come. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    const escape = chunk.lastIndexOf(ESC);
    const from = Math.max(escape, 0);
    // An ESC ends whatever was before it, so only what follows the last one counts.
    const resume = escape === -1 ? this.#parser : new VtParser(deaf);
    const wasIdle = resume.isIdle;
    const carried = wasIdle ? 0 : this.#bytes;
    resume.parse(chunk, from, chunk.length);
    this.#parser = resume;
    if (resume.isIdle) this.#bytes = 0;
    else this.#bytes = wasIdle ? lengthOfTail(chunk, from) : carried + chunk.length;
  }
}

/** Where the last thing begins, in bytes from the end, when the first began at `from`. */
function lengthOfTail(chunk: Uint8Array, from: number): number {
  const parser = new VtParser(deaf);
  let begin = from;
  for (let index = from; index < chunk.length; index++) {
    if (parser.isIdle) begin = index;
    parser.parse(chunk, index, index + 1);
  }
  return chunk.length - begin;
}
