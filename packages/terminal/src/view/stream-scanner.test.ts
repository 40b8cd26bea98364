// The scan of a stream: the same at any split, all shell marks taken out, only our own believed, little held back.
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_HELD_BYTES, MAX_MARK_BYTES, type StreamPiece, StreamScanner } from "./stream-scanner.ts";
import type { StreamMark } from "./stream-mark.ts";
import { INITIAL_MODES, modeSequences, type TerminalModes } from "./terminal-modes.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 50_000 : 800;

/** The nonce of the recordings. */
const nonce = "0123456789abcdef0123456789abcdef";
const recordingFolder = new URL("../testing/recordings/", import.meta.url);
const recordings = readdirSync(recordingFolder).map((name): [string, Buffer] => [
  name,
  readFileSync(new URL(name, recordingFolder)),
]);

interface Reading {
  readonly shown: string;
  readonly marks: readonly StreamMark[];
  readonly modes: TerminalModes;
}

/** Reads a stream in chunks of the given lengths, the rest at once; checks that marks come in order with the bytes. */
function read(
  bytes: Buffer,
  lengths: readonly number[] = [],
  options: { nonce?: string } = { nonce },
): Reading {
  const shown: Buffer[] = [];
  let shownBytes = 0;
  const marks: StreamMark[] = [];
  const scanner = new StreamScanner(options);
  const apply = (scanned: readonly StreamPiece[]): void => {
    for (const piece of scanned) {
      if (piece.kind === "text") {
        const { bytes: source, start, end } = piece;
        if (start >= end) throw new Error("nothing was shown");
        shown.push(Buffer.from(source.subarray(start, end)));
        shownBytes += end - start;
      } else {
        if (piece.offset !== shownBytes) throw new Error(`the mark at ${piece.offset} came at ${shownBytes}`);
        marks.push(piece);
      }
    }
  };
  const scratch = Buffer.alloc(bytes.length + 1);
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    const chunk = scratch.subarray(0, bytes.copy(scratch, 0, at, Math.min(at + length, bytes.length)));
    apply(scanner.scan(chunk));
    at += chunk.length;
    // Later changes of the caller's buffer must not matter.
    scratch.fill(0x58);
    if (scanner.heldBytes > MAX_HELD_BYTES) throw new Error(`${scanner.heldBytes} bytes are held back`);
    if (shownBytes !== scanner.offset) throw new Error("the offset is not that of what was shown");
  }
  apply(scanner.end());
  return { shown: Buffer.concat(shown).toString("latin1"), marks, modes: scanner.modes };
}

const readText = (text: string, options?: { nonce?: string }): Reading =>
  read(Buffer.from(text), [], options);
const kinds = ({ marks }: Reading): string[] => marks.map(({ kind }) => kind);

const pieces = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      `\x1b]633;A;${nonce}\x07`,
      `\x1b]633;E;ls \\x3b\\\\;${nonce}\x1b\\`,
      `\x1b]133;C;${nonce}\x07`,
      `\x1b]633;D;0;${nonce}\x07`,
      `\x1b]633;D;1;${nonce}x\x07`,
      `\x1b]633;P;Cwd=/tmp;${nonce}\x07`,
      `\x1b]633;C;${nonce}`,
      `\x1b]633;C;${nonce}\x1b`,
      "\x1b",
      "\x1b]",
      "\x1b]6",
      "\x1b]13",
      "\x1b]1337;CurrentDir=/a\x07",
      "\x1b]633",
      "\x1b]633;",
      "\x1b]633;A\x07",
      "\x1b]133;D;1\x1b\\",
      "\x1b]0",
      "\x1b]00633;C\x07",
      "\\",
      "\x07",
      "\x18",
      "\x1b]0;title\x07",
      "\x1b]2;ti\ntle\x1b\\",
      "\x1b]7;file:///home/a%20b\x1b\\",
      '\x1b]9;9;"C:\\x"\x07',
      "\x1b]8;;https://example.org\x07",
      "\x1b[?1049h",
      "\x1b[?1049l",
      "\x1b[?25l",
      "\x1b[?1;2004h",
      "\x1b[?\x0a47h",
      "\x1b[!p",
      "\x1bc",
      "\x1b=",
      "\x1b[31m",
      "\x1b[6n",
      "\x1b[?2004$p",
      "\x1b[>0q",
      "\x1b]11;?\x07",
      "\x1b]4;1;?\x1b\\",
      "\x1b]10;?\x1b",
    )
    .map((text) => Buffer.from(text)),
);
const streams = fc.array(pieces, { maxLength: 20 }).map((parts) => Buffer.concat(parts));
const splits = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 });

describe("[T80] any split", () => {
  it("[T80] gives the same bytes, marks and offsets", () => {
    fc.assert(
      fc.property(streams, splits, fc.boolean(), (stream, lengths, hasNonce) => {
        const options = hasNonce ? { nonce } : {};
        expect(read(stream, lengths, options)).toEqual(read(stream, [], options));
      }),
      { numRuns },
    );
  });

  it.each(recordings)("[T80] also of the recording %s, byte by byte and at every place", (_name, bytes) => {
    const whole = read(bytes);
    expect(whole.shown).not.toContain(nonce);
    expect(kinds(whole)).toContain("commandFinished");
    expect(
      read(
        bytes,
        Array.from(bytes, () => 1),
      ),
    ).toEqual(whole);
    for (let at = 1; at < bytes.length; at += isLong ? 1 : 7) expect(read(bytes, [at])).toEqual(whole);
  });

  it.each(recordings)("[T80] what is shown of %s, and what is taken out, is all of it", (_name, bytes) => {
    const expected = bytes.toString("latin1").replaceAll(/\x1b\][16]33;[^\x07\x1b]*(\x07|\x1b\\)/g, "");
    expect(read(bytes).shown === expected).toBe(true);
    expect(read(bytes, [], {})).toMatchObject({ shown: expected });
  });

  it("[T80] raw offsets are those of the stream as it came", () => {
    const mark = `\x1b]633;C;${nonce}\x07`;
    const { marks } = readText(`ab${mark}cd${mark}`);
    expect(marks).toEqual([
      { kind: "commandExecuted", offset: 2, rawOffset: 2 + mark.length },
      { kind: "commandExecuted", offset: 4, rawOffset: 4 + 2 * mark.length },
    ]);
  });

  it("[T80] a chunk with nothing to take out is shown as it is, without a copy", () => {
    const chunk = Buffer.from("plain \x1b[31mred\x1b[0m\r\n");
    const scanned = new StreamScanner({ nonce }).scan(chunk);
    expect(scanned).toEqual([{ kind: "text", bytes: chunk, start: 0, end: chunk.length }]);
    expect(scanned[0]).toHaveProperty(
      "bytes",
      expect.toSatisfy((bytes) => bytes === chunk),
    );
  });
});

describe("[T81] what is taken out", () => {
  it.each([
    [`633;A;${nonce}`, { kind: "promptStart" }],
    [`133;A;${nonce}`, { kind: "promptStart" }],
    [`633;B;${nonce}`, { kind: "promptEnd" }],
    [`633;C;${nonce}`, { kind: "commandExecuted" }],
    [`133;D;130;${nonce}`, { kind: "commandFinished", exitCode: 130 }],
    [`633;D;;${nonce}`, { kind: "commandFinished" }],
    [`633;D;${nonce}`, { kind: "commandFinished" }],
    [
      `633;E;a\\x3bb\\\\x41\\x0a\\xe6\\xbc\\xa2\\xff;${nonce}`,
      { kind: "commandLine", commandLine: "a;b\\x41\n漢\u{FFFD}" },
    ],
    [`633;E;cut \\xe6\\xbc\\x;${nonce}`, { kind: "commandLine", commandLine: "cut " }],
    [`633;P;Cwd=/a\\x3bb;${nonce}`, { kind: "cwd", path: "/a;b" }],
  ])("[T81] OSC %s is a mark", (body, mark) => {
    for (const end of ["\x07", "\x1b\\"]) {
      expect(readText(`x\x1b]${body}${end}y`)).toMatchObject({
        shown: "xy",
        marks: [{ ...mark, offset: 1 }],
      });
    }
  });

  it.each([`633;F;${nonce}`, `633;P;IsWindows=False;${nonce}`, `633;D;%?;${nonce}`])(
    "[T81] OSC %s is ours too, though it says nothing to us",
    (body) => {
      expect(readText(`x\x1b]${body}\x07y`)).toMatchObject({ shown: "xy", marks: [] });
    },
  );

  it.each([
    "633;C",
    "633;C;",
    "633;",
    "133;D;0",
    "133;A;cl=m;aid=7",
    "633;E;rm -rf /;abc",
    `633;C;${nonce.slice(1)}`,
    `633;C;${nonce}0`,
    `633;C${nonce}`,
    "0633;A",
    "000000000633;A",
    "633;P;Prompt=漢字",
    `633;E;${"x".repeat(2 * MAX_HELD_BYTES)};${nonce}`,
  ])("[T204] OSC %.40j without the nonce is taken out and means nothing", (body) => {
    for (const end of ["\x07", "\x1b\\"]) {
      for (const options of [{ nonce }, {}]) {
        const bytes = Buffer.from(`x\x1b]${body}${end}y`);
        expect(read(bytes, [], options)).toMatchObject({ shown: "xy", marks: [] });
        const eachByte = Array.from(bytes.subarray(0, 200), () => 1);
        expect(read(bytes, eachByte, options)).toMatchObject({ shown: "xy", marks: [] });
      }
    }
  });

  it.each(["6330;C", "1337;File=x", "63;C", "13;C", "633", "133", "1633;A", "8;;http://x"])(
    "[T204] OSC %j is another sequence and goes through",
    (body) => {
      const text = `x\x1b]${body}\x07y`;
      expect(readText(text)).toMatchObject({ shown: text });
    },
  );

  it.each([
    ["a line feed", "633;A\nline\r\n", "\nline\r\n"],
    ["another sequence", "633;A\x1b[31mred", "\x1b[31mred"],
    ["another mark", `633;A\x1b]633;C;${nonce}\x07out`, "out"],
    ["a title", "133;A\x1b]0;t\x07out", "\x1b]0;t\x07out"],
    ["a cancellation", "633;A\x18out", "out"],
    ["the end", "633;A", ""],
    ["half of its end", "633;A\x1b", ""],
  ])("[T204] a mark that is not ended is removed up to %s", (_, rest, shown) => {
    for (const options of [{ nonce }, {}]) {
      const bytes = Buffer.from(`x\x1b]${rest}`);
      expect(read(bytes, [], options).shown).toBe(`x${shown}`);
      const eachByte = Array.from(bytes, () => 1);
      expect(read(bytes, eachByte, options).shown).toBe(`x${shown}`);
    }
  });

  it.each(["\x1b", "\x1b]", "\x1b]63", "\x1b]00633", "\x1b]13"])(
    "[T204] a mark that cuts %j does not join its ends",
    (start) => {
      const rest = "\x1b]633;A".slice(start.length);
      const bytes = Buffer.from(`x${start}\x1b]633;C;${nonce}\x07${rest};y`);
      for (const lengths of [[], Array.from(bytes, () => 1)]) {
        expect(read(bytes, lengths).shown).toBe(`x${start}\x18${rest};y`);
      }
    },
  );

  it("[T204] no stream shows an OSC 633 or 133, at any split", () => {
    fc.assert(
      fc.property(streams, splits, fc.boolean(), (stream, lengths, hasNonce) => {
        const { shown } = read(stream, lengths, hasNonce ? { nonce } : {});
        expect(shown).not.toMatch(/\x1b\]0*(633|133);/);
      }),
      { numRuns },
    );
  });

  it("[T81] the 8-bit forms are not read: their bytes occur within characters", () => {
    const text = Buffer.from(`\u009d633;C;${nonce}\u009c 杝`);
    expect(read(text)).toMatchObject({ shown: text.toString("latin1"), marks: [] });
  });
});

describe("[T82] what is held back", () => {
  it("[T82] is nothing of a mark without an end, which hides 256 KiB at most", () => {
    const body = "x".repeat(3 * MAX_MARK_BYTES);
    const expected = body.slice(MAX_MARK_BYTES - "\x1b]633;".length);
    const bytes = Buffer.from(`\x1b]633;${body}`);
    expect(read(bytes).shown === expected).toBe(true);
    const lengths = Array.from({ length: 400 }, () => 999);
    expect(read(bytes, lengths).shown === expected).toBe(true);
    const reader = new StreamScanner({ nonce });
    reader.scan(bytes.subarray(0, 100_000));
    expect([reader.heldBytes, reader.offset]).toEqual([0, 0]);
  });

  it("[T82] is nothing that cannot become a mark", () => {
    for (const options of [{ nonce }, {}]) {
      const reader = new StreamScanner(options);
      for (const text of ["\x1b]0;half a title", "\x1b[?104", "\x1bP", "\x1b]8;;http", "\x1b]13x"]) {
        reader.scan(Buffer.from(text));
        expect([text, reader.heldBytes]).toEqual([text, 0]);
      }
      reader.scan(Buffer.from("\x1b]13"));
      expect(reader.heldBytes).toBe(4);
      reader.scan(Buffer.from("37;x"));
      expect(reader.heldBytes).toBe(0);
    }
  });

  it("[T82] is shown at the end", () => {
    expect(readText("a\x1b]63").shown).toBe("a\x1b]63");
  });
});

describe("[T83] directories and titles", () => {
  it.each([
    ["\x1b]7;file:///home/a%20b\x07", { kind: "cwd", path: "/home/a b" }],
    ["\x1b]7;file://localhost/tmp\x1b\\", { kind: "cwd", path: "/tmp" }],
    ["\x1b]7;file://far.example/%E6%BC%A2\x07", { kind: "cwd", path: "/漢", host: "far.example" }],
    ['\x1b]9;9;"C:\\Users"\x07', { kind: "cwd", path: "C:\\Users" }],
    ["\x1b]9;9;/tmp\x07", { kind: "cwd", path: "/tmp" }],
    ["\x1b]1337;CurrentDir=/a/b\x07", { kind: "cwd", path: "/a/b" }],
    ["\x1b]0;a title — long\x07", { kind: "title", title: "a title — long" }],
    ["\x1b]2;another\x1b\\", { kind: "title", title: "another" }],
    ["\x1b]2;ended by a sequence\x1b[m", { kind: "title", title: "ended by a sequence" }],
  ])("[T83] %j is reported and passes through", (text, mark) => {
    const reading = read(Buffer.from(text));
    expect(reading.shown).toBe(Buffer.from(text).toString("latin1"));
    expect(reading.marks).toMatchObject([mark]);
  });

  it.each([
    "\x1b]7;http://host/x\x07",
    "\x1b]7;file://host\x07",
    "\x1b]9;4;1;50\x07",
    "\x1b]1337;File=x\x07",
    "\x1b]0;cancelled\x18",
    `\x1b]0;${"long".repeat(4000)}\x07`,
  ])("[T83] %.20j reports nothing", (text) => {
    expect(readText(text)).toMatchObject({ shown: text, marks: [] });
  });
});

describe("[T84] modes", () => {
  it.each([
    ["\x1b[?1049h", { isAlternateScreen: true }],
    ["\x1b[?47h", { isAlternateScreen: true }],
    ["\x1b[?1;25l\x1b[?1h", { hasApplicationCursorKeys: true, isCursorHidden: true }],
    ["\x1b[?1000;1006h", { mouseTracking: "vt200", mouseEncoding: "sgr" }],
    ["\x1b[?1003h\x1b[?1003l\x1b[?2004h\x1b[?1004h", { hasBracketedPaste: true, hasFocusEvents: true }],
    ["\x1b=", { hasApplicationKeypad: true }],
    ["\x1b=\x1b>", {}],
    ["\x1b[?1049;2004;1002h\x1b[!p", { isAlternateScreen: true, mouseTracking: "drag" }],
    ["\x1b[?1049;2004;1002h\x1bc", {}],
  ])("[T84] after %j", (text, expected) => {
    const { modes, shown } = readText(text);
    expect(shown).toBe(text);
    expect(modes).toEqual({ ...INITIAL_MODES, ...expected });
    expect(readText(modeSequences(modes)).modes).toEqual(modes);
  });

  it("[T84] a change is reported where it takes effect, and only a change", () => {
    const { marks } = readText("ab\x1b[?1049hcd\x1b[?1049h\x1b[?1049l");
    expect(marks.map((mark) => [mark.offset, mark.kind === "modes" && mark.modes.isAlternateScreen])).toEqual(
      [
        [10, true],
        [28, false],
      ],
    );
  });
});
