// Being asked: the options, what is remembered, what counts as no.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { Params } from "../testing/client-replies.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
let sessionId: string;
let asked: Params<"session/request_permission">[] = [];

function answer(optionId: string): void {
  client.permission = (params) => {
    asked.push(params);
    return { outcome: "selected", optionId };
  };
}

beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  asked = [];
  sessionId = await client.open(folder);
});

describe("permission", () => {
  it("[S9] the options have ids that are no kind's name, and the question carries the tool call", async () => {
    answer("run-it");
    await client.prompt(sessionId, "echo hi");
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: {
          title: "echo hi",
          kind: "execute",
          status: "pending",
          rawInput: { command: "echo hi", cwd: folder },
        },
        options: [
          { optionId: "run-it", kind: "allow_once" },
          { optionId: "run-all-from-now", kind: "allow_always" },
          { optionId: "leave-it", kind: "reject_once" },
        ],
      },
    ]);
    const [call] = client.calls(sessionId);
    expect(asked[0]?.toolCall.toolCallId).toBe(call?.toolCallId);
  });

  it("[S9] allow_always is remembered in its session and in no other", async () => {
    answer("run-all-from-now");
    await client.prompt(sessionId, "echo one\necho two");
    await client.prompt(sessionId, "echo three");
    expect(asked).toHaveLength(1);
    expect(client.calls(sessionId).map((call) => call.status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
    await client.prompt(await client.open(folder), "echo four");
    expect(asked).toHaveLength(2);
  });

  it("[S9] allow_once is asked again", async () => {
    answer("run-it");
    await client.prompt(sessionId, "echo one\necho two");
    expect(asked).toHaveLength(2);
  });

  it("[S17] in the mode trust nobody is asked, until it is ask again", async () => {
    answer("leave-it");
    await client.connection.request("session/set_mode", { sessionId, modeId: "trust" });
    await client.prompt(sessionId, "echo one");
    expect(asked).toEqual([]);
    await client.connection.request("session/set_mode", { sessionId, modeId: "ask" });
    await client.prompt(sessionId, "echo two");
    expect(asked).toHaveLength(1);
    expect(client.calls(sessionId).map((call) => call.status)).toEqual(["completed", "failed"]);
  });

  it.each(["allow_once", "", "run-it "])("[S9] the answer %j is no option and so a no", async (optionId) => {
    answer(optionId);
    await client.prompt(sessionId, "echo hi");
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.text(sessionId)).toContain("was not one of the options");
  });

  it("[S9] a client that cannot ask is a no", async () => {
    client.permission = () => {
      throw new Error("no screen");
    };
    expect(await client.prompt(sessionId, "echo hi")).toEqual({ stopReason: "end_turn" });
    expect(client.text(sessionId)).toBe("`echo hi` was not run: nobody could be asked: no screen.");
  });

  it("[S10] a question that is answered as cancelled ends the turn as cancelled", async () => {
    client.permission = () => ({ outcome: "cancelled" });
    expect(await client.prompt(sessionId, "echo hi\necho ho")).toEqual({ stopReason: "cancelled" });
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed", rawOutput: { error: "cancelled" } }]);
  });
});
