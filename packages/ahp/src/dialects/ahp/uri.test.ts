// Shows the URIs that dialects write: files, edits, and the seed's names for channels.
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeId } from "../../model/ids.ts";
import { v0_1 } from "../v0_1/v0-1.ts";
import { v1_0 } from "../v1_0/v1-0.ts";
import { editUri, fileUri, parseEditUri } from "./uri.ts";

test.each([
  ["/home/ada", "file:///home/ada"],
  ["/home/ada lovelace/50%", "file:///home/ada%20lovelace/50%25"],
  ["file:///home/ada", "file:///home/ada"],
  ["C:\\work\\a b", "file:///C:/work/a%20b"],
  ["vscode-remote://host/w", "vscode-remote://host/w"],
])("[E8] %s is written as %s", (path, uri) => {
  expect(fileUri(path)).toBe(uri);
});

test("[E12] the URI of an edit names exactly one text", () => {
  const names = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(
    fc.property(names, names, names, fc.nat(999_999), fc.constantFrom("before", "after"), (...given) => {
      const [chat, turnId, toolCallId, index, side] = given;
      const address = {
        chat: makeId("chat URI", chat),
        turnId: makeId("turn", turnId),
        toolCallId: makeId("tool call", toolCallId),
        index,
        side,
      };
      expect(parseEditUri(editUri(address))).toEqual(address);
    }),
  );
});

test.each([
  "x-holdfast-edit:/",
  "x-holdfast-edit:/YQ/YQ/YQ/0",
  "x-holdfast-edit:/YQ/YQ/YQ/0/aside",
  "x-holdfast-edit:/YQ/YQ/YQ/-1/before",
  "x-holdfast-edit:/YQ/YQ/YQ/0/before/more",
  "x-holdfast-edit:/!/YQ/YQ/0/before",
  "file:///home/ada",
])("[E12] %s is no edit of ours", (uri) => {
  expect(parseEditUri(uri)).toBeUndefined();
});

const nowhere = (): boolean => false;

test("[E4] the seed's names for the root and for terminals that the host made lead back to them", () => {
  const minted = "ahp-terminal:/7f3a";
  expect(v0_1.showUri("ahp-root://")).toBe("agenthost:/root");
  expect(v0_1.readUri("agenthost:/root", nowhere)).toBe("ahp-root://");
  expect(v0_1.showUri(minted)).toBe("agenthost:/terminal/7f3a");
  expect(v0_1.readUri("agenthost:/terminal/7f3a", (uri) => uri === minted)).toBe(minted);
});

test.each(["copilot:/5", "agenthost:/terminal/mine", "agenthost-terminal:/1", "agenthost:/terminal/%"])(
  "[E4] %s, chosen by a client, is the same to everybody",
  (uri) => {
    for (const dialect of [v0_1, v1_0]) {
      expect(dialect.showUri(uri)).toBe(uri);
      expect(dialect.readUri(uri, (candidate) => candidate === uri)).toBe(uri);
      expect(dialect.readUri(uri, nowhere)).toBe(uri);
    }
  },
);
