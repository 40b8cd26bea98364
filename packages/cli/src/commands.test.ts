// The command line: what is asked for, and what is refused.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRunner } from "./command/command.ts";
import { runCommand, type Request } from "./commands.ts";

function readArguments(words: readonly string[]): Promise<Request> {
  return runCommand(
    words,
    createRunner("holdfast.js", () => undefined),
  );
}

describe("[C11] arguments", () => {
  it("[C11] ask for serving, with or without the word", async () => {
    await expect(readArguments([])).resolves.toEqual({ kind: "serve", options: {} });
    const words = ["--port", "0", "--home", "h", "--config", "c", "--json", "--host", "::1"];
    const options = { port: 0, home: "h", config: "c", json: true, host: "::1" };
    await expect(readArguments(words)).resolves.toEqual({ kind: "serve", options });
    await expect(readArguments(["serve", ...words])).resolves.toEqual({ kind: "serve", options });
  });

  it.each([
    [["--home", "h", "--json", "serve", "--port", "0"], { home: "h", json: true, port: 0 }],
    [["--home=h", "serve"], { home: "h" }],
  ])("[C513] %j has its options before the command", async (words, options) => {
    await expect(readArguments(words)).resolves.toEqual({ kind: "serve", options });
  });

  it("[C513] shared options reach a subcommand, and an unknown command is named", async () => {
    const home = mkdtempSync(path.join(tmpdir(), "holdfast-arguments-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    await expect(readArguments(["--home", home, "config", "init"])).resolves.toEqual({ kind: "done" });
    expect(existsSync(path.join(home, "config.jsonc"))).toBe(true);
    await expect(readArguments(["--home", home, "dance"])).rejects.toThrow(/Unknown command 'dance'/);
    await expect(readArguments(["--home", home, "--help"])).resolves.toMatchObject({ kind: "help" });
  });

  it.each([
    [["--port", "70000"], /whole number from 0 to 65535/],
    [["--port", "-1"], /whole number from 0 to 65535|argument missing/],
    [["--port", "1e3"], /whole number from 0 to 65535/],
    [["--port"], /argument missing/],
    [["--colour"], /Unknown option '--colour'/],
    [["dance"], /Unknown command/],
  ])("[C11] %j is refused in words", async (words, sentence) => {
    await expect(readArguments(words)).rejects.toThrow(sentence);
  });

  it("[C11] ask for help", async () => {
    await expect(readArguments(["--help"])).resolves.toMatchObject({
      kind: "help",
      text: expect.stringContaining("serve") as string,
    });
    await expect(readArguments(["serve", "--help"])).resolves.toMatchObject({
      text: expect.stringContaining("--port <number>") as string,
    });
  });

  it("[C383] help groups the commands and shows examples", async () => {
    const { text } = (await readArguments(["--help"])) as { text: string };
    const headings = [...text.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      "Options",
      "Host",
      "Agents and sessions",
      "Changes",
      "Approvals",
      "Terminals",
      "History",
      "Access",
      "Host and machine",
      "Commands",
      "Examples",
    ]);
    expect(text).not.toContain("__complete");
  });

  it.each([
    [
      ["run", "--polcy", "ask", "shell"],
      "Unknown option '--polcy' (Did you mean --policy?)",
      "holdfast run --help",
    ],
    [
      ["run", "--policy", "no"],
      /^'no' is not valid for --policy\. Allowed choices are .*ask/,
      "holdfast run --help",
    ],
    [["export", "-o"], "Option '-o, --output <file>' argument missing", "holdfast export --help"],
    [
      ["completion", "tcsh"],
      "'tcsh' is not a valid shell. Allowed choices are bash, zsh, fish.",
      "holdfast completion --help",
    ],
    [["--home", "h", "keys", "ls", "--x"], "Unknown option '--x'", "holdfast keys ls --help"],
    [["dance"], /^Unknown command 'dance'/, "holdfast --help"],
  ])("[C846] %j names the help of its command", async (words, message, help) => {
    await expect(readArguments(words)).rejects.toMatchObject({
      message: typeof message === "string" ? message : expect.stringMatching(message),
      remedy: expect.stringContaining(`\`${help}\``) as string,
    });
  });

  it("[C14] name the nearest command to a word that is none", async () => {
    await expect(readArguments(["serv"])).rejects.toThrow(/Unknown command 'serv' \(Did you mean serve\?\)/);
  });
});
