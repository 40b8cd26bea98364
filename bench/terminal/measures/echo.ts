// How long a keystroke takes to come back while another terminal floods. Its own program.
import { type Terminal, TerminalEngine } from "@holdfast/terminal";
import { serve } from "../isolated.ts";
import { percentile, rounded } from "../statistics.ts";

/** A quick typist's pause, and a little more each time so that keys do not fall into step with a timer. */
const pauseMs = 15;
const pauseSpreadMs = 10;

/** Printed by the program in the terminal when it accepts keys. */
const readyText = "ready";

/** How many keys to press. */
export interface EchoRequest {
  readonly keystrokes: number;
}

/** From the key to its echo, and how much the flood delivered meanwhile. */
export interface Echo {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly floodMegabytesPerSecond: number;
}

/** Requests that the program handles. */
export type EchoProgram = typeof program;

const program = serve({
  measureEcho: async ({ keystrokes }: EchoRequest): Promise<Echo> => {
    const engine = new TerminalEngine();
    const flood = await engine.open({
      command: "yes",
      args: ["The quick brown fox jumps over the lazy dog."],
    });
    let floodBytes = 0;
    const watched = flood.subscribe({ from: "end" }, () => {
      for (let batch = watched.read(); batch !== undefined; batch = watched.read()) {
        floodBytes += batch.bytes.length + batch.skippedBytes;
      }
    });
    // Raw and without the kernel's echo: what comes back has been through a program.
    const typed = await engine.open({
      command: `stty raw -echo; printf ${readyText}; exec cat`,
      kind: "tty",
      audience: "person",
    });
    const echo = new EchoWatch(typed);
    await echo.reached(readyText.length);

    const delaysMs: number[] = [];
    const bytesBefore = floodBytes;
    const startedMs = performance.now();
    for (let key = 0; key < keystrokes; key += 1) {
      const pressedMs = performance.now();
      typed.write("x");
      await echo.reached(readyText.length + key + 1);
      delaysMs.push(performance.now() - pressedMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs + (key % pauseSpreadMs)));
    }
    const elapsedMs = performance.now() - startedMs;
    const floodedBytes = floodBytes - bytesBefore;
    await engine.close();
    return {
      p50Ms: rounded(percentile(delaysMs, 0.5)),
      p99Ms: rounded(percentile(delaysMs, 0.99)),
      floodMegabytesPerSecond: rounded(floodedBytes / 1000 / elapsedMs),
    };
  },
});

/** Counts the bytes that a viewer of the terminal is given. */
class EchoWatch {
  #bytes = 0;
  #wake = (): void => {};

  constructor(terminal: Terminal) {
    const read = (): void => {
      for (let batch = subscription.read(); batch !== undefined; batch = subscription.read()) {
        this.#bytes += batch.bytes.length;
      }
      this.#wake();
    };
    const subscription = terminal.subscribe({ from: "start" }, read);
    read();
  }

  /** Resolves when so many bytes have come. */
  async reached(bytes: number): Promise<void> {
    while (this.#bytes < bytes) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
