// Queries, headers and bodies of terminals: accepted values, and refusals with a reason.
import { describe, expect, it } from "vitest";
import { HostError } from "./host-error.ts";
import { LIMITS } from "./limits.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { readRequest, type RawRequest } from "./request.ts";

const key = { key: "agent:shell:acp:550e8400-e29b-41d4-a716-446655440000" };
const id = { id: "t1" };
const {
  chat,
  closeSession,
  listSessions,
  listTerminals,
  readTerminal,
  resizeTerminal,
  resolveApproval,
  streamEvents,
  streamTerminal,
  writeTerminal,
} = OPERATIONS;

function refusal(operation: Operation, request: RawRequest): string {
  try {
    readRequest(operation, request);
  } catch (error) {
    if (error instanceof HostError && error.code === "INVALID_REQUEST") return error.message;
    throw error;
  }
  throw new Error("The request was taken");
}

describe("[A42] queries and headers", () => {
  it("[A42] are read as numbers and flags, and are not needed", () => {
    expect(readRequest(streamEvents, { params: key })).toMatchObject({ query: {}, headers: {} });
    expect(
      readRequest(streamEvents, {
        params: key,
        query: { after: "12", turn: "turn-1" },
        headers: { "last-event-id": "13", accept: "*/*" },
      }),
    ).toMatchObject({
      query: { after: { seq: 12 }, turn: "turn-1" },
      headers: { "last-event-id": { seq: 13 } },
    });
    const inEntry = readRequest(streamEvents, { params: key, query: { after: "12.3" } });
    expect(inEntry.query.after).toEqual({ seq: 12, events: 3 });
    expect(readRequest(readTerminal, { params: id, query: { limitBytes: "0" } }).query).toEqual({
      limitBytes: 0,
    });
    expect(readRequest(listSessions, {}).query).toEqual({ closed: false });
    expect(readRequest(listSessions, { query: { closed: "true" } }).query).toEqual({ closed: true });
    expect(readRequest(closeSession, { params: key, query: { purge: "true" } }).query).toEqual({
      purge: true,
    });
  });

  it.each(["", "-1", "1.0", "1.", "1.2.3", "1e3", " 1", "0x1", "one", "99999999999999999"])(
    "[A42] %j is no number to resume from",
    (after) => {
      expect(refusal(streamEvents, { params: key, query: { after } })).toContain("after must be");
      expect(refusal(streamTerminal, { params: id, query: { after } })).toContain("after must be");
      const headers = { "last-event-id": after };
      expect(refusal(streamTerminal, { params: id, headers })).toContain("last-event-id must be");
    },
  );

  it("[A42] what is beyond a limit or means nothing is named", () => {
    const limitBytes = String(LIMITS.terminalTextBytes + 1);
    expect(refusal(readTerminal, { params: id, query: { limitBytes } })).toBe(
      `limitBytes must be at most ${LIMITS.terminalTextBytes}.`,
    );
    expect(refusal(listTerminals, { query: { session: "" } })).toBe("session must not be empty.");
    expect(refusal(streamEvents, { params: key, query: { turn: "" } })).toBe("turn must not be empty.");
    expect(refusal(listSessions, { query: { closed: "perhaps" } })).toBe("closed must be true or false.");
  });
});

describe("[A44] a message's name", () => {
  const body = '{"message":"hi"}';

  it.each(["a", "~".repeat(LIMITS.idempotencyKeyLength), "550e8400-e29b-41d4-a716-446655440000"])(
    "[A44] may be %s",
    (name) => {
      const headers = { "idempotency-key": name };
      expect(readRequest(chat, { params: key, body, headers }).headers).toEqual(headers);
    },
  );

  it.each(["", "two words", "é", "tab\t", "x".repeat(LIMITS.idempotencyKeyLength + 1)])(
    "[A44] may not be %j",
    (name) => {
      expect(refusal(chat, { params: key, body, headers: { "idempotency-key": name } })).toBe(
        "idempotency-key must be 1 to 200 visible ASCII characters.",
      );
    },
  );
});

describe("[A54] what a terminal is given", () => {
  const input = (body: object): RawRequest => ({ params: id, body: JSON.stringify(body) });

  it("[A54] is text, or bytes in base64", () => {
    expect(readRequest(writeTerminal, input({ text: "ls\r" })).body).toEqual({ text: "ls\r" });
    expect(readRequest(writeTerminal, input({ bytes: "AP8=" })).body).toEqual({ bytes: "AP8=" });
  });

  it.each([
    [{}, "The body must have text or bytes, and not both."],
    [{ text: "a", bytes: "AA==" }, "The body must have text or bytes, and not both."],
    [{ bytes: "?" }, "bytes must be base64."],
    [{ text: 1 }, "text must be a string, not a number."],
    [
      { text: "x".repeat(LIMITS.terminalInputLength + 1) },
      `text must have at most ${LIMITS.terminalInputLength} characters.`,
    ],
  ])("[A54] is refused otherwise: case %#", (body, sentence) => {
    expect(refusal(writeTerminal, input(body))).toBe(sentence);
  });

  it.each([
    [{ cols: 0, rows: 24 }, "cols must be at least 1."],
    [{ cols: 80, rows: 65_536 }, "rows must be at most 65535."],
    [{ cols: 80.5, rows: 24 }, "cols must be a whole number."],
    [{ cols: 80 }, "rows is required."],
  ])("[A54] is a size of whole cells: case %#", (body, sentence) => {
    expect(refusal(resizeTerminal, input(body))).toBe(sentence);
  });
});

describe("[A51] an answer to an approval", () => {
  it("[A51] names an option, in either spelling", () => {
    const read = (body: string): unknown => readRequest(resolveApproval, { params: id, body }).body;
    expect(read('{"optionId":"o"}')).toEqual({ optionId: "o" });
    expect(read('{"option_id":"o"}')).toEqual({ optionId: "o" });
    expect(refusal(resolveApproval, { params: id, body: '{"optionId":""}' })).toBe(
      "optionId must not be empty.",
    );
  });
});
