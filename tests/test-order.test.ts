// The list of the longest test files, which run first.
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "./repository/source-file.ts";
import { longestFiles } from "./setup/sequencer.ts";

it("[G700] the files that run first are there, each once", () => {
  expect(longestFiles.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  expect(new Set(longestFiles).size).toBe(longestFiles.length);
});
