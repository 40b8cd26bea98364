// `/ask`, with a client that gives prepared replies.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  sessionId = await client.open(folder);
});

describe("/ask", () => {
  it("[S14] is a form with one line, and the answer is repeated", async () => {
    let asked: unknown;
    client.elicitation = (params) => {
      asked = params;
      return { action: "accept", content: { answer: "blue" } };
    };
    await client.prompt(sessionId, "/ask Which colour?");
    expect(asked).toEqual({
      sessionId,
      mode: "form",
      message: "Which colour?",
      requestedSchema: {
        type: "object",
        properties: { answer: { type: "string", title: "Answer" } },
        required: ["answer"],
      },
    });
    expect(client.text(sessionId)).toBe("You answered:\n```\nblue\n```");
  });

  it.each([
    ["decline", "You declined to answer."],
    ["cancel", "You dismissed the question."],
    ["accept", "You sent no answer."],
  ])("[S14] %s is reported as such", async (action, text) => {
    client.elicitation = () => ({ action });
    expect(await client.prompt(sessionId, "/ask really?")).toEqual({ stopReason: "end_turn" });
    expect(client.text(sessionId)).toBe(text);
  });
});
