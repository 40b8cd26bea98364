// Questions of programs: each is found once, at any split, and answered as a terminal does.
import headless from "@xterm/headless";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coreOf } from "./emulator-core.ts";
import { StreamScanner } from "../view/index.ts";
import { replyTo } from "./query-replies.ts";
import { TerminalScreen } from "./terminal-screen.ts";

/** The queries that end in a chunk, with the offsets after them. */
function queriesIn(scanner: StreamScanner, chunk: Uint8Array) {
  return scanner.scan(chunk).filter((piece) => piece.kind === "query");
}

/** The replies to the queries of a stream, in chunks of the given lengths. */
async function answersTo(stream: string, lengths: readonly number[] = []): Promise<(string | undefined)[]> {
  const bytes = Buffer.from(stream);
  const scanner = new StreamScanner();
  const answers: (string | undefined)[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    for (const { query, offset } of queriesIn(scanner, bytes.subarray(at, at + length))) {
      const source = { columns: 80, rows: 24, bytes: bytes.subarray(0, offset) };
      answers.push(await replyTo(query, () => TerminalScreen.build(source)));
    }
    at += length;
  }
  return answers;
}

/** Replies of the emulator itself. */
function emulatorAnswers(stream: string): string[] {
  const terminal = new headless.Terminal({ cols: 80, rows: 24, allowProposedApi: true, logLevel: "off" });
  const answers: string[] = [];
  terminal.onData((data) => answers.push(data));
  coreOf(terminal).writeSync(stream);
  terminal.dispose();
  return answers;
}

const questions = [
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[5n",
  "\x1b[6n",
  "ab\r\ncd\x1b[6n",
  "\x1b[10;20H\x1b[?6n",
  "\x1b[?25$p",
  "\x1b[?2004h\x1b[?2004$p",
  "\x1b[?1049h\x1b[?1049$p\x1b[?1$p",
  "\x1b[?7$p\x1b[?6$p",
  "\x1b[?1006h\x1b[?1000h\x1b[?1000$p\x1b[?1006$p\x1b[?1003$p",
  "\x1b[4h\x1b[4$p",
];

describe("[T94] answers", () => {
  it.each(questions)("[T94] %j as the emulator answers", async (stream) => {
    expect(await answersTo(stream)).toEqual(emulatorAnswers(stream));
    expect(await answersTo(stream)).not.toEqual([]);
  });

  it.each([
    ["\x1b[=c", ["\x1bP!|00000000\x1b\\"]],
    ["\x1b[>0q", ["\x1bP>|holdfast\x1b\\"]],
    ["\x1b]11;?\x07", ["\x1b]11;rgb:1010/1010/1010\x07"]],
    ["\x1b]10;?;?\x1b\\", ["\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\", "\x1b]11;rgb:1010/1010/1010\x1b\\"]],
    ["\x1b]12;?\x07", ["\x1b]12;rgb:d0d0/d0d0/d0d0\x07"]],
    ["\x1b]4;1;?;196;?\x07", ["\x1b]4;1;rgb:cdcd/3131/3131\x07", "\x1b]4;196;rgb:ffff/0000/0000\x07"]],
    ["\x1b]4;255;?\x07", ["\x1b]4;255;rgb:eeee/eeee/eeee\x07"]],
    ["\x1b[?9999$p", ["\x1b[?9999;0$y"]],
  ])("[T94] %j", async (stream, expected) => {
    expect(await answersTo(stream)).toEqual(expected);
  });

  it.each([
    "plain",
    "\x1b[31m",
    "\x1b[1c",
    "\x1b[?1;2c",
    "\x1b[3n",
    "\x1b]11;#000000\x07",
    "\x1b]4;1;red\x07",
    "\x1b]13;?\x07",
    "\x1b]11;?\x18",
    `\x1b]4;${"0;x;".repeat(60)}1;?\x07`,
    "\x1b[6\x18n",
  ])("[T94] %.20j asks nothing", async (stream) => {
    expect(await answersTo(stream)).toEqual([]);
  });

  it("[T94] finds each question once, at any split", () => {
    const pieces = fc.constantFrom(
      ...questions,
      "\x1b]11;?\x07",
      "\x1b]10;?\x1b\\",
      "\x1b",
      "\x1b]",
      "text",
      "\x1b[31m",
    );
    const splits = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), splits, (parts, lengths) => {
        const bytes = Buffer.from(parts.join(""));
        const whole = queriesIn(new StreamScanner(), bytes);
        const scanner = new StreamScanner();
        let at = 0;
        const found = [...lengths, bytes.length].flatMap((length) => {
          const asked = queriesIn(scanner, bytes.subarray(at, at + length));
          at += length;
          return asked;
        });
        expect(found).toEqual(whole);
      }),
    );
  });
});
