// Shows that what is left of a stream and what is remembered of its past give the modes that the whole stream gives.
import fc from "fast-check";
import { expect, test } from "vitest";
import { modeSequences, StreamScanner, type TerminalModes } from "../view/index.ts";
import { ScreenHistory } from "./screen-history.ts";

const size = { columns: 80, rows: 24 };

/** A stream of which the bytes before `startOffset` are gone. */
function streamOf(text: string) {
  const bytes = Buffer.from(text);
  const source = {
    startOffset: 0,
    endOffset: 0,
    bytes: (from: number, to: number) => bytes.subarray(from, to),
  };
  const history = new ScreenHistory(source, size);
  const scanner = new StreamScanner();
  for (let at = 0; at < bytes.length; at += 65_536) {
    for (const piece of scanner.scan(bytes.subarray(at, at + 65_536))) {
      if (piece.kind === "text") {
        history.willShow();
        source.endOffset += piece.end - piece.start;
      } else if (piece.kind === "modes") {
        history.noteModes(piece.offset, piece.modes);
      }
    }
  }
  return { bytes, source, history, modes: scanner.modes };
}

function modesAfter(text: string): TerminalModes {
  const scanner = new StreamScanner();
  scanner.scan(Buffer.from(text));
  return scanner.modes;
}

test("[U31] the modes at any place, followed by what comes after it, are those of the whole stream", () => {
  const mode = fc
    .tuple(fc.constantFrom(1, 25, 66, 1000, 1003, 1004, 1006, 1049, 2004), fc.constantFrom("h", "l"))
    .map(([number, letter]) => `\x1b[?${number}${letter}`);
  const piece = fc.oneof(
    mode,
    fc.constantFrom("\x1b=", "\x1b>", "\x1b[!p", "\x1bc", "text"),
    fc.integer({ min: 1000, max: 5000 }).map((length) => "x".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(), (pieces, nth) => {
      const at = nth % pieces.length;
      const { history, modes } = streamOf(pieces.join(""));
      const offset = pieces.slice(0, at).join("").length;
      const rest = pieces.slice(at).join("");
      expect(modesAfter(modeSequences(history.modesAt(offset)) + rest)).toEqual(modes);
    }),
  );
});

test("[U31] a program that switches screens without end takes no more memory, and the last is known", () => {
  const { history, source } = streamOf("\x1b[?1049h\x1b[?1049l".repeat(20_000) + "\x1b[?1049h\x1b[?1h");
  expect(history.isAlternate).toBe(true);
  expect(history.modesAt(source.endOffset)).toMatchObject({ hasApplicationCursorKeys: true });
  expect(history.recordCount).toBeLessThan(3000);
});

test("[U31] what the alternate screen covers is put aside before it goes, and forgotten with the screen or when cleared", () => {
  const before = "normal\r\n".repeat(20_000);
  const drawing = "\x1b[1;1Hx".repeat(50_000);
  const covering = streamOf(`${before}\x1b[?1049h${drawing}`);
  const { covered } = covering.history;
  expect(Buffer.from(covered?.bytes ?? []).toString()).toMatch(/normal\r\n\x1b\[\?1049h$/);
  // The last 128 KiB, from the first whole line on.
  expect(covered?.bytes.length).toBeLessThanOrEqual(128 * 1024);
  expect(covered?.bytes.length).toBeGreaterThan(128 * 1024 - 64);
  covering.history.noteCleared(covering.source.endOffset);
  expect(covering.history.covered).toBeUndefined();
  expect(streamOf(`${before}\x1b[?1049h${drawing}\x1b[?1049l`).history.covered).toBeUndefined();
  expect(streamOf(`${before}\x1b[?1049hshort`).history.covered).toBeUndefined();
});

test("[U31] drawing begins after a whole sequence of the alternate screen", () => {
  const { history, source } = streamOf(
    `\x1b[?1049h${"x".repeat(5000)}\x1b[31;42m${"y".repeat(50)}\x1b[?25lrest`,
  );
  source.startOffset = 5012;
  expect(history.drawingOffset).toBe(source.endOffset - "rest".length);
});
