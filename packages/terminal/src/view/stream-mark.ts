// Content of a terminal's stream besides text: commands, directories, titles, modes, queries; and how it is parsed.
import { Buffer } from "node:buffer";
import type { TerminalModes } from "./terminal-modes.ts";
import type { TerminalQuery } from "./terminal-query.ts";

/** Something that the stream says. */
export type MarkContent =
  /** A prompt is about to be drawn. */
  | { readonly kind: "promptStart" }
  /** The prompt has been drawn; what follows is typed. */
  | { readonly kind: "promptEnd" }
  /** The line that the shell is about to run, or has just begun to run. */
  | { readonly kind: "commandLine"; readonly commandLine: string }
  /** Output of a command begins. */
  | { readonly kind: "commandExecuted" }
  /** The command has ended. */
  | { readonly kind: "commandFinished"; readonly exitCode?: number }
  /** The shell's directory; `host` is set when it is that of another name than `localhost`. */
  | { readonly kind: "cwd"; readonly path: string; readonly host?: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "modes"; readonly modes: TerminalModes }
  | { readonly kind: "query"; readonly query: TerminalQuery };

/** Where it was said: bytes from the first one, with and without those that were taken out. */
export interface MarkPosition {
  /** In the stream that is shown. */
  readonly offset: number;
  /** In the stream as it came. */
  readonly rawOffset: number;
}

/** Something that the stream says, and where. */
export type StreamMark = MarkContent & MarkPosition;

/** The mark in an OSC 633 or 133 that ends with the nonce: `false` when it does not, `undefined` for unknown marks. */
export function readOwnMark(body: Buffer, nonce: string): MarkContent | undefined | false {
  const text = body.toString("latin1");
  if (!text.endsWith(`;${nonce}`)) return false;
  const [letter, first] = text.slice(0, -nonce.length - 1).split(";");
  switch (letter) {
    case "A":
      return { kind: "promptStart" };
    case "B":
      return { kind: "promptEnd" };
    case "C":
      return { kind: "commandExecuted" };
    case "D":
      if (first === undefined || first === "") return { kind: "commandFinished" };
      return /^\d{1,9}$/.test(first) ? { kind: "commandFinished", exitCode: Number(first) } : undefined;
    case "E":
      return { kind: "commandLine", commandLine: unescapeValue(first ?? "") };
    case "P":
      return first?.startsWith("Cwd=") ? cwdMark(unescapeValue(first.slice(4))) : undefined;
    default:
      return undefined;
  }
}

/** The OSC codes that are listened to but never taken out. */
export const OBSERVED_CODES: ReadonlySet<number> = new Set([0, 2, 7, 9, 1337]);

/** The content of one of them, if it concerns us. */
export function readObserved(code: number, body: Buffer): MarkContent | undefined {
  const text = body.toString("utf8");
  switch (code) {
    case 0:
    case 2:
      return { kind: "title", title: text };
    case 7:
      return fileUrlMark(text);
    case 9:
      return text.startsWith("9;") ? cwdMark(text.slice(2).replace(/^"(.*)"$/, "$1")) : undefined;
    case 1337:
      return text.startsWith("CurrentDir=") ? cwdMark(text.slice(11)) : undefined;
    default:
      return undefined;
  }
}

function cwdMark(path: string, host?: string): MarkContent | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  return host === undefined ? { kind: "cwd", path } : { kind: "cwd", path, host };
}

function fileUrlMark(url: string): MarkContent | undefined {
  const [, host, path] = /^file:\/\/([^/]*)(\/.*)$/s.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  const isOwn = host === "" || host === "localhost";
  return cwdMark(percentDecoded(path), isOwn ? undefined : percentDecoded(host));
}

/** Bytes in percent form; one that is not stays as it is, because some shells do not encode. */
function percentDecoded(text: string): string {
  return decodedBytes(Buffer.from(text), /%([0-9a-fA-F]{2})/g);
}

/** A value in our marks: `\\` is a backslash and `\xHH` a byte; an escape that was cut off at the end is dropped. */
function unescapeValue(latin1: string): string {
  const whole = latin1.replace(/(?<=(?:^|[^\\])(?:\\\\)*)\\(?:x[0-9a-fA-F]?)?$/, "");
  const isWhole = whole.length === latin1.length;
  const text = decodedBytes(Buffer.from(whole, "latin1"), /\\(?:\\|x([0-9a-fA-F]{2}))/g);
  return isWhole ? text : text.replace(/\u{FFFD}$/u, "");
}

function decodedBytes(bytes: Buffer, escapes: RegExp): string {
  const decoded = bytes
    .toString("latin1")
    .replace(escapes, (_whole, hex: string | undefined) =>
      hex === undefined ? "\\" : String.fromCodePoint(Number.parseInt(hex, 16)),
    );
  return Buffer.from(decoded, "latin1").toString("utf8");
}
