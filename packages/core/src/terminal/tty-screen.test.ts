// Joining full-screen programs late, on real terminals: a late viewer sees what those see who were there from the start.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeId, type TerminalAction, type TerminalUri } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import { TerminalScreen, TtyScreen } from "@holdfast/terminal/screen";
import { CommandIndex, modeSequences, StreamScanner, TerminalOutput } from "@holdfast/terminal/view";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import type { TerminalClient } from "../testing/terminal-client.ts";
import { showContent, showScreen } from "./terminal-content.ts";

guardLeaks();
const newHost = useFakeHosts();
const ann = makeId("client", "ann");
const size = { cols: 100, rows: 30 };

/** A viewer with a separate terminal emulator, which draws the content and then all published output. */
class Viewer {
  readonly content: readonly TerminalPart[];
  readonly startSize: { readonly cols: number; readonly rows: number };
  /** The actions since the last picture. */
  readonly #received: TerminalAction[] = [];
  #screen: TerminalScreen | undefined;
  endOffset: number;
  text = "";

  private constructor(client: TerminalClient, uri: string) {
    const { snapshot, cursor } =
      client.subscribe(uri, { onReadable: () => this.#read() }) ?? expect.fail("no such terminal");
    this.content = snapshot.content;
    this.startSize = snapshot.state.size ?? expect.fail("no size");
    this.endOffset = snapshot.state.output.endOffset;
    this.#read = () => {
      for (;;) {
        const reading = cursor.read();
        if (reading.kind !== "entries") return;
        if (reading.entries.length === 0) return;
        for (const { action } of reading.entries) this.#take(action as TerminalAction);
      }
    };
    onTestFinished(() => cursor.close());
    this.#read();
  }

  static async join(client: TerminalClient, uri: string): Promise<Viewer> {
    await client.load(uri);
    return new Viewer(client, uri);
  }

  readonly #read: () => void;

  #take(action: TerminalAction): void {
    if (action.type === "terminal/data") {
      this.endOffset = action.endOffset;
      this.text = (this.text + action.data).slice(-20_000);
    }
    this.#received.push(action);
  }

  /** Waits for what a program says when it has done something. */
  async sees(text: string): Promise<void> {
    await until(() => this.text.includes(text));
  }

  /** Everything that its terminal shows, or that could make itself seen: cells, looks, cursors, modes, lines above. */
  async picture(): Promise<string> {
    const screen = (this.#screen ??= await this.#startScreen());
    // Actions that arrive while this one draws are not for this picture.
    const received = this.#received.splice(0);
    for (const action of received) {
      if (action.type === "terminal/data") await screen.write(Buffer.from(action.data));
      else if (action.type === "terminal/resized") screen.resize(action.cols, action.rows);
    }
    return screen.snapshot().text;
  }

  async #startScreen(): Promise<TerminalScreen> {
    const { cols: columns, rows } = this.startSize;
    const screen = await TerminalScreen.build({ columns, rows });
    onTestFinished(() => screen.close());
    await screen.write(Buffer.from(this.content.map(({ text }) => text).join("")));
    return screen;
  }
}

/** A program that does something for each key, and then says so in a sequence that no terminal shows. */
const program = String.raw`
let written = "";
const write = (text) => { written += text; };
// One call of the system for all that a key writes.
const flush = () => { process.stdout.write(written); written = ""; };
const at = (row, column) => "\x1b[" + row + ";" + column + "H";
const keys = {
  h: () => { for (let line = 0; line < 60000; line++) write("\x1b[3" + (line % 8) + "mhistory " + line + " " + "-".repeat(40) + "\x1b[0m\r\n"); },
  a: () => {
    write("\x1b[?1049h\x1b[?1h\x1b[?1000h\x1b[?1006h\x1b[?25l\x1b[H\x1b[2J");
    for (let row = 1; row <= 20; row++) write(at(row, row) + "\x1b[1;4" + (row % 8) + ";38;5;" + row * 9 + "mrow " + row + "\x1b[0m");
    write("\x1b[5;15r" + at(7, 3) + "\x1b[7m");
  },
  f: () => {
    for (let count = 0; count < 30000; count++) {
      write("\x1b[?25l" + at(1 + count % 28, 1 + count % 90) + "\x1b[48;5;" + (count % 256) + "m" + (count % 10) + "\x1b[0m\x1b[?25h");
      write("\x1b[5;15r" + at(10, 10) + "漢é" + "\x1b[?7h".repeat(8) + at(3, 4));
    }
  },
  d: () => { for (let row = 1; row <= 28; row++) write(at(row, 1) + "\x1b[2K\x1b[4" + (row % 8) + "mdrawn " + row + "\x1b[0m"); },
  c: () => { for (let count = 0; count < 3000; count++) write(at(25, 5) + "\x1b[33mcount " + count + "\x1b[0m" + "\x1b[?7h".repeat(20)); },
  s: () => write(at(15, 1) + "\r\n".repeat(3) + "scrolled \x1b[32min"),
  p: () => write("\x1b[3"),
  e: () => write("5mpurple"),
  q: () => write("\x1b[r\x1b[0m\x1b[?1000l\x1b[?1l\x1b[?25h\x1b[?1049lback"),
};
process.stdin.setRawMode(true);
write("ready");
flush();
process.stdin.on("data", (data) => {
  for (const key of String(data)) {
    keys[key]();
    if (key !== "p") write("\x1b]1;did " + key + "\x07");
    flush();
  }
});
`;

async function startProgram(shell = { command: process.execPath, args: ["-e", program] }) {
  const terminals = newHost().terminals;
  const uri: TerminalUri = await terminals.create({ clientId: ann, shell, size });
  const first = await Viewer.join(terminals, uri);
  let clientSeq = 0;
  const origin = () => ({ clientId: ann, clientSeq: (clientSeq += 1) });
  const type = (data: string) => terminals.submit(uri, { type: "terminal/input", data }, origin());
  /** Presses a key and waits until the first viewer has seen what it did. */
  const press = async (key: string, ...viewers: readonly Viewer[]): Promise<void> => {
    for (const viewer of [first, ...viewers]) viewer.text = "";
    type(key);
    for (const viewer of [first, ...viewers]) await viewer.sees(`did ${key}`);
  };
  const resize = (cols: number, rows: number) =>
    terminals.submit(uri, { type: "terminal/resized", cols, rows }, origin());
  return { terminals, uri, first, type, press, resize };
}

async function expectSame(late: Viewer, first: Viewer): Promise<void> {
  await until(() => late.endOffset === first.endOffset);
  const [seenLate, seenFirst] = await Promise.all([late.picture(), first.picture()]);
  expect(seenLate).toBe(seenFirst);
}

describe("[U30] a viewer that joins while the alternate screen is on", () => {
  test("[U30] sees the screen, continues with it, and sees the normal screen again when it is left", async () => {
    const { terminals, uri, first, press } = await startProgram();
    await first.sees("ready");
    await press("h");
    await press("a");
    const late = await Viewer.join(terminals, uri);
    expect(late.content).toHaveLength(1);
    expect(late.content[0]?.text).toMatch(/^\x1bc/);
    await expectSame(late, first);
    await press("s", late);
    await expectSame(late, first);
    const later = await Viewer.join(terminals, uri);
    await expectSame(later, first);
    await press("q", late, later);
    await expectSame(late, first);
    await expectSame(later, first);
    expect(await late.picture()).toContain("history 59999");
  });

  test("[U30] in the middle of a sequence, which the next bytes end", async () => {
    const { terminals, uri, first, press, type } = await startProgram();
    await first.sees("ready");
    await press("a");
    type("p");
    await until(() => first.text.endsWith("\x1b[3"));
    const late = await Viewer.join(terminals, uri);
    expect(late.content[0]?.text.endsWith("\x1b[3")).toBe(true);
    await press("e", late);
    await expectSame(late, first);
  });

  test("[U31] after megabytes on it, still sees it, and what it covers when it is left", async () => {
    const { terminals, uri, first, press } = await startProgram();
    await first.sees("ready");
    await press("h");
    await press("a");
    await press("f");
    await press("d");
    await press("s");
    const late = await Viewer.join(terminals, uri);
    await expectSame(late, first);
    await press("q", late);
    await expectSame(late, first);
    expect(await late.picture()).toContain("history 59999");
  });

  test("[U31] sees what was drawn once, megabytes ago, on a screen that is drawn bit by bit", async () => {
    const { terminals, uri, first, press } = await startProgram();
    await first.sees("ready");
    await press("a");
    for (let count = 0; count < 6; count++) {
      await press("c");
      await terminals.load(uri);
    }
    const late = await Viewer.join(terminals, uri);
    await expectSame(late, first);
    expect(await late.picture()).toContain("row 3");
  });

  test("[U31] after sizes changed, sees what was drawn for each", async () => {
    const { terminals, uri, first, press, resize } = await startProgram();
    await first.sees("ready");
    await press("a");
    resize(60, 18);
    await press("s");
    resize(90, 25);
    await press("s");
    const late = await Viewer.join(terminals, uri);
    expect(late.startSize).toEqual({ cols: 90, rows: 25 });
    await expectSame(late, first);
    resize(70, 28);
    await press("s", late);
    const later = await Viewer.join(terminals, uri);
    await expectSame(late, first);
    await expectSame(later, first);
  });

  test.skipIf(!existsSync("/usr/bin/vim"))("[U30] an editor in a shell: its command continues", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tty-screen-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const lines = Array.from(
      { length: 300 },
      (_, line) => `int line${line} = ${line}; /* ${"*".repeat(line % 70)} */`,
    );
    writeFileSync(path.join(folder, "x.c"), lines.join("\n"));
    const { terminals, uri, first, type } = await startProgram({ command: "/bin/bash", args: [] });
    type("seq 1 450000; echo en''d\r");
    await first.sees("end\r\n");
    type(`vim -u NONE -N -n -c 'syntax on' -c 'set nu' ${folder}/x.c\r`);
    await first.sees("line27");
    const late = await Viewer.join(terminals, uri);
    expect(late.content).toMatchObject([{ kind: "output" }, { kind: "command", text: "" }]);
    await expectSame(late, first);
    type("150Gdd:split\r\x06:echo 'saw'.'it'\r");
    await first.sees("sawit");
    const later = await Viewer.join(terminals, uri);
    await expectSame(late, first);
    await expectSame(later, first);
    type(":qa!\r");
    await first.sees("\x1b[?1049l");
    type("echo ba''ck\r");
    await first.sees("back\r\n");
    await expectSame(late, first);
    await expectSame(later, first);
  });
});

describe("[U32] a screen in memory", () => {
  function bench(options: { readonly isRead?: () => boolean; readonly lingerMs?: number } = {}) {
    const output = new TerminalOutput({ kind: "tty", textLimitBytes: 0, replayBytes: 1024 * 1024 });
    const faults: unknown[] = [];
    let isBroken = false;
    const source = {
      get startOffset() {
        return output.startOffset;
      },
      get endOffset() {
        return output.endOffset;
      },
      bytes: (from: number, to: number) => {
        if (isBroken) throw new Error("broken");
        return output.bytes(from, to);
      },
    };
    const { isRead = () => true, lingerMs = 60_000 } = options;
    const wholeOffset = () => output.endOffset;
    const onFault = (error: unknown) => faults.push(error);
    const screenSize = { columns: size.cols, rows: size.rows };
    const screen = new TtyScreen({
      output: source,
      size: screenSize,
      wholeOffset,
      isRead,
      lingerMs,
      onFault,
    });
    onTestFinished(() => {
      screen.close();
      output.close();
    });
    const scanner = new StreamScanner();
    const push = (text: string) => {
      for (const piece of scanner.scan(Buffer.from(text))) {
        if (piece.kind === "text") {
          screen.willShow();
          output.push(piece.bytes, piece.start, piece.end);
          screen.shown();
        } else if (piece.kind === "modes") screen.noteModes(piece.offset, piece.modes);
      }
    };
    const commands = new CommandIndex({ newId: () => "1" });
    const plain = () => showContent(output, commands, output.endOffset);
    const show = () =>
      showScreen(plain(), screen)
        .parts.map(({ text }) => text)
        .join("");
    const breakNow = () => (isBroken = true);
    return { screen, push, show, plain, faults, breakNow };
  }

  test("[U32] there is none until somebody joins, nor for a terminal on its normal screen", async () => {
    const { screen, push, show } = bench();
    push("normal");
    await screen.load();
    expect(screen.isDrawn).toBe(false);
    expect(show()).toBe("normal");
    push("\x1b[?1049hfull");
    expect(screen.isDrawn).toBe(false);
    await Promise.all([screen.load(), screen.load()]);
    expect(screen.isDrawn).toBe(true);
    expect(show()).toMatch(/^\x1bcnormal.*full/s);
    push("\x1b[?1049l");
    expect(show()).toBe("normal\x1b[?1049hfull\x1b[?1049l");
  });

  test("[U31] what is drawn is kept as text before its bytes go, also while nobody reads", async () => {
    const { screen, push, show } = bench({ isRead: () => false, lingerMs: 5 });
    push("under\x1b[?1049hfirst");
    for (let count = 0; count < 6; count++) {
      const { baseOffset } = screen;
      push("\x1b[3;1Hbit".repeat(60_000));
      await vi.waitFor(() => expect(screen.baseOffset).toBeGreaterThan(baseOffset));
      await vi.waitFor(() => expect(screen.isDrawn).toBe(false));
    }
    await screen.load();
    expect(show()).toMatch(/^\x1bcunder.*first.*bit/s);
    push("\x1b[?1049l\x1b[?1049h");
    await screen.load();
    expect(show()).not.toContain("first");
  });

  test("[U32] a flood drops it, and for a viewer that joins then it is drawn again", async () => {
    const { screen, push, show } = bench();
    push("\x1b[?1049h");
    await screen.load();
    for (let count = 0; count < 80; count++) push("\x1b[1;1Hflood".repeat(2000));
    expect(screen.isDrawn).toBe(false);
    await screen.load();
    push(" and after");
    expect(show()).toMatch(/^\x1bc.*flood and after/s);
  });

  test("[U32] it follows what is written while it is kept, and goes when nobody reads", async () => {
    let isRead = true;
    const { screen, push, show } = bench({ isRead: () => isRead, lingerMs: 20 });
    push("\x1b[?1049h");
    await screen.load();
    for (let count = 0; count < 30; count++) {
      push("\x1b[1;1Hslow".repeat(5000));
      await vi.waitFor(() => expect(screen.behindBytes).toBe(0));
    }
    expect(screen.isDrawn).toBe(true);
    expect(show()).toMatch(/^\x1bc.*slow/s);
    isRead = false;
    await vi.waitFor(() => expect(screen.isDrawn).toBe(false));
  });

  test("[U32] when it cannot be drawn, the bytes are shown instead", async () => {
    const { screen, push, show, plain, faults, breakNow } = bench();
    push("\x1b[?1049hfull");
    await screen.load();
    push(" more");
    breakNow();
    expect(show()).toBe("\x1b[?1049hfull more");
    expect(faults).toHaveLength(1);
    expect(screen.isDrawn).toBe(false);
    expect(plain().parts).toHaveLength(1);
  });

  test("[U32] what was cleared is not shown again", async () => {
    const { screen, push, show, plain } = bench();
    push("secret\r\n\x1b[?1049hsecret too");
    await screen.load();
    screen.cleared(plain().endOffset);
    push("\x1b[Hnew");
    await screen.load();
    expect(show()).toContain("new");
    expect(show()).not.toContain("secret");
  });
});

test("[U33] a viewer that joins a normal screen whose first bytes are gone gets its commands, and the modes from before", async () => {
  const { terminals, uri, first, type } = await startProgram({ command: "/bin/bash", args: [] });
  type(String.raw`printf '\033[?1h\033[?1004h\033[?1002h'; seq 1 450000; echo en''d` + "\r");
  await first.sees("end\r\n");
  await until(() => first.text.includes("\x1b[?2004h"));
  const late = await Viewer.join(terminals, uri);
  expect(late.content[0]).toMatchObject({ kind: "output" });
  expect(late.content[0]?.text).toContain(
    modeSequences({
      isAlternateScreen: false,
      isCursorHidden: false,
      hasApplicationCursorKeys: true,
      hasApplicationKeypad: false,
      hasBracketedPaste: false,
      hasFocusEvents: true,
      mouseTracking: "drag",
      mouseEncoding: "default",
    }),
  );
  expect(late.content[1]).toMatchObject({ kind: "command", end: { exitCode: 0 } });
  await expectSame(late, first);
});
