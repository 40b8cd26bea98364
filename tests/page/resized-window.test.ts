// A conversation in a window that changes its size.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, sharePage } from "./page-test.ts";
import { enterSession, say, whenConnected, whenIdle } from "./page-walk.ts";

describePage("a window that changes its size", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z984] keeps the end of the conversation and the buttons of an approval in sight", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, {
      viewport: { width: 1440, height: 900 },
    });
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    for (let count = 0; count < 3; count += 1) {
      await say(page, "/help");
      await page.getByText("/help", { exact: true }).nth(count).waitFor({ state: "attached" });
      await whenIdle(page);
    }
    await say(page, `echo ${"some long words ".repeat(30)}`);
    const allow = page
      .getByRole("group", { name: /^Permission/ })
      .getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    const newest = page.getByRole("button", { name: "↓ Newest" });
    const expectEnd = async (): Promise<void> => {
      // What follows the new size has come by then.
      await page.waitForTimeout(800);
      expect(await newest.count()).toBe(0);
      const inner = page.viewportSize()?.height ?? 0;
      const box = await allow.boundingBox();
      expect(box === null ? inner : box.y + box.height).toBeLessThan(inner - 100);
    };
    await expectEnd();
    for (const [width, height] of [
      [1024, 700],
      [1440, 900],
      [700, 500],
      [1440, 500],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectEnd();
    }
    // Somebody who reads further up stays there.
    await page.mouse.move(720, 200);
    await page.mouse.wheel(0, -400);
    await newest.waitFor();
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.waitForTimeout(800);
    expect(await newest.count()).toBe(1);
    // And scrolling right after a change of size is obeyed.
    await newest.click();
    await newest.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1000, height: 500 });
    await page.mouse.move(620, 200);
    await page.mouse.wheel(0, -300);
    await newest.waitFor();
  });
});
