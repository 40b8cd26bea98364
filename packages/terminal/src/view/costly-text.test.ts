// Cost of hostile programs on the text screen: little, on the largest screen.
import { describe, expect, it } from "vitest";
import { costlyOutput, repeated } from "../testing/costly-output.ts";
import { TerminalOutput } from "./output.ts";
import { TtyText } from "./tty-text.ts";

/** Of the processor, so that other tests do not count; more where the code is not compiled yet. */
const mostMs = process.env["HOLDFAST_LONG"] === undefined ? 300 : 100;

describe("[T403] the text screen at 1000×500", () => {
  it.each(Object.entries(costlyOutput))("[T403] %s", (_name, sequence) => {
    const text = new TtyText({ capacityBytes: 1024 * 1024, columns: 1000, rows: 500 });
    const screenful = Buffer.alloc(500_000, "x");
    text.feed(screenful, 0, screenful.length);
    const bytes = repeated(sequence, 8 * 1024);
    const before = process.cpuUsage();
    text.feed(bytes, 0, bytes.length);
    const { user, system } = process.cpuUsage(before);
    text.close();
    expect((user + system) / 1000).toBeLessThan(mostMs);
  });
});

describe("[T501] the first read of a lazy answer", () => {
  const mebibyte = 1024 * 1024;
  const outputOf = (bytes: Buffer): TerminalOutput => {
    const output = new TerminalOutput({
      kind: "tty",
      answer: "lazy",
      answerLimitBytes: mebibyte,
      replayBytes: mebibyte,
      columns: 1000,
      rows: 500,
    });
    output.push(bytes);
    return output;
  };

  it.each(["scroll up", "delete lines", "switch screens", "repeat in insert mode"])(
    "[T501] takes bounded time for a mebibyte of: %s",
    (name) => {
      const output = outputOf(repeated(`${costlyOutput[name] ?? ""}\r\n`, mebibyte));
      const before = process.cpuUsage();
      const { truncated } = output.answer();
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(process.env["HOLDFAST_LONG"] === undefined ? 2500 : 1000);
      expect(truncated).toBe(true);
      output.push(Buffer.from("\x1bc\x1b[2Jlast line"));
      expect(output.answer().output).toMatch(/last line$/);
      output.close();
    },
  );

  it("[T501] has all of output that costs little", () => {
    const output = outputOf(Buffer.alloc(mebibyte - 4, "plain line\r\n"));
    expect(output.answer().output).toHaveLength((11 * (mebibyte - 4)) / 12);
    expect(output.answer().truncated).toBe(false);
    output.close();
  });
});
