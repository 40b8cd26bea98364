// Output as text while it comes.
import fc from "fast-check";
import { expect, it } from "vitest";
import { PlainLines } from "./plain-lines.ts";

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

function plain(...pieces: readonly Uint8Array[]): string {
  const lines = new PlainLines();
  return pieces.map((piece) => lines.push(piece)).join("") + lines.end();
}

it("[C865] the alternate screen is left out, wherever the bytes are cut", () => {
  for (const mode of ["1049", "47", "1047", "25;1049"]) {
    const bytes = Buffer.from(
      `before\r\n$ vi\u001B[?${mode}h\u001B[2J\u001B[1;1Hscreen\r\n~\r\n\u001B[?${mode}l\r\nafter\r\n`,
    );
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(plain(bytes.subarray(0, cut), bytes.subarray(cut))).toBe("before\n$ vi\nafter\n");
    }
  }
});

it("[C865] a reset ends the alternate screen, and other modes change nothing", () => {
  expect(plain(Buffer.from("\u001B[?1049hscreen\n\u001Bcafter\n"))).toBe("after\n");
  expect(plain(Buffer.from("\u001B[?2004hprompt\u001B[?2004l\n"))).toBe("prompt\n");
});

it("[C865] output that is skipped decides whether the rest is on the alternate screen", () => {
  const bytes = Buffer.from("before\n\u001B[?1049hscreen\n\u001B[?1049lafter\n");
  const on = bytes.indexOf("screen");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = new PlainLines();
    lines.skip(bytes.subarray(0, cut));
    const text = lines.push(bytes.subarray(cut)) + lines.end();
    if (cut >= on && cut < bytes.indexOf("after")) expect(text).toBe("after\n");
    expect("before\nafter\n").toContain(text);
  }
});

it("[C865] pieces of random output give the same text as the whole", () => {
  const part = fc.constantFrom(
    "\u001B[?1049h",
    "\u001B[?1049l",
    "\u001B[?7h",
    "\u001Bc",
    "\u001B",
    "[?",
    "a",
    "é",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.nat(), (parts, at) => {
      const bytes = Buffer.from(parts.join(""));
      const cut = at % (bytes.length + 1);
      expect(plain(bytes.subarray(0, cut), bytes.subarray(cut))).toBe(plain(bytes));
    }),
  );
});
