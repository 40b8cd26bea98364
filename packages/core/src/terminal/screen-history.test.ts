// Shows that what is left of a stream and what is remembered of its past give the modes that the whole stream gives.
import fc from "fast-check";
import { expect, test } from "vitest";
import { modeSequences, ShellSequences, type TerminalModes } from "@holdfast/terminal/view";
import { ScreenHistory } from "./screen-history.ts";

const size = { cols: 80, rows: 24 };

/** A stream of which the bytes before `startOffset` are gone. */
function streamOf(text: string) {
  const bytes = Buffer.from(text);
  const source = {
    startOffset: 0,
    endOffset: 0,
    bytes: (from: number, to: number) => bytes.subarray(from, to),
  };
  const history = new ScreenHistory(source, size);
  const sequences = new ShellSequences(
    {
      show: (_bytes, start, end) => {
        history.willShow();
        source.endOffset += end - start;
      },
      mark: (mark) => {
        if (mark.kind === "modes") history.noteModes(mark.offset, mark.modes);
      },
    },
    { nonce: undefined },
  );
  for (let at = 0; at < bytes.length; at += 65_536) sequences.push(bytes.subarray(at, at + 65_536));
  return { bytes, source, history, modes: sequences.modes };
}

function modesAfter(text: string): TerminalModes {
  const sequences = new ShellSequences({ show: () => {}, mark: () => {} }, { nonce: undefined });
  sequences.push(Buffer.from(text));
  return sequences.modes;
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
  expect(covered?.bytes).toHaveLength(128 * 1024);
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
