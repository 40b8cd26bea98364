// Output without what acts on the person's terminal: by examples, and by random bytes at random splits.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputFilter } from "./output-filter.ts";

const ESC = "\u001B";
const BEL = "\u0007";
const ST = `${ESC}\\`;

function filter(text: string): string {
  return new OutputFilter().pushText(text);
}

describe("[C624] passes on", () => {
  it.each([
    ["text of every kind", "hi ä€😀\r\n\t£©\u00A0 \u2028"],
    ["colours and movement", `${ESC}[1;31mred${ESC}[0m${ESC}[2J${ESC}[H${ESC}[?1049h${ESC}7${ESC}8${ESC}c`],
    ["character sets and modes", `${ESC}(0${ESC})B${ESC}=${ESC}>${ESC}#8${ESC}[4 q`],
    ["palette and its questions", `${ESC}]4;1;rgb:00/11/22${BEL}${ESC}]11;?${ST}${ESC}]104${BEL}`],
    ["sizes of the window", `${ESC}[14t${ESC}[18;2t`],
    ["what was cancelled", `${ESC}[31\u0018x${ESC}\u001Ay`],
    ["a control within a sequence", `${ESC}[3\n1m`],
    ["an 8-bit sequence", "\u009B31mred"],
  ])("[C624] %s", (_name, text) => expect(filter(text)).toBe(text));
});

describe("[C624] takes out", () => {
  it.each([
    ["the clipboard", `${ESC}]52;c;aGk=${BEL}`],
    ["the clipboard, with zeros before the code", `${ESC}]0052;c;aGk=${BEL}`],
    ["titles", `${ESC}]0;a${BEL}${ESC}]1;b${ST}${ESC}]2;c${ST}`],
    ["Sun's titles", `${ESC}]ltitle${ST}${ESC}]Licon${ST}`],
    ["screen's title", `${ESC}ktitle${ST}`],
    ["folders, notifications, files", `${ESC}]7;file:///x${BEL}${ESC}]9;hi${BEL}${ESC}]777;notify;a;b${BEL}`],
    [
      "iTerm's and kitty's",
      `${ESC}]1337;File=:aGk=${BEL}${ESC}]5113;ac=send${ST}${ESC}]50;#1${BEL}${ESC}]99;;x${ST}`,
    ],
    [
      "device control",
      `${ESC}P$q"p${ST}${ESC}Ptmux;${ESC}${ESC}]52;c;aGk=${BEL}${ST}`.replace(/\u001B\\$/, ""),
    ],
    ["graphics and others", `${ESC}_Ga=T;AAAA${ST}${ESC}^private${ST}${ESC}Xstart${ST}`],
    [
      "8-bit forms",
      "\u009D52;c;aGk=\u009C\u009D0;t\u0007\u0090q\u009C\u009Fx\u009C\u009Ex\u009C\u0098x\u009C",
    ],
    ["one with controls between", `${ESC}\n]52;c;aGk=${BEL}`.replace("\n", "\u0000\u007F")],
    ["window operations", `${ESC}[8;10;10t${ESC}[3;0;0t${ESC}[21t${ESC}[t${ESC}[22;0t`],
    ["printing", `${ESC}[5i${ESC}[?5i${ESC}[i`],
    ["the way out of UTF-8", `${ESC}%@${ESC} G`],
  ])("[C624] %s", (_name, text) => expect(filter(`a${text}b`)).toBe("ab"));

  it("[C624] a link, and leaves its text", () => {
    expect(filter(`${ESC}]8;;http://evil/${ST}text${ESC}]8;;${ST}`)).toBe("text");
  });

  it("[C624] an ESC that would join with what follows a dropped sequence", () => {
    expect(filter(`${ESC}${ESC}]0;x${BEL}]52;c;aGk=${BEL}`)).toBe(`]52;c;aGk=${BEL}`);
    expect(filter(`${ESC}[5${ESC}]0;x${BEL}i`)).toBe("i");
    expect(filter(`${ESC}(${ESC}]0;x${BEL}0`)).toBe("0");
  });

  it("[C624] half a character that would become a control", () => {
    const bytes = Buffer.concat([
      Buffer.from([0xc2]),
      Buffer.from(`${ESC}]0;x${BEL}`),
      Buffer.from([0x9d]),
      Buffer.from("52;c;aGk="),
    ]);
    expect(Buffer.from(new OutputFilter().push(bytes)).toString("latin1")).toBe("\u009D52;c;aGk=");
  });

  it("[C624] a string that never ends, and shows again what comes a mebibyte later", () => {
    const output = new OutputFilter();
    expect(output.pushText(`a${ESC}]52;c;${"A".repeat(1024 * 1024 - 5)}`)).toBe("a");
    expect(output.pushText("AAAAA\nnext")).toMatch(/^A{0,10}\nnext$/);
  });

  it("[C624] a control sequence that is longer than any", () => {
    expect(filter(`${ESC}[${"0".repeat(5000)}5i`)).toMatch(/^0+5i$/);
  });
});

/** Pieces from which hostile output is made. */
const piece = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      0x1b,
      0x5d,
      0x5b,
      0x50,
      0x5c,
      0x07,
      0x18,
      0x3b,
      0xc2,
      0x9d,
      0x9c,
      0x9b,
      0x35,
      0x32,
      0x30,
      0x74,
      0x69,
      0x6b,
    ),
  },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 255 }) },
);

describe("[C624] at any split", () => {
  it("[C624] gives the same bytes", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 200 }),
        fc.array(fc.nat(200), { maxLength: 20 }),
        (bytes, cuts) => {
          const whole = new OutputFilter().push(Uint8Array.from(bytes));
          const split = new OutputFilter();
          const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted(
            (a, b) => a - b,
          );
          const parts = places
            .slice(1)
            .map((end, index) => split.push(Uint8Array.from(bytes.slice(places[index], end))));
          expect(Buffer.concat(parts)).toEqual(Buffer.from(whole));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("[C624] gives bytes that it would pass on unchanged", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (bytes) => {
        const once = new OutputFilter().push(Uint8Array.from(bytes));
        expect(Buffer.from(new OutputFilter().push(once))).toEqual(Buffer.from(once));
      }),
      { numRuns: 2000 },
    );
  });
});
