// Output as text while it comes.
import { expect, it } from "vitest";
import { lastLines, PlainLines } from "./logs.ts";

const output = Buffer.from(
  "\u001B[1;31mréd\u001B[0m\r\n10%\r50%\r100%\r\n\u001B]0;title\u0007\u001B(Btab\there\n\u001BPx\u001B\\end",
);

it("[C48] lines are plain, the last form of each, wherever the bytes are cut", () => {
  for (let cut = 0; cut < output.length; cut += 1) {
    const lines = new PlainLines();
    const text = lines.push(output.subarray(0, cut)) + lines.push(output.subarray(cut)) + lines.end();
    expect(text).toBe("réd\n100%\ntab\there\nend");
  }
});

it("[C48] a line without an end costs no more memory than its bound", () => {
  const lines = new PlainLines();
  const piece = Buffer.alloc(50_000, "x");
  expect(lines.push(piece)).toBe("");
  expect(lines.push(piece)).toHaveLength(100_000);
  expect(lines.end()).toBe("");
});

it("[C48] the last lines are counted with or without an end", () => {
  expect(lastLines("a\nb\nc\n", 2)).toBe("b\nc\n");
  expect(lastLines("a\nb\nc", 2)).toBe("b\nc");
  expect(lastLines("a\n\n\n", 2)).toBe("\n\n");
  expect(lastLines("a\nb\n", 9)).toBe("a\nb\n");
  expect(lastLines("a\nb\n", 0)).toBe("");
  expect(lastLines("", 3)).toBe("");
});
