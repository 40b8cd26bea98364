// The order in which a tty's bytes and commands are published when a command's line comes after its start.
import { afterEach, expect, test, vi } from "vitest";
import { textLimitBytes, makeOutput } from "./output-limits.ts";
import type { Run, RunSink } from "./process/port.ts";
import { DEFAULT_SIZE } from "./screen-size.ts";
import { Terminal } from "./terminal.ts";

const nonce = "0123";
const mark = (body: string): string => `\x1b]633;${body};${nonce}\x07`;
const open: Terminal[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((terminal) => terminal.close()));
});

interface Watched {
  /** Published events, in order. */
  readonly log: string[];
  push(text: string): void;
  exit(): void;
}

function watch(): Watched {
  const log: string[] = [];
  const terminal = new Terminal({
    id: "t",
    kind: "tty",
    nonce,
    size: DEFAULT_SIZE,
    output: makeOutput({ kind: "tty", size: DEFAULT_SIZE, textLimitBytes: textLimitBytes(undefined) }),
    publisher: {
      isRead: false,
      repliesToQueries: true,
      wholeOffset: 0,
      wrote: (bytes) => void log.push(Buffer.from(bytes).toString()),
      publish: (event) => {
        if (event.kind === "executed") log.push(`executed <${event.command.commandLine}>`);
        if (event.kind === "finished") log.push("finished");
      },
      exited: () => {},
      ended: () => {},
      close: () => {},
    },
  });
  open.push(terminal);
  let sink: RunSink | undefined;
  const exit = {
    exitCode: null,
    signal: null,
    finalOffset: 0,
    finalErrorOffset: 0,
    limit: undefined,
    lost: false,
  };
  terminal.attach((given): Run => {
    sink = given;
    const ended = async () => {
      if (!terminal.hasExited) given.exit(exit);
      return [];
    };
    return { end: ended, release: () => {} } as unknown as Run;
  });
  if (sink === undefined) throw new Error("A terminal gives its run a sink");
  const { bytes, exit: end } = sink;
  return {
    log,
    push: (text) => bytes("output", Buffer.from(text), 0),
    exit: () => end(exit),
  };
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

test("[E110] a command whose line does not come is still shown, soon, and at once when it writes much", async () => {
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
  const { log, push, exit } = watch();
  push(`${mark("C")}last words`);
  exit();
  expect(log).toEqual(["executed <>", "last words", "finished"]);
});
