// Output of a removed terminal that an agent repeats.
import {
  defaultChatUri,
  makeId,
  newChatState,
  newRootState,
  newSessionState,
  ROOT_URI,
  sessionUri,
  summarizeChat,
  summarizeSession,
  terminalUri,
  type ToolCall,
  type Turn,
} from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describePage, openPage } from "./page-test.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

const at = "2026-01-01T00:00:00.000Z";
const preview = { exit: { kind: "code", exitCode: 0 }, preview: "kept\n", skippedBytes: 0 } as const;

function turn(name: string, result?: typeof preview): Turn {
  const toolCallId = makeId("tool call", name);
  const resource = terminalUri(makeId("terminal", name));
  const toolCall: ToolCall = {
    toolCallId,
    toolName: "shell",
    displayName: name,
    toolKind: "execute",
    locations: [],
    contributor: { kind: "agent" },
    decisions: [],
    content: [{ type: "terminal", resource, title: name, isPty: true, ...(result && { result }) }],
    status: "completed",
    confirmed: "not-needed",
    result: { success: true },
  };
  return {
    id: makeId("turn", name),
    startedAt: at,
    endedAt: at,
    durationMs: 1000,
    message: { text: name, origin: { kind: "user" } },
    responseParts: [
      { kind: "toolCall", toolCall },
      { kind: "markdown", id: makeId("part", name), content: `Repeated: ${name}`, repeats: toolCallId },
    ],
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
}

describePage("[Z343] repeated output", () => {
  let tiny: TinyPage;
  const session = sessionUri(makeId("session", "old"));

  beforeAll(async () => {
    tiny = await startTinyPage();
    const resource = defaultChatUri(session);
    const turns = [turn("lost"), turn("previewed", preview)];
    const chat = { ...newChatState({ resource, title: "Old", at }), turns };
    const state = {
      ...newSessionState({
        resource: session,
        key: makeId("session key", "agent:shell:acp:old"),
        provider: makeId("agent", "shell"),
        owner: { kind: "person" },
        title: "Old",
        at,
        workingDirectories: ["file:///tmp"],
      }),
      lifecycle: { status: "ready" } as const,
      chats: [summarizeChat(chat)],
      defaultChat: resource,
    };
    tiny.host.open(ROOT_URI, "root", { ...newRootState(), sessions: [summarizeSession(state)] });
    tiny.host.open(session, "session", state);
    tiny.host.open(resource, "chat", chat);
  });
  afterAll(async () => {
    tiny?.close();
  });

  it("[Z343] is shown where neither the terminal nor its preview is there", async () => {
    const { page } = await openPage(`${tiny.url}/#/session/${encodeURIComponent(session)}`);
    await page.getByText("Repeated: lost").waitFor();
    await page.getByText("kept", { exact: true }).waitFor();
    expect(await page.getByText("Repeated: previewed").count()).toBe(0);
  });
});
