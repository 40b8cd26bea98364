// Random programs for a screen: text, control functions, any bytes, and resizes from 2×1 to 1000×500.
import fc from "fast-check";

/** Steps of a screen: bytes in UTF-8 or not, as latin1, or another size. */
export type ScreenStep = string | { readonly columns: number; readonly rows: number };

/** A screen, and what happens to it. */
export interface ScreenProgram {
  readonly columns: number;
  readonly rows: number;
  readonly steps: readonly ScreenStep[];
}

const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

const count = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 2, arbitrary: fc.integer({ min: 10, max: 120 }) },
  { weight: 1, arbitrary: fc.constantFrom(500, 1000, 65_535, 65_536) },
);
/** Functions that the emulator carries out in a time that does not depend on the number take any. */
const anyCount = fc.oneof(
  { weight: 8, arbitrary: count },
  { weight: 1, arbitrary: fc.constantFrom(999_999_999, 2_147_483_647, 4_294_967_296, 1e20) },
);

function control(parameters: fc.Arbitrary<number>, finals: string, prefix = ""): fc.Arbitrary<string> {
  return fc
    .tuple(parameters, fc.constantFrom(...Array.from(finals)))
    .map(([number, final]) => `\x1b[${prefix}${BigInt(number)}${final}`);
}

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.string({
      unit: fc.constantFrom(...Array.from("abcXYZ 01.,éπ")),
      minLength: 1,
      maxLength: 30,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom("漢", "か", "a", "한", "🎉"), minLength: 1, maxLength: 9 }),
  },
  { weight: 1, arbitrary: fc.constantFrom("e\u0301", "x\u0323\u0301", "漢\u0301", "\u0301", "👩\u200d💻") },
  {
    weight: 5,
    arbitrary: fc.constantFrom("\r\n", "\r\n", "\n", "\r", "\b", "a\r\nb\r\nc\r\n", "line\r\n".repeat(9)),
  },
);
const movements = fc.oneof(
  control(anyCount, "ABCDEFGae`d"),
  control(count, "IZ"),
  fc
    .tuple(anyCount, anyCount, fc.constantFrom("H", "f"))
    .map(([y, x, final]) => `\x1b[${BigInt(y)};${BigInt(x)}${final}`),
  fc.constantFrom(
    "\x1b7",
    "\x1b8",
    "\x1b[s",
    "\x1b[u",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x0b",
    "\x0c",
    "\u0084",
    "\u008d",
  ),
);
const changes = fc.oneof(
  control(anyCount, "P@X"),
  control(count, "LMST"),
  control(fc.nat(2), "b"),
  control(fc.nat(4), "JK"),
  control(fc.nat(4), "JK", "?"),
  fc.tuple(count, count).map(([top, bottom]) => `\x1b[${top};${bottom}r`),
  fc.constantFrom(
    "\x1b[2;4r\x1b[?6h",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[!p",
    "\x1bc",
  ),
  fc.constantFrom("\x1bH", "\x1b[g", "\x1b[3g", "\x1b[r", "\x1b[2J\x1b[H", "\x1b#8"),
);
const screens = fc.constantFrom(
  "\x1b[?1049h",
  "\x1b[?1049l",
  "\x1b[?47h",
  "\x1b[?47l",
  "\x1b[?1047h",
  "\x1b[?1047l",
  "\x1b[?1048h",
  "\x1b[?1048l",
  "\x1b[?47h\x1b7\x1b[?47l",
  "\x1b[?47h\x1b8",
);
const silent = fc.constantFrom(
  "\x1b[31;1m",
  "\x1b[4:3m",
  "\x1b]0;title\x07",
  "\x1b]8;;url\x1b\\",
  "\x1bPq\x1b\\",
  "\x1b_x\x1b\\",
  "\x1b[?25l",

  "\x1b[1;2:3\x18",
  "\x1b\x1b[m",
  "\x1b[\x1b[m",
  "\x1b]\x1a",
  "\x07",
  "\x7f",
  "\0",
  "\u009b1m",
  "\u009dt\u009c",
);
/** Any bytes at all. The emulator drops byte order marks and does not remember tabs; it shows neither differently. */
const anyBytes = fc
  .oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc.array(fc.constantFrom(0x1b, 0x5b, 0x3b, 0x3f, 0x31, 0x32, 0x48, 0x4a, 0x4b, 0x6d, 0x72, 0x0a, 0x0d), {
      maxLength: 10,
    }),
  )
  .map((bytes) => Buffer.from(bytes).toString("latin1"));

const sizes = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ columns: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 1, max: 8 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      columns: fc.integer({ min: 2, max: 120 }),
      rows: fc.integer({ min: 1, max: 60 }),
    }),
  },
);
const extremeSizes = fc.constantFrom(
  { columns: 2, rows: 1 },
  { columns: 1000, rows: 1 },
  { columns: 2, rows: 500 },
  { columns: 1000, rows: 500 },
);

const steps: fc.Arbitrary<ScreenStep> = fc.oneof(
  { weight: 10, arbitrary: text.map(utf8) },
  { weight: 6, arbitrary: movements.map(utf8) },
  { weight: 6, arbitrary: changes.map(utf8) },
  { weight: 3, arbitrary: screens },
  { weight: 2, arbitrary: silent.map(utf8) },
  { weight: 2, arbitrary: anyBytes },
  { weight: 4, arbitrary: sizes },
);

/** Programs for screens from 2×1 to 1000×500, in both buffers. */
export function screenPrograms(maxSteps = 40): fc.Arbitrary<ScreenProgram> {
  const ordinary = fc
    .tuple(sizes, fc.array(steps, { maxLength: maxSteps }))
    .map(([size, all]) => ({ ...size, steps: all }));
  const extreme = fc
    .tuple(
      sizes,
      fc.array(steps, { maxLength: 10 }),
      extremeSizes,
      fc.array(steps, { maxLength: 10 }),
      extremeSizes,
    )
    .map(([size, before, first, between, second]) => ({
      ...size,
      steps: [...before, first, ...between, second],
    }));
  return fc
    .oneof({ weight: 30, arbitrary: ordinary }, { weight: 1, arbitrary: extreme })
    .map((program) => ({ ...program, steps: program.steps.map(withoutMasked) }));
}

function withoutMasked(step: ScreenStep): ScreenStep {
  if (typeof step !== "string") return step;
  return step.replaceAll("\t", "\x1b[I").replaceAll("\u00ef\u00bb\u00bf", "");
}
