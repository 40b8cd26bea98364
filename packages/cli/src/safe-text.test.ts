// Text of others on a terminal: nothing in it steers the terminal.
import { describe, expect, it } from "vitest";
import { safeJson, safeLines, safeText } from "./safe-text.ts";

describe("[C21] safe text", () => {
  it("[C21] writes out what would steer a terminal, or turn text around", () => {
    expect(safeText("a\u001B[2Kb\rc\nd\te\u0007\u009B\u202Ef\u2066")).toBe(
      "a\\e[2Kb\\rc\\nd\\te\\u0007\\u009b\\u202ef\\u2066",
    );
    expect(safeText("Grüße, 世界 👩‍💻")).toBe("Grüße, 世界 👩‍💻");
  });

  it("[C21] leaves newlines and tabs in lines, and takes another system's breaks for newlines", () => {
    expect(safeLines("a\r\n\tb\rc\u001B]0;x\u0007\n")).toBe("a\n\tb\\rc\\e]0;x\\u0007\n");
  });

  it("[C21] leaves no control character of any kind", () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
    expect(safeText(all)).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}|[\u202A-\u202E\u2066-\u2069]/u);
    expect(safeLines(all).replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
  });

  it("[C21] is the same value as JSON, on one line", () => {
    const value = { title: "a\u009B2J\u202Eb\nc\u007F\u2028" };
    const line = safeJson(value);
    expect(line).toBe('{"title":"a\\u009b2J\\u202eb\\nc\\u007f\\u2028"}');
    expect(JSON.parse(line)).toEqual(value);
  });
});
