// A conversation of ten thousand messages.
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
  type Turn,
} from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forgetTasks, longestTaskMs, maxTaskMs } from "./page-browser.ts";
import { describePage, openPage } from "./page-test.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

const at = "2026-01-01T00:00:00.000Z";
const turnCount = 5000;

function turn(index: number): Turn {
  return {
    id: makeId("turn", `turn-${index}`),
    startedAt: at,
    endedAt: at,
    durationMs: 1000,
    message: { text: `Question ${index}`, origin: { kind: "user" } },
    responseParts: [
      {
        kind: "markdown",
        id: makeId("part", `part-${index}`),
        content: `Answer **${index}**\n\n${"A sentence of some length. ".repeat(1 + (index % 7))}`,
      },
    ],
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
}

describePage("[Z29] a long conversation", () => {
  let tiny: TinyPage;
  const session = sessionUri(makeId("session", "long"));

  beforeAll(async () => {
    tiny = await startTinyPage();
    const resource = defaultChatUri(session);
    const turns = Array.from({ length: turnCount }, (_, index) => turn(index));
    const chat = { ...newChatState({ resource, title: "Long", at }), turns };
    const state = {
      ...newSessionState({
        resource: session,
        key: makeId("session key", "agent:shell:acp:long"),
        provider: makeId("agent", "shell"),
        owner: { kind: "person" },
        title: "Long",
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

  it(
    "[Z29] of ten thousand messages opens at its end and scrolls without a long stop",
    { timeout: 60_000 },
    async () => {
      const startedMs = performance.now();
      const { page, faults } = await openPage(`${tiny.url}/#/session/${encodeURIComponent(session)}`);
      const log = page.getByRole("log", { name: "Conversation" });
      await log.getByText(`Question ${turnCount - 1}`, { exact: true }).waitFor();
      const openMs = performance.now() - startedMs;
      const rows = await log.locator("> div > div").count();
      expect(rows).toBeLessThan(100);
      await forgetTasks(page);
      await log.hover();
      for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -2500);
      await page.getByRole("button", { name: "↓ Newest" }).waitFor();
      await log.press("Home");
      await log.getByText("Question 0", { exact: true }).waitFor();
      await log.press("End");
      await log.getByText(`Question ${turnCount - 1}`, { exact: true }).waitFor();
      await log.press("Home");
      await log.getByText("Question 0", { exact: true }).waitFor();
      const scrollMs = await longestTaskMs(page);
      await page.getByRole("button", { name: "↓ Newest" }).click();
      await log.getByText(`Question ${turnCount - 1}`, { exact: true }).waitFor();
      console.log(
        `10,000 messages: open ${Math.round(
          openMs,
        )} ms, ${rows} rows drawn, longest task while scrolling ${Math.round(scrollMs)} ms`,
      );
      expect(scrollMs).toBeLessThan(maxTaskMs);
      expect(faults).toEqual([]);
    },
  );
});
