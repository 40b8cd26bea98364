// Shows in which order a tty's stream is shown and told when a command's line comes after its start.
import { afterEach, expect, test, vi } from "vitest";
import { TtyStream } from "./tty-stream.ts";

const nonce = "0123";
const mark = (body: string): string => `\x1b]633;${body};${nonce}\x07`;
const open: TtyStream[] = [];

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

interface Watched {
  readonly stream: TtyStream;
  /** What was shown and told, in order. */
  readonly log: string[];
  push(text: string): void;
}

function watch(): Watched {
  const log: string[] = [];
  const stream = new TtyStream({
    nonce,
    now: () => new Date(0),
    show: (bytes, start, end) => void log.push(Buffer.from(bytes.subarray(start, end)).toString()),
    tell: (action) => {
      if (action.type === "terminal/commandExecuted") log.push(`executed <${action.commandLine}>`);
      if (action.type === "terminal/commandFinished") log.push("finished");
    },
    divide: () => {},
    noteModes: () => {},
  });
  open.push(stream);
  return { stream, log, push: (text) => stream.push(Buffer.from(text)) };
}

test("[E110] what is typed ahead between a command's start and its line does not cost it the line", () => {
  const { log, push } = watch();
  push(mark("C"));
  push("typed");
  push(" ahead\r\n");
  expect(log).toEqual([]);
  push(`${mark("E;make")}made\r\n${mark("D;0")}`);
  expect(log).toEqual(["executed <make>", "typed", " ahead\r\n", "made\r\n", "finished"]);
});

test("[E110] a command whose line does not come is shown all the same, soon, and at once when it writes much", async () => {
  const { log, push } = watch();
  push(`${mark("C")}first`);
  await vi.waitFor(() => expect(log).toEqual(["executed <>", "first"]));
  push(mark("D;0"));
  log.length = 0;
  push(mark("C"));
  push("x");
  push("y".repeat(5000));
  expect(log).toEqual(["executed <>", "x", "y".repeat(5000)]);
});

test("[E110] nothing is held back when the shell ends", () => {
  const { stream, log, push } = watch();
  push(`${mark("C")}last words`);
  stream.exited();
  expect(log).toEqual(["executed <>", "last words", "finished"]);
});
