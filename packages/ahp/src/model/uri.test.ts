// Ids and URIs are read back as they were made.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import { makeId } from "./ids.ts";
import {
  ROOT_URI,
  agentSessionUri,
  chatUri,
  defaultChatUri,
  parseChannelUri,
  sessionIdIn,
  sessionUri,
  terminalUri,
} from "./uri.ts";

const names = fc.string({ minLength: 1, unit: "grapheme" });

describe("[M33] a URI that the host made is read back", () => {
  test("as the root", () => {
    expect(parseChannelUri(ROOT_URI)).toEqual({ kind: "root" });
  });

  test("as the session, chat or terminal that it names", () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(parseChannelUri(sessionUri(makeId("session", name)))).toEqual({
          kind: "session",
          sessionId: name,
        });
        expect(parseChannelUri(chatUri(makeId("chat", name)))).toEqual({ kind: "chat", chatId: name });
        expect(parseChannelUri(terminalUri(makeId("terminal", name)))).toEqual({
          kind: "terminal",
          terminalId: name,
        });
      }),
    );
  });

  test("as the first chat of a session, whatever URI the session has", () => {
    fc.assert(
      fc.property(names, (name) => {
        const session = makeId("session URI", `copilot:/${name}`);
        expect(parseChannelUri(defaultChatUri(session))).toEqual({ kind: "default-chat", session });
      }),
    );
  });
});

test("[M33] the first chat of a session has the URI that editors compute", () => {
  const session = makeId("session URI", "copilot:/4f1c");
  expect(defaultChatUri(session)).toBe(
    `ahp-chat://default/${Buffer.from("copilot:/4f1c").toString("base64url")}`,
  );
});

test.each([
  "",
  "copilot:/4f1c",
  "ahp-session:/",
  "ahp-session:/a/b",
  "ahp-terminal:/%",
  "ahp-chat://default/",
  "ahp-chat://default/!",
  "ahp-root:/",
])("[M33] %j is no URI of ours", (uri) => {
  expect(parseChannelUri(uri)).toBeUndefined();
});

test("[M33] base64url is what Node makes of the same text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const encoded = Buffer.from(text, "utf8").toString("base64url");
      expect(encodeBase64Url(text)).toBe(encoded);
      expect(decodeBase64Url(encoded)).toBe(text);
    }),
  );
  expect(encodeBase64Url("\ud800")).toBe(encodeBase64Url("\ufffd"));
  expect(decodeBase64Url(Buffer.from([0xff, 0xfe]).toString("base64url"))).toBeUndefined();
});

test("[M33] an empty text names nothing", () => {
  expect(() => makeId("turn", "")).toThrow("The name of a turn must have at least one character.");
});

test.each([
  ["claude-cli", "claude-cli:/one"],
  ["My_Agent", "ahp-session:/one"],
  ["7up", "ahp-session:/one"],
  ["file", "ahp-session:/one"],
  ["ahp-root", "ahp-session:/one"],
])("[E801] the URI of a session of %s is %s", (provider, uri) => {
  expect(agentSessionUri(provider, makeId("session", "one"))).toBe(uri);
  expect(sessionIdIn(uri, provider)).toBe("one");
  expect(sessionIdIn("other:/one", provider)).toBeUndefined();
});
