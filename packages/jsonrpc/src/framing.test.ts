// Message framing: one message per frame, in and out.
import { describe, expect, it } from "vitest";
import { joinChunks, messageFraming } from "./framing.ts";
import { RawJson } from "./wire.ts";
import { failure, openConnection } from "./testing/open-connection.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("messageFraming", () => {
  it("[J5] takes a frame as text or bytes and ends an outgoing message with nothing", () => {
    const seen: unknown[] = [];
    const { connection, sink } = openConnection({
      framing: messageFraming(),
      notifications: { note: (params) => void seen.push(params) },
    });
    connection.push('{"jsonrpc":"2.0","method":"note","params":{"text":"line\\nbreak"}}');
    connection.push(encode('{\n"jsonrpc":"2.0",\n"method":"note","params":["é"]}'));
    expect(seen).toEqual([{ text: "line\nbreak" }, ["é"]]);
    connection.notify("note", { a: 1 });
    expect(sink.texts).toEqual(['{"jsonrpc":"2.0","method":"note","params":{"a":1}}']);
  });

  it("[J5] answers a frame that is not JSON with -32700 and one that is no object with -32600, id null", () => {
    const { connection, sink, warnings } = openConnection({ framing: messageFraming() });
    connection.push("{oops");
    connection.push("7");
    expect(sink.messages).toEqual([
      failure(null, -32700, "Parse error"),
      failure(null, -32600, "Invalid request"),
    ]);
    expect(warnings).toEqual([
      { kind: "invalid-message", text: "{oops" },
      { kind: "invalid-message", text: "7" },
    ]);
  });

  it("[J5] joins an outgoing message into one frame: text stays text, ready bytes make it bytes", () => {
    expect(joinChunks(['{"a":', "1}"])).toBe('{"a":1}');
    const { connection, sink } = openConnection({ framing: messageFraming() });
    connection.notify("note", new RawJson([encode('["é",'), encode("2]")]));
    const [chunks] = sink.writes;
    const frame = joinChunks(chunks ?? []);
    expect(frame).toBeInstanceOf(Uint8Array);
    expect(new TextDecoder().decode(frame as Uint8Array)).toBe(
      '{"jsonrpc":"2.0","method":"note","params":["é",2]}',
    );
  });
});
