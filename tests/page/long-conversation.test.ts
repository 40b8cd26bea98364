// A conversation of ten thousand messages.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLongSessions } from "./long-session.ts";
import { longestTaskDuring, maxTaskMs } from "./page-browser.ts";
import { describePage, openPage } from "./page-test.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

const turnCount = 5000;

describePage("[Z29] a long conversation", () => {
  let tiny: TinyPage;
  let session = "";

  beforeAll(async () => {
    tiny = await startTinyPage();
    [session = ""] = openLongSessions(tiny.host, { Long: turnCount });
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
      await log.hover();
      const scrollMs = await longestTaskDuring(page, async () => {
        for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, -2500);
        await page.getByRole("button", { name: "↓ Newest" }).waitFor();
        await log.press("Home");
        await log.getByText("Question 0", { exact: true }).waitFor();
        await log.press("End");
        await log.getByText(`Question ${turnCount - 1}`, { exact: true }).waitFor();
        await log.press("Home");
        await log.getByText("Question 0", { exact: true }).waitFor();
        await page.getByRole("button", { name: "↓ Newest" }).click();
        await log.getByText(`Question ${turnCount - 1}`, { exact: true }).waitFor();
      });
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
