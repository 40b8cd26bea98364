// Messages read by repetition mean what they mean when they are parsed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RepeatedText } from "./repeated-text.ts";

interface Params {
  readonly id: string;
  readonly piece: { readonly text: string; readonly note?: string };
}

const makeReader = (): RepeatedText =>
  new RepeatedText({
    method: "piece",
    read: (params) => (params as Params).piece.text,
    handle: () => {},
  });

/** The parameters that a message has by repetition. */
function match(reader: RepeatedText, message: string): Params | undefined {
  const bytes = new TextEncoder().encode(`##${message}##`);
  const end = bytes.length - 2;
  const text = reader.resembles(bytes, 2, end) ? reader.read(bytes, 2, end) : undefined;
  const params = reader.params as Params;
  return text === undefined ? undefined : { ...params, piece: { ...params.piece, text } };
}

const messageOf = (params: Params): string => JSON.stringify({ jsonrpc: "2.0", method: "piece", params });

describe("a repeated text", () => {
  it("[J25] is read without parsing the rest, escapes included", () => {
    const reader = makeReader();
    reader.learn(messageOf({ id: "a", piece: { text: "first" } }), { id: "a", piece: { text: "first" } });
    for (const text of [
      "second",
      "",
      'with "quotes" \\ and\nnewlines \u0001 \u2028 😀',
      "x".repeat(100_000),
    ]) {
      expect(match(reader, messageOf({ id: "a", piece: { text } }))).toEqual({
        id: "a",
        piece: { text },
      });
    }
  });

  it("[J25] does not stand for a message that differs elsewhere", () => {
    const reader = makeReader();
    const params = { id: "a", piece: { text: "first" } };
    reader.learn(messageOf(params), params);
    expect(match(reader, messageOf({ id: "b", piece: { text: "first" } }))).toBeUndefined();
    expect(match(reader, messageOf({ id: "a", piece: { text: "x", note: "y" } }))).toBeUndefined();
    expect(match(reader, '{"jsonrpc":"2.0"}')).toBeUndefined();
    expect(match(reader, messageOf(params).replace("first", 'a","note":"b'))).toBeUndefined();
    expect(match(reader, messageOf(params).replace("first", "a\nb"))).toBeUndefined();
  });

  it("[J25] learns nothing from a text that stands in the message twice", () => {
    const reader = makeReader();
    const params = { id: "same", piece: { text: "same" } };
    reader.learn(messageOf(params), params);
    expect(match(reader, messageOf(params))).toBeUndefined();
  });

  it("[J25] gives what JSON.parse gives, or nothing, for any messages in any order", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", '"', "\\", '","note":"', "id"));
    const params = fc.record({
      id: fc.constantFrom("a", "b"),
      piece: fc.record({ text, note: text }, { requiredKeys: ["text"] }),
    });
    fc.assert(
      fc.property(fc.array(params, { maxLength: 12 }), (all) => {
        const reader = makeReader();
        for (const each of all) {
          const message = messageOf(each);
          const parsed = (JSON.parse(message) as { params: unknown }).params;
          const matched = match(reader, message);
          if (matched === undefined) reader.learn(message, parsed);
          else expect(matched).toEqual(parsed);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
