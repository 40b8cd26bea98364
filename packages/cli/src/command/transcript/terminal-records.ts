// Reads what a terminal wrote, from the first byte that is kept to the last, as lines of a transcript.
import { isUtf8 } from "node:buffer";
import { HoldfastError, type Holdfast, type TerminalEvent } from "@holdfast/sdk";

export type TerminalRecord =
  /** Bytes from an offset on: as text where they are text, else in base64. */
  | { readonly type: "output"; readonly terminal: string; readonly offset: number; readonly text: string }
  | { readonly type: "output"; readonly terminal: string; readonly offset: number; readonly base64: string }
  /** The same without escape sequences, all at once, for a page to read; `isCut`: the newest of it. */
  | { readonly type: "text"; readonly terminal: string; readonly text: string; readonly isCut: boolean }
  /** Bytes that are no longer kept. */
  | {
      readonly type: "skipped";
      readonly terminal: string;
      readonly offset: number;
      readonly skippedBytes: number;
    }
  | { readonly type: "resized"; readonly terminal: string; readonly cols: number; readonly rows: number }
  | {
      readonly type: "exited";
      readonly terminal: string;
      readonly exit: Extract<TerminalEvent, { type: "exited" }>["data"]["exit"];
      readonly endOffset: number;
    };

/** As much as a host gives at once. */
const maxTextBytes = 16 * 1024 * 1024;

type OutputRecord = Extract<TerminalRecord, { type: "output" }>;

/** The lines of a terminal; of one that still runs, what it had written when the reading began. */
export async function* readTerminal(api: Holdfast, terminal: string): AsyncGenerator<TerminalRecord> {
  const running = (await api.terminals.list()).find(
    ({ id, lifecycle }) => id === terminal && lifecycle.status === "running",
  );
  const endOffset = running?.output.endOffset ?? Number.POSITIVE_INFINITY;
  if (endOffset === 0) return;
  const pieces = new Pieces(terminal);
  for await (const event of api.terminals.stream(terminal)) {
    if (event.type === "output") {
      const { offset, bytes } = event.data;
      yield* pieces.push(offset, bytes);
      if (offset + bytes.length >= endOffset) return yield* pieces.flush();
    } else {
      yield* pieces.flush();
      yield* recordsOf(terminal, event);
    }
  }
}

/** Output of a terminal without escape sequences, in one line; of long output, the end. */
export async function* readTerminalText(api: Holdfast, terminal: string): AsyncGenerator<TerminalRecord> {
  const output = await api.terminals.output(terminal, { limitBytes: maxTextBytes });
  const { text, truncated, lifecycle, endOffset } = output;
  yield { type: "text", terminal, text, isCut: truncated };
  if (lifecycle.status === "exited") yield { type: "exited", terminal, exit: lifecycle.exit, endOffset };
}

function recordsOf(terminal: string, event: Exclude<TerminalEvent, { type: "output" }>): TerminalRecord[] {
  switch (event.type) {
    case "skipped":
      return [{ type: event.type, terminal, ...event.data }];
    case "resized":
      return [{ type: event.type, terminal, ...event.data }];
    case "exited":
      return [{ type: event.type, terminal, ...event.data }];
    case "error":
      throw new HoldfastError(event.data.code, event.data.message);
    case "close":
      return [];
  }
}

/** Bytes as they come, cut between characters, so that text stays text. */
class Pieces {
  readonly #terminal: string;
  /** The beginning of a character whose rest has not come yet. */
  #rest: Uint8Array = new Uint8Array();
  #offset = 0;

  constructor(terminal: string) {
    this.#terminal = terminal;
  }

  push(offset: number, bytes: Uint8Array): OutputRecord[] {
    if (this.#rest.length === 0) this.#offset = offset;
    const all = Buffer.concat([this.#rest, bytes]);
    const wholeLength = all.length - cutLength(all);
    this.#rest = all.subarray(wholeLength);
    return this.#take(all.subarray(0, wholeLength));
  }

  /** What nothing more belongs to. */
  flush(): OutputRecord[] {
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    return this.#take(rest);
  }

  #take(bytes: Uint8Array): OutputRecord[] {
    if (bytes.length === 0) return [];
    const place = { type: "output", terminal: this.#terminal, offset: this.#offset } as const;
    this.#offset += bytes.length;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return [
      isUtf8(buffer)
        ? { ...place, text: buffer.toString("utf8") }
        : { ...place, base64: buffer.toString("base64") },
    ];
  }
}

/** How many bytes at the end begin a character of UTF-8 without ending it. */
function cutLength(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const characterLength = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return characterLength > length ? length : 0;
  }
  return 0;
}
