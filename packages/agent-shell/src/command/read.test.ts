// `/read`, against real files.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
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
  sessionId = await client.open(folder);
});

describe("/read", () => {
  it("[S12] shows a file in a tool call of kind read with its place, and as a message", async () => {
    await client.prompt(sessionId, '/read "a b.txt"');
    const text = "```\none\ntwo\nthree\nfour\n```";
    expect(client.calls(sessionId)).toMatchObject([
      {
        kind: "read",
        status: "completed",
        locations: [{ path }],
        rawInput: { path },
        rawOutput: { sizeBytes: 19 },
        content: [{ type: "content", content: { type: "text", text } }],
      },
    ]);
    expect(client.text(sessionId)).toBe(text);
  });

  it("[S12] of some lines only asks for these", async () => {
    await client.prompt(sessionId, `/read '${path}' 2 2`);
    expect(client.text(sessionId)).toBe("```\ntwo\nthree\n```");
    expect(client.calls(sessionId)).toMatchObject([
      { locations: [{ path, line: 2 }], rawInput: { path, line: 2, limit: 2 } },
    ]);
  });

  it("[S12] of a missing file fails and says why", async () => {
    expect(await client.prompt(sessionId, "/read nothing")).toEqual({ stopReason: "end_turn" });
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { error: "No such file" } },
    ]);
    expect(client.text(sessionId)).toContain("could not be read: No such file");
  });

  it.each(["/read", "/read a 0", "/read a x", "/read a 1 -1", "/read a 1 2 3"])(
    "[S12] %j gets its usage as a reply",
    async (text) => {
      await client.prompt(sessionId, text);
      expect(client.text(sessionId)).toBe("Usage: /read <path> [line] [limit]");
      expect(client.calls(sessionId)).toEqual([]);
    },
  );

  it("[S12] with the option at none only its size is reported", async () => {
    await client.connection.request("session/set_config_option", {
      sessionId,
      configId: "output",
      value: "none",
    });
    await client.prompt(sessionId, `/read "${path}"`);
    expect(client.text(sessionId)).toBe(`Read 19 bytes of \`${path}\`.`);
  });
});
