// Session keys: made, taken apart, refused.
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeId } from "../ids.ts";
import { AGENT_NAME_PATTERN, formatSessionKey, mayNameSession, parseSessionKey } from "./session-key.ts";

const uuid = "550e8400-e29b-41d4-a716-446655440000";
const key = `agent:claude:acp:${uuid}`;

test.each([uuid, "550e8400", "hfUJr9uFOGK_uHSffNYjKQ", "a.b~c-d"])(
  "[P7, M33] a session key carries the handle and the id %s, and comes apart again",
  (id) => {
    const parts = { handle: "claude", sessionId: makeId("session", id) };
    expect(formatSessionKey(parts)).toBe(`agent:claude:acp:${id}`);
    expect(parseSessionKey(`agent:claude:acp:${id}`)).toEqual(parts);
  },
);

test.each([
  "",
  "claude",
  "agent:claude:acp:",
  "agent::acp:1",
  "agent:a:acp:1:2",
  "x agent:a:acp:1",
  `agent::acp:${uuid}`,
  `agent:a:b:acp:${uuid}`,
  `agent:my agent:acp:${uuid}`,
  `agent:-a:acp:${uuid}`,
  "agent:claude:acp:50%",
  "agent:claude:acp:a/b",
  `${key} `,
  `${key}\n`,
])("[P7, M33] %j is the key of no session", (text) => {
  expect(parseSessionKey(text)).toBeUndefined();
});

test("[P7] exactly the keys made from an agent's name and an id that a client may choose come apart", () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "Z", "0", ".", "_", "~", "-", ":", "%", "/", " ", "\u00e9") }),
    fc.string({ unit: "binary" }),
    fc.uuid(),
  );
  fc.assert(
    fc.property(piece, piece, (handle, id) => {
      const isKey = AGENT_NAME_PATTERN.test(handle) && mayNameSession(id);
      const parsed = parseSessionKey(`agent:${handle}:acp:${id}`);
      expect(parsed).toEqual(isKey ? { handle, sessionId: id } : undefined);
    }),
  );
});

test("[P8] no key changes when it is percent-encoded and decoded once more than needed", () => {
  const id = fc.string({ unit: "binary-ascii", minLength: 1 }).filter(mayNameSession);
  fc.assert(
    fc.property(id, (sessionId) => {
      const made: string = formatSessionKey({ handle: "a", sessionId: makeId("session", sessionId) });
      expect(decodeURIComponent(decodeURIComponent(encodeURIComponent(made)))).toBe(made);
    }),
  );
});
