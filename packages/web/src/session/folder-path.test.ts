// Paths of folders as people type them.
import { expect, it } from "vitest";
import { absolutePath } from "./folder-path.ts";

it.each([
  ["~", "/home/ann"],
  ["~/", "/home/ann/"],
  ["~/work/site", "/home/ann/work/site"],
  ["~ann/work", "/home/ann/~ann/work"],
  ["work", "/home/ann/work"],
  ["./work/", "/home/ann/work/"],
  ["../bob", "/home/bob"],
  ["..", "/home/"],
  ["/srv/~/x", "/srv/~/x"],
  ["C:\\work", "C:\\work"],
  [" /srv ", "/srv"],
  ["", ""],
])("[Z891] %j is %j", (typed, path) => {
  expect(absolutePath(typed, "/home/ann")).toBe(path);
});

it("[Z891] leaves what was typed where the home folder is not known", () => {
  expect(absolutePath("~/work", "")).toBe("~/work");
});
