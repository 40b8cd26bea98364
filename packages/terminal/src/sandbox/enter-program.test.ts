// The program that joins sandboxes, compiled on the user's machine; other tests find the one that their set-up compiled.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { findEnterProgram } from "./enter-program.ts";
import { findSystemProgram } from "./system-program.ts";

const canCompile = process.platform === "linux" && findSystemProgram("cc") !== undefined;

it.runIf(canCompile)(
  "[T648] it is compiled once, into the private folder, with nothing else left there",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-enter-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (await findEnterProgram(folder)) ?? expect.fail("it was not compiled");
    expect(readdirSync(folder)).toEqual([path.basename(file)]);
    const { ino, mode } = statSync(file);
    expect(mode & 0o777).toBe(0o755);
    expect(await findEnterProgram(folder)).toBe(file);
    expect(statSync(file).ino).toBe(ino);
  },
);
