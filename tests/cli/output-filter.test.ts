// The filter of programs' output against a real emulator: whatever it passes on reaches no handler that acts beyond the screen.
import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, it } from "vitest";
import { OutputFilter } from "../../packages/cli/src/terminal/output-filter.ts";

type Handler = (...read: (number | number[])[][]) => boolean;

/** The part of the emulator that the test uses. */
interface Emulator {
  readonly parser: {
    registerOscHandler(code: number, handler: () => boolean): void;
    registerDcsHandler(id: { intermediates?: string; final: string }, handler: () => boolean): void;
    registerCsiHandler(id: { final: string }, handler: Handler): void;
  };
  write(bytes: Uint8Array, done: () => void): void;
  dispose(): void;
}

/** It belongs to the engine. */
const engine = createRequire(new URL("../../packages/terminal/package.json", import.meta.url));
const { Terminal } = engine("@xterm/headless") as { Terminal: new (options: object) => Emulator };

const closedCommands = [0, 1, 2, 7, 8, 9, 22, 50, 52, 66, 99, 133, 633, 777, 1337, 5113];
const hostile = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ..."\u001B|\u001B]|\u001B]52;c;aGk=|\u001B]0;t|\u001B]8;;u|\u0007|\u001B\\|\u001BP|\u001B[|\u001B[8;5;5t|\u0018|\u009D|\u009C|\u009B|\u0090|\u001B%@|;|52|\u001B\n]|\u0000|ä|\u00A3".split(
        "|",
      ),
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
);

it("[C624] leaves an emulator nothing to do but draw", async () => {
  const seen: string[] = [];
  const allowed = { setWinSizeChars: true, setWinPosition: true, getWinTitle: true, pushTitle: true };
  const terminal = new Terminal({ cols: 80, rows: 24, allowProposedApi: true, windowOptions: allowed });
  for (const code of closedCommands) {
    terminal.parser.registerOscHandler(code, () => seen.push(`OSC ${code}`) > 0);
  }
  for (const final of "pqrstu|") {
    terminal.parser.registerDcsHandler({ final }, () => seen.push(`DCS ${final}`) > 0);
  }
  terminal.parser.registerDcsHandler({ intermediates: "$", final: "q" }, () => seen.push("DECRQSS") > 0);
  terminal.parser.registerDcsHandler({ intermediates: "+", final: "q" }, () => seen.push("XTGETTCAP") > 0);
  terminal.parser.registerCsiHandler({ final: "t" }, (parameters = []) => {
    const [operation] = parameters;
    if (operation !== 14 && operation !== 16 && operation !== 18) seen.push(`CSI ${String(operation)} t`);
    return true;
  });
  terminal.parser.registerCsiHandler({ final: "i" }, () => seen.push("CSI i") > 0);
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => terminal.write(bytes, resolve));
  // The emulator notices them when nothing is filtered.
  await write(Buffer.from("\u001B]52;c;aGk=\u0007\u001B[8;5;5t\u001BP$q\u001B\\"));
  expect(seen).toHaveLength(3);
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { maxLength: 60 }), async (pieces) => {
      seen.length = 0;
      await write(new OutputFilter().push(Buffer.from(pieces.join(""))));
      // Whatever is unfinished is cut off, so that one run does not continue the last.
      await write(Buffer.from("\u0018\u001Bc"));
      expect(seen).toEqual([]);
    }),
    { numRuns: 1500 },
  );
  terminal.dispose();
});
