// Session keys: made, taken apart, read from paths.
import { describe, expect, it } from "vitest";
import { decodeSessionKey, formatSessionKey, parseSessionKey } from "./session-key.ts";

const uuid = "550e8400-e29b-41d4-a716-446655440000";
const key = `agent:claude:acp:${uuid}`;

describe("session keys", () => {
  it("[P7] a key is agent:<handle>:acp:<uuid>, and comes apart again", () => {
    expect(formatSessionKey({ handle: "claude", uuid })).toBe(key);
    expect(parseSessionKey(key)).toEqual({ handle: "claude", uuid });
  });

  it.each(["", "claude", `agent::acp:${uuid}`, `agent:a:b:acp:${uuid}`, "agent:claude:acp:1", `${key} `])(
    "[P7] %j is the key of no session",
    (text) => {
      expect(parseSessionKey(text)).toBeUndefined();
    },
  );

  it("[P8] a key is read the same percent-encoded, decoded by the router, or encoded in part", () => {
    expect(decodeSessionKey(encodeURIComponent(key))).toBe(key);
    expect(decodeSessionKey(key)).toBe(key);
    expect(decodeSessionKey(`agent%3aclaude:acp%3A${uuid}`)).toBe(key);
  });

  it("[P8] a broken escape is a key like any other, of no session", () => {
    expect(decodeSessionKey("agent%3")).toBe("agent%3");
    expect(parseSessionKey(decodeSessionKey("%E0%A4%A"))).toBeUndefined();
  });
});
