// The keys that leave a terminal.
import { expect, it } from "vitest";
import { DEFAULT_DETACH_KEYS, DetachKeys } from "./detach-keys.ts";

it("[C39] the key is found wherever it is typed, in every spelling, and everything before it gets through", () => {
  const keys = new DetachKeys(DEFAULT_DETACH_KEYS);
  expect(keys.name).toBe("Ctrl-]");
  expect(keys.push("ls é\r\u001B[A")).toEqual({ text: "ls é\r\u001B[A", isDetach: false });
  for (const spelling of ["\u001D", "\u001B[93;5u", "\u001B[27;5;93~"]) {
    expect(new DetachKeys("ctrl-]").push(`ab${spelling}cd`)).toEqual({ text: "ab", isDetach: true });
  }
});

it("[C39] of several keys, those that are not followed by the rest are typed after all", () => {
  const keys = new DetachKeys("ctrl-p,ctrl-q");
  expect(keys.name).toBe("Ctrl-P Ctrl-Q");
  expect(keys.push("x\u0010")).toEqual({ text: "x", isDetach: false });
  expect(keys.push("y")).toEqual({ text: "\u0010y", isDetach: false });
  expect(keys.push("\u0010\u0010")).toEqual({ text: "\u0010", isDetach: false });
  expect(keys.push("\u0011")).toEqual({ text: "", isDetach: true });
});

it("[C39] words that are no keys are refused", () => {
  for (const words of ["", "ctrl-", "ctrl-ä", "meta-x", "ctrl-p,,ctrl-q"]) {
    expect(() => new DetachKeys(words)).toThrow(expect.objectContaining({ code: "WRONG_ARGUMENTS" }));
  }
});
