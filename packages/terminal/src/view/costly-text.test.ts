// Cost of hostile programs on the text screen: little, on the largest screen.
import { describe, expect, it } from "vitest";
import { costlyOutput, processorMs, repeated, shortestMs } from "../testing/costly-output.ts";
import { TerminalOutput } from "./output.ts";
import { TtyText } from "./tty-text.ts";

/** Of the processor, so that other tests do not count; more where the code is not compiled yet. */
const mostMs = process.env["HOLDFAST_LONG"] === undefined ? 300 : 100;

describe("[T403] the text screen at 1000×500", () => {
  it.each(Object.entries(costlyOutput))("[T403] %s", async (_name, sequence) => {
    const screenful = Buffer.alloc(500_000, "x");
    const bytes = repeated(sequence, 8 * 1024);
    const measure = (): number => {
      const text = new TtyText({ capacityBytes: 1024 * 1024, columns: 1000, rows: 500 });
      text.feed(screenful, 0, screenful.length);
      const tookMs = processorMs(() => text.feed(bytes, 0, bytes.length));
      text.close();
      return tookMs;
    };
    expect(await shortestMs(mostMs, measure)).toBeLessThan(mostMs);
  });
});

describe("[T501] the first read of a lazy text", () => {
  const mebibyte = 1024 * 1024;
  const mostReadMs = process.env["HOLDFAST_LONG"] === undefined ? 2500 : 1000;
  const outputOf = (bytes: Buffer): TerminalOutput => {
    const output = new TerminalOutput({
      kind: "tty",
      folding: "lazy",
      textLimitBytes: mebibyte,
      replayBytes: mebibyte,
      columns: 1000,
      rows: 500,
    });
    output.push(bytes);
    return output;
  };

  it.each(["scroll up", "delete lines", "switch screens", "repeat in insert mode"])(
    "[T501] takes bounded time for a mebibyte of: %s",
    async (name) => {
      const bytes = repeated(`${costlyOutput[name] ?? ""}\r\n`, mebibyte);
      let output = outputOf(bytes);
      const measure = (): number => {
        output.close();
        output = outputOf(bytes);
        return processorMs(() => output.tail());
      };
      expect(await shortestMs(mostReadMs, measure)).toBeLessThan(mostReadMs);
      output.push(Buffer.from("\x1bc\x1b[2Jlast line"));
      expect(output.tail().output).toMatch(/last line$/);
      output.close();
    },
  );

  it("[T501] has all of output that costs little", () => {
    // The bound is of time: a machine that stalls may need several attempts.
    const tails = Array.from({ length: 20 }, () => {
      const output = outputOf(Buffer.alloc(mebibyte - 4, "plain line\r\n"));
      const tail = output.tail();
      output.close();
      return tail;
    });
    const whole = tails.find(({ truncated }) => !truncated);
    expect(whole?.output).toHaveLength((11 * (mebibyte - 4)) / 12);
  });
});
