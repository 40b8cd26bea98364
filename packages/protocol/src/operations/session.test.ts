// The key of a session as paths carry it.
import { describe, expect, it } from "vitest";
import { sessionParamsSchema } from "./session.ts";

const uuid = "550e8400-e29b-41d4-a716-446655440000";
const key = `agent:claude:acp:${uuid}`;

function readKey(segment: string): string {
  return sessionParamsSchema.parse({ key: segment }).key;
}

describe("session keys in paths", () => {
  it("[P8] a key is read the same percent-encoded, decoded by the router, or encoded in part", () => {
    expect(readKey(encodeURIComponent(key))).toBe(key);
    expect(readKey(key)).toBe(key);
    expect(readKey(`agent%3aclaude:acp%3A${uuid}`)).toBe(key);
  });

  it("[P8] a broken escape is a key like any other, of no session", () => {
    expect(readKey("agent%3")).toBe("agent%3");
    expect(readKey("%E0%A4%A")).toBe("%E0%A4%A");
  });
});
