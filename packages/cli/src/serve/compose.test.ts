// The part of the program that agents cannot change: of a checkout the whole of it, of a packed program its package.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findProgram } from "./compose.ts";

const checkout = fileURLToPath(new URL("../../../../", import.meta.url));

test("[V702] the program of a checkout is the whole checkout", () => {
  expect(findProgram(path.join(checkout, "packages"))).toBe(path.resolve(checkout));
});

test("[V702] the program of a package is the package, whatever its folder is called", () => {
  expect(findProgram("/opt/holdfast")).toBe("/opt/holdfast");
  expect(findProgram("/opt/packages")).toBe("/opt/packages");
});
