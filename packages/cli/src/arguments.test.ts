// The arguments: what is asked for, and what is refused.
import { describe, expect, it } from "vitest";
import { readArguments } from "./arguments.ts";

describe("[C11] arguments", () => {
  it("[C11] ask for serving, with or without the word", () => {
    expect(readArguments([])).toEqual({ kind: "serve", options: {} });
    const words = ["--port", "0", "--home", "h", "--config", "c", "--json", "--host", "::1"];
    const options = { port: 0, home: "h", config: "c", json: true, host: "::1" };
    expect(readArguments(words)).toEqual({ kind: "serve", options });
    expect(readArguments(["serve", ...words])).toEqual({ kind: "serve", options });
  });

  it.each([
    [["--port", "70000"], /whole number from 0 to 65535/],
    [["--port", "-1"], /whole number from 0 to 65535|argument missing/],
    [["--port", "1e3"], /whole number from 0 to 65535/],
    [["--port"], /argument missing/],
    [["--colour"], /unknown option '--colour'/],
    [["dance"], /too many arguments|unknown command/],
  ])("[C11] %j is refused in words", (words, sentence) => {
    expect(() => readArguments(words)).toThrow(sentence);
  });

  it("[C11] ask for help", () => {
    expect(readArguments(["--help"])).toMatchObject({
      kind: "help",
      text: expect.stringContaining("serve") as string,
    });
    expect(readArguments(["serve", "--help"])).toMatchObject({
      text: expect.stringContaining("--port <number>") as string,
    });
  });
});
