// The home: its path and its permissions.
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findHome, openHome } from "./home.ts";
import { recordLog, temporaryFolder } from "../testing/temporary-home.ts";

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

describe("[C1] the home", () => {
  it("[C1] is the option's, else the variable's, else the platform's state directory", () => {
    expect(findHome("/a", { HOLDFAST_HOME: "/b" })).toBe("/a");
    expect(findHome(undefined, { HOLDFAST_HOME: "/b" })).toBe("/b");
    expect(findHome("here", {})).toBe(path.resolve("here"));
    const fallback = findHome(undefined, { HOLDFAST_HOME: "" });
    expect(path.isAbsolute(fallback)).toBe(true);
    expect(fallback).toContain("holdfast");
  });

  it.runIf(process.platform === "linux")("[C1] on Linux that is under XDG's state directory", () => {
    expect(findHome(undefined, {})).toMatch(/(\.local\/state|XDG|state)\/holdfast$/i);
  });

  it.skipIf(process.platform === "win32")("[C1] is made, with its parents, for its owner alone", () => {
    const home = path.join(temporaryFolder(), "deep", "home");
    openHome(home, recordLog().log);
    expect(modeOf(home)).toBe(0o700);
  });

  it.skipIf(process.platform === "win32")("[C1] is closed to others when it is empty or was a home", () => {
    const empty = temporaryFolder();
    chmodSync(empty, 0o777);
    openHome(empty, recordLog().log);
    expect(modeOf(empty)).toBe(0o700);

    const used = temporaryFolder();
    writeFileSync(path.join(used, "token"), "x");
    chmodSync(used, 0o755);
    openHome(used, recordLog().log);
    expect(modeOf(used)).toBe(0o700);
  });

  it.skipIf(process.platform === "win32")(
    "[C1] leaves the rights of a folder with other things alone",
    () => {
      const shared = temporaryFolder();
      mkdirSync(path.join(shared, "photos"));
      chmodSync(shared, 0o755);
      const { log, lines } = recordLog();
      openHome(shared, log);
      expect(modeOf(shared)).toBe(0o755);
      expect(lines).toEqual([expect.stringContaining("Other users can list the home")]);
    },
  );

  it.skipIf(process.platform === "win32")("[C1] is refused where everybody may write", () => {
    const open = temporaryFolder();
    mkdirSync(path.join(open, "photos"));
    chmodSync(open, 0o1777);
    expect(() => openHome(open, recordLog().log)).toThrow(/Every user can write .* --home/);
    expect(modeOf(open)).toBe(0o777);
  });

  it("[C1] says what is wrong with a path that cannot be a folder", () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(() => openHome(path.join(file, "home"), recordLog().log)).toThrow(
      /cannot be used \(ENOTDIR\)\. Choose/,
    );
  });
});
