// What tool calls show, in ACP's words.
import { makeId, terminalUri, type ToolContent } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { describeContent } from "./tool-content.ts";

const resource = terminalUri(makeId("terminal", "term-1"));

const cases: [string, ToolContent, object][] = [
  ["text", { type: "text", text: "hi" }, { type: "content", content: { type: "text", text: "hi" } }],
  [
    "a picture",
    { type: "embeddedResource", data: "AA==", contentType: "image/png" },
    { type: "content", content: { type: "image", data: "AA==", mimeType: "image/png" } },
  ],
  [
    "another file",
    { type: "embeddedResource", data: "AA==", contentType: "application/pdf" },
    {
      type: "content",
      content: { type: "resource", resource: { blob: "AA==", mimeType: "application/pdf" } },
    },
  ],
  [
    "a link",
    { type: "resource", uri: "file:///a", contentType: "text/plain", sizeBytes: 3 },
    {
      type: "content",
      content: {
        type: "resource_link",
        uri: "file:///a",
        name: "file:///a",
        mimeType: "text/plain",
        size: 3,
      },
    },
  ],
  [
    "a new file",
    { type: "fileEdit", path: "/a", after: { kind: "text", text: "new" } },
    { type: "diff", path: "/a", oldText: null, newText: "new" },
  ],
  [
    "a file that is gone",
    { type: "fileEdit", path: "/a", before: { kind: "text", text: "old" } },
    { type: "diff", path: "/a", oldText: "old", newText: "", deleted: true },
  ],
  [
    "a change of a long file",
    { type: "fileEdit", path: "/a", before: { kind: "ref", uri: "x:1" }, after: { kind: "ref", uri: "x:2" } },
    { type: "diff", path: "/a", oldText: null, newText: "", oldUri: "x:1", newUri: "x:2" },
  ],
  [
    "a running terminal",
    { type: "terminal", resource, title: "sh", isPty: true },
    { type: "terminal", terminalId: "term-1", resource, title: "sh", isPty: true },
  ],
  [
    "a terminal that has exited",
    {
      type: "terminal",
      resource,
      title: "sh",
      isPty: false,
      result: { exit: { kind: "signal", signal: "SIGTERM" }, preview: "bye", skippedBytes: 9 },
    },
    {
      type: "terminal",
      terminalId: "term-1",
      resource,
      title: "sh",
      isPty: false,
      output: "bye",
      exitStatus: { exitCode: null, signal: "SIGTERM" },
      truncated: true,
    },
  ],
  ["an unknown kind", { type: "raw", value: { type: "song", notes: 3 } }, { type: "song", notes: 3 }],
];

it.each(cases)("[A31] %s", (_title, content, expected) => {
  expect(describeContent(content)).toEqual(expected);
});
