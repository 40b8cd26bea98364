// Repeated texts that are handled as one mean what they mean one by one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { notification, openConnection } from "./testing/open-connection.ts";

interface Params {
  readonly id: string;
  readonly text: string;
}

/** A call of a handler: with a text that was read by repetition, or with a whole message. */
type Handled = { readonly kind: "text" | "whole"; readonly id: string; readonly text: string };

/** A connection that joins the texts of one id. */
function openJoining(joinedId = "a"): { push: (bytes: Uint8Array) => void; handled: Handled[] } {
  const handled: Handled[] = [];
  const { connection } = openConnection({
    notifications: {
      piece: (params) => void handled.push({ kind: "whole", ...(params as Params) }),
      other: () => void handled.push({ kind: "whole", id: "other", text: "" }),
    },
    repeatedText: {
      method: "piece",
      read: (params) => (params as Params).text,
      handle: (params, text) => void handled.push({ kind: "text", id: (params as Params).id, text }),
      joins: (params) => (params as Params).id === joinedId,
    },
  });
  return { push: (bytes) => connection.push(bytes), handled };
}

const encoder = new TextEncoder();
const piece = (id: string, text: string): object => notification("piece", { id, text });
const linesOf = (...messages: object[]): Uint8Array =>
  encoder.encode(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));

/** A line whose text is these bytes, whatever they are. */
function rawPiece(id: string, text: Uint8Array): Uint8Array {
  const [before = "", after = ""] = `${JSON.stringify(piece(id, "#"))}\n`.split("#");
  return Buffer.concat([encoder.encode(before), text, encoder.encode(after)]);
}

describe("joined texts", () => {
  it("[J440] are handled as one, before the message after them and before push returns", () => {
    const { push, handled } = openJoining();
    push(linesOf(piece("a", "first"), piece("a", "one "), piece("a", "two"), notification("other")));
    push(linesOf(piece("a", "three "), piece("a", ""), piece("a", "four")));
    expect(handled).toEqual([
      { kind: "whole", id: "a", text: "first" },
      { kind: "text", id: "a", text: "one two" },
      { kind: "whole", id: "other", text: "" },
      { kind: "text", id: "a", text: "three four" },
    ]);
  });

  it("[J440] are not made of texts that the options do not join", () => {
    const { push, handled } = openJoining("another");
    push(linesOf(piece("a", "first"), piece("a", "one"), piece("a", "two")));
    expect(handled.map(({ text }) => text)).toEqual(["first", "one", "two"]);
  });

  it("[J440] keep a byte order mark, and broken characters apart", () => {
    const { push, handled } = openJoining();
    const bytes = [[0x41], [0xef, 0xbb, 0xbf, 0x42], [0xc3], [0xa9], [0xe2, 0x82], [0x43]];
    push(Buffer.concat(bytes.map((each) => rawPiece("a", Uint8Array.from(each)))));
    expect(handled.map(({ text }) => text).join("")).toBe("A\ufeffB\ufffd\ufffd\ufffdC");
  });

  it("[J440] say together what the messages say one by one, for any bytes in any chunks", () => {
    const special = fc.constantFrom(
      0x22,
      0x5c,
      0x6e,
      0x00,
      0x1f,
      0x7f,
      0x80,
      0xc3,
      0xa9,
      0xe2,
      0xef,
      0xbb,
      0xbf,
    );
    const byte = fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), special);
    const text = fc.array(byte, { maxLength: 12 }).filter((bytes) => !bytes.includes(0x0a));
    const line = fc.oneof(
      { weight: 8, arbitrary: text.map((bytes) => rawPiece("a", Uint8Array.from(bytes))) },
      text.map((bytes) => rawPiece("b", Uint8Array.from(bytes))),
      fc.constant(linesOf(notification("other"))),
      fc.constant(encoder.encode("noise\n")),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.integer({ min: 1, max: 2000 }),
        (lines, chunkBytes) => {
          const { push, handled } = openJoining();
          push(linesOf(piece("a", "first")));
          const all = Buffer.concat(lines);
          for (let at = 0; at < all.length; at += chunkBytes) push(all.subarray(at, at + chunkBytes));
          expect(joinNeighbours(handled)).toEqual(
            joinNeighbours([{ kind: "whole", id: "a", text: "first" }, ...lines.flatMap(parse)]),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** The calls that a line makes when it is parsed; none for noise. */
function parse(line: Uint8Array): Handled[] {
  try {
    const { method, params } = JSON.parse(new TextDecoder().decode(line)) as {
      method: string;
      params: Params;
    };
    const { id, text } = method === "other" ? { id: "other", text: "" } : params;
    return [{ kind: "whole", id, text }];
  } catch {
    return [];
  }
}

/** The texts of each id that follow each other, as one. */
function joinNeighbours(handled: readonly Handled[]): { id: string; text: string }[] {
  const joined: { id: string; text: string }[] = [];
  for (const { id, text } of handled) {
    const last = joined.at(-1);
    if (last?.id === id && id === "a") last.text += text;
    else joined.push({ id, text });
  }
  return joined;
}
