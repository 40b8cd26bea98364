// A flood into a screen that draws slowly.
import { describe, expect, it } from "vitest";
import { ScreenWriter, type Screen } from "./screen-writer.ts";

/** A screen that finishes drawing on demand. */
class SlowScreen implements Screen {
  readonly modes = { applicationCursorKeysMode: false };
  readonly written: string[] = [];
  resets = 0;
  #pieces: Uint8Array[] = [];
  #done: (() => void) | undefined;

  write(bytes: Uint8Array, callback?: () => void): void {
    expect(this.#done, "a write came before the last one was drawn").toBeUndefined();
    this.#pieces.push(bytes);
    if (callback === undefined) return;
    this.written.push(Buffer.concat(this.#pieces).toString());
    this.#pieces = [];
    this.#done = callback;
  }

  reset(): void {
    this.resets += 1;
  }

  resize(cols: number, rows: number): void {
    expect(this.#done, "a resize came before the last write was drawn").toBeUndefined();
    this.written.push(`(${cols}×${rows})`);
  }

  draw(): void {
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }
}

function start(onReplayed?: () => void): { screen: SlowScreen; writer: ScreenWriter; frame: () => void } {
  const screen = new SlowScreen();
  const waiting = new Set<() => void>();
  const writer = new ScreenWriter(screen, (callback) => waiting.add(callback), onReplayed);
  const frame = (): void => {
    const callbacks = [...waiting];
    waiting.clear();
    for (const callback of callbacks) callback();
  };
  return { screen, writer, frame };
}

describe("[Z12] a screen", () => {
  it("[Z12] gets one bounded piece for each frame, and never a second before the first is drawn", () => {
    const { screen, writer, frame } = start();
    for (let count = 0; count < 2000; count += 1) {
      writer.append("x".repeat(100_000));
      frame();
      if (count % 7 === 0) screen.draw();
    }
    expect(Math.max(...screen.written.map((text) => text.length))).toBeLessThan(33_000);
    const drawn = screen.written.reduce((sum, text) => sum + text.length, 0);
    expect(drawn).toBeLessThan(20_000_000);
    expect(screen.written.at(-1)).toContain("of output not shown");
  });

  it("[Z12] shows all of a calm output, in order", () => {
    const { screen, writer, frame } = start();
    const pieces = Array.from({ length: 50 }, (_, index) => `line ${index}\n`);
    for (const piece of pieces) {
      writer.append(piece);
      frame();
      screen.draw();
    }
    frame();
    expect(screen.written.join("")).toBe(pieces.join(""));
  });

  it("[T400] gets sequences that may be expensive one by one", () => {
    const pieces: string[] = [];
    const screen: Screen = {
      modes: { applicationCursorKeysMode: false },
      write: (bytes) => void pieces.push(Buffer.from(bytes).toString()),
      reset: () => undefined,
      resize: () => undefined,
    };
    const writer = new ScreenWriter(screen, (callback) => callback());
    writer.append("\u001B[31mred\u001B[0m\u001B[500S\u001Bc\u001B[2Jplain 漢字");
    expect(pieces).toEqual(["\u001B[31mred\u001B[0m", "\u001B[500S", "\u001Bc", "\u001B[2Jplain 漢字"]);
  });

  it("[Z14] is replaying until what was there before is drawn", () => {
    const { screen, writer, frame } = start();
    writer.reset([{ size: undefined, text: "old" }]);
    expect(writer.isReplaying).toBe(true);
    frame();
    expect(writer.isReplaying).toBe(true);
    screen.draw();
    expect(writer.isReplaying).toBe(false);
    expect(screen.resets).toBe(1);
  });

  it("[Z510] draws old output at the sizes that it was written for, and later output after it", () => {
    let replays = 0;
    const { screen, writer, frame } = start(() => (replays += 1));
    writer.reset([
      { size: { cols: 80, rows: 24 }, text: "small" },
      { size: { cols: 90, rows: 30 }, text: "large" },
    ]);
    writer.append("later");
    frame();
    screen.draw();
    expect(replays).toBe(0);
    frame();
    screen.draw();
    expect(replays).toBe(1);
    frame();
    screen.draw();
    expect(screen.written).toEqual(["(80×24)", "small", "(90×30)", "large", "later"]);
    expect(replays).toBe(1);
  });
});
