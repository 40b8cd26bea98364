// Reads server-sent events from the bytes of a stream, as the standard has it: https://html.spec.whatwg.org/#parsing-an-event-stream
import { HoldfastError } from "./error.ts";

/** Fields between two blank lines; a member is absent where its field was. */
export interface SseFrame {
  readonly event?: string;
  readonly data?: string;
  /** The id of this very frame; that of an earlier one is not repeated here. */
  readonly id?: string;
}

type Fields = { -readonly [Name in keyof SseFrame]: SseFrame[Name] };

/** A frame that is longer comes from no host of ours; to gather it on would fill the memory. */
const maxFrameCharacters = 64 * 1024 * 1024;

/** Turns chunks of bytes, cut anywhere, into frames. One parser reads one stream; half a frame at its end is nothing. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end is still to come. It is searched once, however many chunks it takes. */
  #line = "";
  #fields: Fields = {};
  #isAfterCarriageReturn = false;
  #frameCharacters = 0;
  #retryMs: number | undefined;

  /** How soon the host wants to be asked again, if it has said so. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** The frames that this chunk completes. */
  push(chunk: Uint8Array): SseFrame[] {
    const frames: SseFrame[] = [];
    const text = this.#decode(chunk);
    let start = 0;
    for (const { 0: lineEnd, index } of text.matchAll(/\r\n|\r|\n/g)) {
      this.#takeLine(this.#line + text.slice(start, index), frames);
      this.#line = "";
      start = index + lineEnd.length;
    }
    this.#line += text.slice(start);
    this.#checkSize(this.#line.length);
    return frames;
  }

  #decode(chunk: Uint8Array): string {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return "";
    // A CR LF that the chunks took apart is one end of a line, not two.
    const rest = this.#isAfterCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#isAfterCarriageReturn = text.endsWith("\r");
    return rest;
  }

  #takeLine(line: string, frames: SseFrame[]): void {
    if (line === "") {
      const { data, id } = this.#fields;
      if (data !== undefined || id !== undefined) frames.push(this.#fields);
      this.#fields = {};
      this.#frameCharacters = 0;
      return;
    }
    this.#checkSize(line.length);
    this.#frameCharacters += line.length;
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    this.#takeField(name, value);
  }

  #takeField(name: string, value: string): void {
    const fields = this.#fields;
    switch (name) {
      case "event":
        fields.event = value;
        break;
      case "data":
        fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
        break;
      case "id":
        if (!value.includes("\0")) fields.id = value;
        break;
      case "retry":
        if (/^\d{1,5}$/.test(value)) this.#retryMs = Number(value);
        break;
      default:
        // Comments have no name, and other fields are to be ignored.
        break;
    }
  }

  #checkSize(lineCharacters: number): void {
    if (this.#frameCharacters + lineCharacters <= maxFrameCharacters) return;
    throw new HoldfastError("INVALID_RESPONSE", "The host sent an event that is too large to be one.");
  }
}
