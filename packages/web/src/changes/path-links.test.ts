// Paths with lines in the text of a conversation.
import { expect, it } from "vitest";
import { findPaths } from "./path-links.ts";

it.each([
  ["see src/a.ts:12 and ./b/c-d.test.tsx:3:7.", ["src/a.ts:12", "b/c-d.test.tsx:3"]],
  ["/tmp/x/main.rs:1", ["/tmp/x/main.rs:1"]],
  ["(package.json:4)", ["package.json:4"]],
  ["@scope/name.d.ts:10", ["@scope/name.d.ts:10"]],
])("[Z845] %j has %j", (text, found) => {
  expect(findPaths(text).map(({ file, line }) => `${file}:${line}`)).toEqual(found);
  for (const { start, end, line } of findPaths(text)) expect(text.slice(start, end)).toContain(`:${line}`);
});

it.each([
  "at 12:30:05",
  "http://example.org:8080/x",
  "https://a.b/c.js:12",
  "a.ts:0",
  "v1.2:3",
  "localhost:4747",
  "a.ts: 12",
])("[Z845] %j has none", (text) => {
  expect(findPaths(text)).toEqual([]);
});
