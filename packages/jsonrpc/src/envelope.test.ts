// The outline of a message's text: exact ids, and what a cut-off head still shows.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outlineEnvelope, textOfId } from "./envelope.ts";

describe("outlineEnvelope", () => {
  it("[J6] finds the id of any message, whatever its other members hold", () => {
    const id = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    fc.assert(
      fc.property(id, fc.jsonValue(), fc.jsonValue(), fc.nat(4), (value, before, after, indent) => {
        const text = JSON.stringify(
          { before, id: value, after: { id: 1, list: [{ id: 2 }, after] } },
          null,
          indent,
        );
        expect(outlineEnvelope(text).idText).toBe(JSON.stringify(value));
      }),
    );
  });

  it("[J3] distinguishes requests from responses in a head that is cut off anywhere", () => {
    const text = '{"jsonrpc":"2.0","id":12,"method":"x","params":{"result":"\\"method\\":1"';
    expect(outlineEnvelope(text)).toEqual({ idText: "12", hasMethod: true, hasOutcome: false });
    expect(outlineEnvelope('{"id":"a,b","result":{"method":')).toEqual({
      idText: '"a,b"',
      hasMethod: false,
      hasOutcome: true,
    });
    expect(outlineEnvelope('{"params":"\\"id\\":5,\\"method\\":')).toEqual({
      idText: undefined,
      hasMethod: false,
      hasOutcome: false,
    });
  });

  it("[J6] keeps the digits of an id that a number cannot hold", () => {
    const text = '{"jsonrpc":"2.0", "id" : 9007199254740993 ,"method":"x"}';
    expect(textOfId(Number("9007199254740993"), text)).toBe("9007199254740993");
    expect(textOfId(Number.POSITIVE_INFINITY, '{"id":1e400}')).toBe("1e400");
    expect(textOfId(-1.5, '{"id":-1.5}')).toBe("-1.5");
  });
});
