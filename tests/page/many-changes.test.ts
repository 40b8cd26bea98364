// The changes of a large repository: opened at once, with few rows in the page.
import { afterAll, beforeAll, expect, it } from "vitest";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { describePage, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { longestTaskDuring, maxTaskMs } from "./page-browser.ts";
import { startLargeRepository } from "./large-repository.ts";
import type { ReviewScene } from "./review-scene.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** Fewer where every run of all tests would have to make them. */
const partCount = isLong ? 500 : 50;
const maxOpenMs = isLong ? 1000 : 3000;

describePage("many changes", () => {
  let scene: ReviewScene;

  beforeAll(async () => {
    scene = await startLargeRepository(partCount);
  }, 180_000);
  afterAll(async () => {
    await scene?.close();
  });

  it("[Z842] open at once, and only the rows in sight are drawn", { timeout: 180_000 }, async () => {
    const session = await scene.openSession();
    await scene.send(session, "Change everything");
    const { page } = await openPage(`${scene.url}#/session/${encodeURIComponent(uriOfKey(session))}`);
    await whenConnected(page);
    const tab = page.getByRole("tab", { name: /^Changes\s*500/ });
    await tab.waitFor();
    const timesMs: number[] = [];
    const taskMs = await longestTaskDuring(page, async () => {
      // The first time, the code of the view is fetched as well; the best of three counts, since others use the machine.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await page.getByRole("tab", { name: /^Conversation/ }).click();
        const startMs = performance.now();
        await tab.click();
        await page.getByRole("navigation", { name: "Changed files" }).getByText("1.txt").first().waitFor();
        timesMs.push(performance.now() - startMs);
        await page.getByRole("region", { name: "Diffs" }).getByText("changed").first().waitFor();
      }
    });
    console.log(`changes: ${timesMs.map(Math.round).join(", ")} ms`);
    const statusStartMs = performance.now();
    scene.git("status", "--porcelain");
    // A machine that others use too is slower for git itself.
    expect(Math.min(...timesMs)).toBeLessThan(Math.max(maxOpenMs, 10 * (performance.now() - statusStartMs)));
    expect(taskMs).toBeLessThan(maxTaskMs);
    expect(await page.locator("[data-number], nav[aria-label='Changed files'] button").count()).toBeLessThan(
      300,
    );
    await page.getByText("500 files").waitFor();
  });
});
