// Shows which paths patterns of watches fit.
import { expect, test } from "vitest";
import { matcherOf } from "./path-patterns.ts";

test.each([
  ["**/node_modules/**", "a/node_modules/b/c.js", true],
  ["**/node_modules/**", "node_modules", true],
  ["**/node_modules/**", "node_modules_2/a", false],
  ["node_modules", "node_modules/a/b", true],
  ["node_modules", "a/node_modules", false],
  ["*.ts", "a.ts", true],
  ["*.ts", "a/b.ts", false],
  ["**/*.ts", "a/b.ts", true],
  ["**/*.{ts,tsx}", "b.tsx", true],
  ["**/*.{ts,tsx}", "b.js", false],
  ["./src/", "src/a", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a.b", "axb", false],
  ["(", "(", true],
])("[E770] %s fits %s: %s", (pattern, path, fits) => {
  expect(matcherOf([pattern])(path)).toBe(fits);
});
