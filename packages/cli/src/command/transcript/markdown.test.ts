// The lines of a transcript as a page for people.
import { expect, it } from "vitest";
import { markdownOf } from "./markdown.ts";

it("[C889] the end of a command names the limit that ended it", () => {
  const limit = { name: "memory", value: 512 * 1024 * 1024, unit: "bytes" } as const;
  const exited = { type: "exited", terminal: "a-terminal", endOffset: 0 } as const;
  expect(markdownOf({ ...exited, exit: { kind: "signal", signal: "SIGKILL", limit } })).toBe(
    "Ended by SIGKILL at its memory limit (512 MiB)\n\n",
  );
  expect(markdownOf({ ...exited, exit: { kind: "code", exitCode: 3 } })).toBe("Exited 3\n\n");
});
