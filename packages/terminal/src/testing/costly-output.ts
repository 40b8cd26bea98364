// Output that makes a terminal emulator work hard: what a few bytes can cost at most, by name.

/** Sequences that were measured at 1000×500 to cost most per byte, each to be repeated. */
export const costlyOutput: Readonly<Record<string, string>> = {
  "scroll up": "\x1b[500S",
  "scroll down": "\x1b[500T",
  "scroll by a huge count": "\x1b[2147483647S\x1b[2147483647T",
  "insert lines": "\x1b[H\x1b[500L",
  "delete lines": "\x1b[H\x1b[500M",
  "scroll left": "\x1b[ @",
  "scroll right": "\x1b[ A",
  "insert columns": "\x1b['}",
  "delete columns": "\x1b['~",
  "clear the screen": "\x1b[2J",
  "clear up to the cursor": "\x1b[500;1000H\x1b[1J",
  "clear what is not protected": "\x1b[?2J",
  "alignment pattern": "\x1b#8",
  "alignment pattern and clear": "\x1b#8\x1b[2J",
  "full reset": "\x1bc",
  "switch screens": "\x1b[?1049l\x1b[?1049h",
  "switch screens by C1": "\u009b?1049l\u009b?1049h",
  "repeat a character": "a\x1b[1000b",
  "repeat a character by a huge count": "a\x1b[2147483647b",
  "repeat in insert mode": "\x1b[4ha\x1b[1000b",
  "repeat a wide character": "漢\x1b[1000b",
  "repeat a character with marks": `a${"\u0301".repeat(16)}\x1b[1000b`,
  "repeat a character with marks in insert mode": `\x1b[4ha${"\u0301".repeat(16)}\x1b[1000b`,
  "repeat a wide character in insert mode": "\x1b[4h漢\x1b[1000b",
  "tab by a huge count": "\r\x1b[2147483647I\x1b[2147483647Z",
  "insert characters": "\r\x1b[1000@",
  "delete characters": "\r\x1b[P",
  "insert mode": `\x1b[4h\r${"a".repeat(64)}`,
  "line feeds in a region": `\x1b[2;499r\x1b[499H${"\n".repeat(64)}`,
  "reverse line feeds": `\x1b[H${"\x1bM".repeat(32)}`,
  links: "\x1b]8;;a\x07x",
  "links and line feeds": "\x1b]8;;a\x07x\n",
};

/** A sequence again and again. */
export function repeated(sequence: string, sizeBytes: number): Buffer {
  const bytes = Buffer.from(sequence);
  return Buffer.alloc(Math.floor(sizeBytes / bytes.length) * bytes.length, bytes);
}

/** The shortest of up to five measurements: other programs on the machine make one longer, never shorter. */
export async function shortestMs(mostMs: number, measure: () => number | Promise<number>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && shortest >= mostMs; attempt += 1) {
    shortest = Math.min(shortest, await measure());
  }
  return shortest;
}

/** Milliseconds of the processor that the work took. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
