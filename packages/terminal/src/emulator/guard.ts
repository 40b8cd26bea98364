// Control functions of xterm.js 6.0.0 that could block for seconds, done in bounded time instead (T203, T400).

/** A terminal of `@xterm/headless` or `@xterm/xterm`, as far as the guard needs it. */
export interface GuardedTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly parser: {
    registerCsiHandler(
      id: { readonly final: string },
      callback: (parameters: (number | number[])[]) => boolean,
    ): unknown;
    registerOscHandler(identifier: number, callback: (data: string) => boolean): unknown;
  };
}

type LineFunction = "insertLines" | "deleteLines" | "scrollUp" | "scrollDown";
type LoopingFunction = LineFunction | "cursorForwardTab" | "cursorBackwardTab" | "repeatPrecedingCharacter";
type CoreFunction = (parameters: { readonly params: readonly number[] }) => boolean;

/** The buffer that is shown. */
interface GuardedBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly markers: readonly unknown[];
  readonly lines: {
    get(index: number): { getString(column: number): string } | undefined;
    splice(start: number, deleteCount: number, ...lines: readonly unknown[]): void;
  };
  getBlankLine(attributes: unknown): unknown;
}

/** The inside of a terminal. */
interface GuardedCore {
  readonly buffers: { readonly active: GuardedBuffer };
  readonly _inputHandler: Readonly<Record<LoopingFunction, CoreFunction>> & {
    _eraseAttrData(): unknown;
    setHyperlink(data: string): boolean;
  };
}

const lineFunctions = { L: "insertLines", M: "deleteLines", S: "scrollUp", T: "scrollDown" } as const;
const tabFunctions = { I: "cursorForwardTab", Z: "cursorBackwardTab" } as const;
/** Each line with a link has a marker, and each line feed visits all of them. */
const maxMarkers = 500;
/** Limit on REP, in rows: a character and those joined to it may be of any length. */
const maxRepeatedRows = 4;

/** Bounds what one sequence costs, to a screenful; throws when the terminal is of another version than ours. */
export function guardEmulator(terminal: GuardedTerminal): void {
  const core = coreOf(terminal);
  const handle = (final: string, run: (count: number) => boolean): void => {
    terminal.parser.registerCsiHandler({ final }, ([count]) => run(typeof count === "number" ? count : 1));
  };
  for (const [final, name] of Object.entries(lineFunctions)) {
    handle(final, (count) => count > 1 && moveLines(core, name, count));
  }
  for (const [final, name] of Object.entries(tabFunctions)) {
    handle(final, (count) => count > terminal.cols && core._inputHandler[name]({ params: [terminal.cols] }));
  }
  handle("b", (count) => repeatWithin(core, count, terminal.cols));
  terminal.parser.registerOscHandler(8, () => {
    if (core.buffers.active.markers.length < maxMarkers) return false;
    // Text that would have the link has none; without this it would have the last one.
    return core._inputHandler.setHyperlink(";");
  });
}

/** Moves lines all at once: xterm.js moves the whole screen for each of them. */
function moveLines(core: GuardedCore, name: LineFunction, count: number): boolean {
  // The first by its own function, which also places the cursor and notes what has changed.
  core._inputHandler[name]({ params: [1] });
  const { y, ybase, scrollTop, scrollBottom, lines } = core.buffers.active;
  const isAtCursor = name === "insertLines" || name === "deleteLines";
  if (isAtCursor && (y < scrollTop || y > scrollBottom)) return true;
  const top = ybase + (isAtCursor ? y : scrollTop);
  const bottom = ybase + scrollBottom;
  const moved = Math.min(count, bottom - top + 1) - 1;
  if (moved < 1) return true;
  const isUpwards = name === "deleteLines" || name === "scrollUp";
  const attributes = name === "scrollDown" ? undefined : core._inputHandler._eraseAttrData();
  const blank = Array.from({ length: moved }, () => core.buffers.active.getBlankLine(attributes));
  lines.splice(isUpwards ? top : bottom - moved + 1, moved);
  lines.splice(isUpwards ? bottom - moved + 1 : top, 0, ...blank);
  return true;
}

/** Repeats no more than some rows hold, and nothing that is longer than those itself. */
function repeatWithin(core: GuardedCore, count: number, columns: number): boolean {
  const { x, y, ybase, lines } = core.buffers.active;
  const line = lines.get(ybase + y);
  // A wide character is at most two columns left of the cursor.
  const length = Math.max(1, line?.getString(x - 1).length ?? 0, line?.getString(x - 2).length ?? 0);
  const most = Math.min(columns, Math.floor((maxRepeatedRows * columns) / length));
  if (count <= most) return false;
  return most === 0 || core._inputHandler.repeatPrecedingCharacter({ params: [most] });
}

function coreOf(terminal: GuardedTerminal): GuardedCore {
  const core: unknown = Reflect.get(terminal, "_core");
  if (!isCore(core)) throw new TypeError("This version of xterm.js keeps its state elsewhere; use 6.0.0");
  return core;
}

function isCore(value: unknown): value is GuardedCore {
  return (
    typeof at(value, "buffers", "active", "lines", "splice") === "function" &&
    typeof at(value, "buffers", "active", "getBlankLine") === "function" &&
    typeof at(value, "buffers", "active", "scrollBottom") === "number" &&
    Array.isArray(at(value, "buffers", "active", "markers")) &&
    [
      ...Object.values(lineFunctions),
      ...Object.values(tabFunctions),
      "repeatPrecedingCharacter",
      "_eraseAttrData",
      "setHyperlink",
    ].every((name) => typeof at(value, "_inputHandler", name) === "function")
  );
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  }
  return found;
}
