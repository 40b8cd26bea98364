// A flood in a tile: the page answers, keeps a bounded tail and says what it left out.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { longestTaskDuring, maxTaskMs } from "./page-browser.ts";
import { describePage, openPage } from "./page-test.ts";
import { terminals, typeInto, whenConnected } from "./page-walk.ts";

/** Forty times what the page keeps; a day's worth of output with HOLDFAST_LONG. */
const floodMb = process.env["HOLDFAST_LONG"] === undefined ? 20 : 200;

describePage("[Z23] a flood", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it(
    `[Z12, Z23] of ${floodMb} MB leaves the page responsive, and its end is there`,
    { timeout: 120_000 },
    async () => {
      const { page, faults } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await page.getByRole("link", { name: "Terminals" }).click();
      await page.getByRole("button", { name: "Open a shell" }).click();
      const terminal = terminals(page);
      await terminal.getByText("held by you").waitFor();
      await terminal.locator("textarea").waitFor({ state: "attached" });
      let [durationMs, slowestClickMs] = [0, 0];
      const taskMs = await longestTaskDuring(page, async (attempt) => {
        const startedMs = performance.now();
        const line = `yes 0123456789abcdef | head -c ${floodMb}000000; echo the-end-$((7*${attempt}))\n`;
        await typeInto(terminal, line);
        // The theme can be changed in the middle of it: each click is answered at once.
        slowestClickMs = await clickUntil(
          () => terminal.getByText(`the-end-${7 * attempt}`).isVisible(),
          async () => {
            await page.getByRole("button", { name: /^Theme/ }).click();
          },
        );
        durationMs = performance.now() - startedMs;
      });
      const heapMb = Number(await page.evaluate("performance.memory.usedJSHeapSize")) / 1e6;
      console.log(
        `flood of ${floodMb} MB: ${(durationMs / 1000).toFixed(1)} s, longest task ${Math.round(taskMs)} ms, ` +
          `slowest click ${Math.round(slowestClickMs)} ms, heap ${heapMb.toFixed(0)} MB`,
      );
      expect(taskMs).toBeLessThan(maxTaskMs);
      expect(heapMb).toBeLessThan(200);
      expect(faults).toEqual([]);
    },
  );
});

/** Clicks until something is so; gives how long the slowest click took to be answered. */
async function clickUntil(isSo: () => Promise<boolean>, click: () => Promise<void>): Promise<number> {
  let slowestMs = 0;
  while (!(await isSo())) {
    const startedMs = performance.now();
    await click();
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  }
  return slowestMs;
}
