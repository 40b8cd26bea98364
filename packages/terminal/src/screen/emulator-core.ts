// Internals of the emulator that its public interface does not expose, checked where they are read.
import type { IBufferCell, Terminal } from "@xterm/headless";

/** How characters look, as the emulator packs it. */
export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: {
    /** Holds the style of underlines, which its own getter hides within links. */
    readonly _ext: number;
    readonly underlineColor: number;
    readonly urlId: number;
  };
}

/** The attributes as a cursor was saved with them. */
export type SavedAttributes = Pick<Attributes, "fg" | "bg">;

/** The characters that stand for those of ASCII. */
export type CharacterSet = Readonly<Record<string, string>>;

/** One of the two screens. */
export interface CoreBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: SavedAttributes;
  readonly savedCharset: CharacterSet | undefined;
}

/** The numbers of a control function. */
interface CoreParameters {
  readonly params: readonly number[];
}

/** The inside of the emulator, as far as a snapshot needs it. */
export interface EmulatorCore {
  writeSync(data: string | Uint8Array): void;
  readonly buffers: { readonly normal: CoreBuffer; readonly alt: CoreBuffer };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly decPrivateModes: {
      readonly cursorStyle: string | undefined;
      readonly cursorBlink: boolean | undefined;
    };
  };
  readonly coreMouseService: { readonly activeEncoding: string };
  readonly _inputHandler: {
    readonly _curAttrData: Attributes;
    eraseInDisplay(parameters: CoreParameters): boolean;
  };
  readonly _charsetService: {
    /** The set in use: that of `glevel`, or the one that a cursor was saved with. */
    readonly charset: CharacterSet | undefined;
    readonly glevel: number;
    readonly _charsets: readonly (CharacterSet | undefined)[];
  };
  readonly _oscLinkService: { getLinkData(id: number): { readonly uri: string } | undefined };
}

/** The inside of an emulator; throws when it is of another version than ours. */
export function coreOf(terminal: Terminal): EmulatorCore {
  const core: unknown = Reflect.get(terminal, "_core");
  if (!isCore(core)) {
    throw new TypeError("This version of @xterm/headless keeps its state elsewhere; use 6.0.0");
  }
  return core;
}

/** The attributes of a cell, which the emulator hands out as a separate object. */
export function attributesOf(cell: IBufferCell): Attributes {
  if (!isAttributes(cell)) throw new TypeError("This version of @xterm/headless has other cells; use 6.0.0");
  return cell;
}

function isCore(value: unknown): value is EmulatorCore {
  return (
    isNumber(value, "buffers", "normal", "scrollBottom") &&
    isNumber(value, "buffers", "alt", "savedY") &&
    isNumber(value, "buffers", "normal", "savedCurAttrData", "fg") &&
    isNumber(value, "_inputHandler", "_curAttrData", "fg") &&
    isNumber(value, "_charsetService", "glevel") &&
    typeof at(value, "coreService", "isCursorHidden") === "boolean" &&
    typeof at(value, "coreService", "decPrivateModes") === "object" &&
    typeof at(value, "coreMouseService", "activeEncoding") === "string" &&
    typeof at(value, "_oscLinkService", "getLinkData") === "function" &&
    typeof at(value, "_inputHandler", "eraseInDisplay") === "function" &&
    typeof at(value, "writeSync") === "function"
  );
}

function isAttributes(value: object): value is Attributes {
  return isNumber(value, "fg") && isNumber(value, "bg") && isNumber(value, "extended", "_ext");
}

function isNumber(value: unknown, ...path: readonly string[]): boolean {
  return typeof at(value, ...path) === "number";
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    found = typeof found === "object" && found !== null ? Reflect.get(found, name) : undefined;
  }
  return found;
}
