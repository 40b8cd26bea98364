// A message that is sent while earlier ones are read.
import { expect, it, onTestFinished } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import { describePage, openPage } from "./page-test.ts";
import { enterSession, say, whenConnected, whenIdle } from "./page-walk.ts";

const distanceToEnd = `(() => {
  const list = document.querySelector('[role="log"][aria-label="Conversation"]');
  return list.scrollHeight - list.clientHeight - list.scrollTop;
})()`;

describePage("[Z512] a message that is sent", () => {
  it("[Z512] brings the newest messages into view", async () => {
    const host = await startHostInProcess();
    onTestFinished(() => host.close());
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, {
      viewport: { width: 1000, height: 500 },
    });
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const conversation = page.getByRole("log", { name: "Conversation" });
    for (let count = 0; count < 4; count += 1) {
      await say(page, "/help");
      await expect.poll(() => conversation.getByText("/help", { exact: true }).count()).toBeGreaterThan(0);
      await whenIdle(page);
    }
    await conversation.press("Home");
    await page.getByRole("button", { name: "↓ Newest" }).waitFor();
    await expect.poll(() => page.evaluate<number>(distanceToEnd)).toBeGreaterThan(100);
    await say(page, "echo the newest");
    await page.getByRole("group", { name: "Permission: execute echo the newest" }).waitFor();
    await expect.poll(() => page.evaluate<number>(distanceToEnd)).toBeLessThan(10);
    expect(await page.getByRole("button", { name: "↓ Newest" }).count()).toBe(0);

    await conversation.press("Home");
    await page.getByRole("button", { name: "↓ Newest" }).waitFor();
    await say(page, "echo queued");
    await expect.poll(() => page.evaluate<number>(distanceToEnd)).toBeLessThan(10);
  });
});
