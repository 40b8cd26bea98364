// `/write`, against real files.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ALL_CAPABILITIES } from "../testing/shell-client.ts";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { Params } from "../testing/client-replies.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
const path = join(folder, "a b.txt");
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  writeFileSync(path, "one\ntwo\nthree\nfour\n");
  client.permission = () => ({ outcome: "selected", optionId: "write-it" });
  sessionId = await client.open(folder);
});

describe("/write", () => {
  it("[S13] shows the difference, asks, then writes exactly what was typed", async () => {
    let asked: Params<"session/request_permission"> | undefined;
    client.permission = (params) => {
      asked = params;
      expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nfour\n");
      return { outcome: "selected", optionId: "write-it" };
    };
    await client.prompt(sessionId, `/write "${path}"\n  ein\nzwei é`);
    expect(readFileSync(path, "utf8")).toBe("  ein\nzwei é");
    const diff = { type: "diff", path, oldText: "one\ntwo\nthree\nfour\n", newText: "  ein\nzwei é" };
    expect(asked).toMatchObject({
      toolCall: { kind: "edit", status: "pending", content: [diff] },
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
    });
    expect(asked?.options.map((option) => option.optionId)).toEqual([
      "write-it",
      "write-all-from-now",
      "keep-as-is",
    ]);
    expect(client.calls(sessionId)).toMatchObject([
      { kind: "edit", status: "completed", locations: [{ path }], rawInput: { path }, content: [diff] },
    ]);
    expect(client.text(sessionId)).toBe(`Wrote 13 bytes to \`${path}\`.`);
  });

  it("[S13] makes a new file, and its difference has no old text", async () => {
    await client.prompt(sessionId, "/write new.txt hello world");
    expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("hello world");
    expect(client.calls(sessionId)).toMatchObject([
      { content: [{ type: "diff", oldText: null, newText: "hello world" }] },
    ]);
  });

  it("[S13] rejected leaves the file as it is", async () => {
    client.permission = () => ({ outcome: "selected", optionId: "keep-as-is" });
    await client.prompt(sessionId, `/write "${path}" other`);
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nfour\n");
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.text(sessionId)).toContain("was not written: it was rejected.");
  });

  it("[S13] allowed for good covers writes, but no commands", async () => {
    const asked: (string | undefined)[] = [];
    client.permission = ({ toolCall }) => {
      asked.push(toolCall.kind);
      return { outcome: "selected", optionId: toolCall.kind === "edit" ? "write-all-from-now" : "leave-it" };
    };
    for (const text of ["/write x 1", "/write y 2", "echo hi"]) await client.prompt(sessionId, text);
    expect(asked).toEqual(["edit", "execute"]);
  });

  it("[S13] a file that cannot be read or written is reported", async () => {
    mkdirSync(join(folder, "place"), { recursive: true });
    await client.prompt(sessionId, "/write place text");
    expect(client.text(sessionId, "agent_thought_chunk")).toContain("The old text could not be read: ");
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.text(sessionId)).toContain("could not be written: ");
  });

  it("[S13] a client that writes but does not read is shown a difference without the old text, and says so", async () => {
    const writer = await start({ capabilities: { ...ALL_CAPABILITIES, fs: { writeTextFile: true } } });
    writer.permission = () => ({ outcome: "selected", optionId: "write-it" });
    const session = await writer.open(folder);
    await writer.prompt(session, `/write "${path}" new`);
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(writer.calls(session)).toMatchObject([{ content: [{ oldText: null }] }]);
    expect(writer.text(session, "agent_thought_chunk")).toContain("does not show the old text");
  });
});
