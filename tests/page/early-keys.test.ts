// Keys that were pressed before a question could be read.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, sharePage } from "./page-test.ts";
import { composer, enterSession, say, terminals, whenConnected } from "./page-walk.ts";

describePage("[Z973] early keys", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  async function openSession(): Promise<Page> {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    return page;
  }

  it("[Z973] a letter typed right before or after a question appears neither answers it nor stays", async () => {
    const page = await openSession();
    const card = page.getByRole("group", { name: /^Permission/ });
    const notice = page.getByText("It answered nothing");
    await say(page, "echo early");
    await page.keyboard.press("y");
    await card.waitFor();
    await notice.waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe("");
    expect(await card.count()).toBe(1);
    await page.getByRole("button", { name: "Dismiss the notice" }).click();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await card.waitFor({ state: "detached" });

    // With Enter, as in a terminal.
    await say(page, "echo early again");
    await card.waitFor();
    await page.keyboard.press("y");
    await page.keyboard.press("Enter");
    await notice.waitFor();
    expect(await composer(page).inputValue()).toBe("");
    expect(await page.getByRole("list", { name: "Queued messages" }).count()).toBe(0);
    expect(await card.count()).toBe(1);

    // Later it is an answer.
    await page.waitForTimeout(700);
    await page.keyboard.press("y");
    await page.keyboard.press("Enter");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    expect(await composer(page).inputValue()).toBe("");
    expect(await page.getByText("y", { exact: true }).count()).toBe(0);
  });

  it("[Z973] a message that begins with the letter stays a message", async () => {
    const page = await openSession();
    await say(page, "echo asked");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    await composer(page).pressSequentially("yes, and", { delay: 60 });
    await page.waitForTimeout(900);
    expect(await composer(page).inputValue()).toBe("yes, and");
    await composer(page).fill("");
    expect(await page.getByRole("group", { name: /^Permission/ }).count()).toBe(1);
  });

  it("[Z806, Z973] a lone a in the message field is text, and outside of it always allows", async () => {
    const page = await openSession();
    const card = page.getByRole("group", { name: /^Permission/ });
    await say(page, "echo standing");
    // Right before the question, and when it can be read.
    await page.keyboard.press("a");
    await card.waitFor();
    await page.waitForTimeout(1500);
    expect(await composer(page).inputValue()).toBe("a");
    await composer(page).fill("");
    await page.keyboard.press("a");
    await page.waitForTimeout(1000);
    expect(await composer(page).inputValue()).toBe("a");
    expect(await page.getByText("“a” was typed").count()).toBe(0);
    expect(await card.count()).toBe(1);
    // With Enter it is a message.
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Queued messages" }).getByText("a", { exact: true }).waitFor();
    expect(await card.count()).toBe(1);
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.keyboard.press("a");
    await card.waitFor({ state: "detached" });
    await terminals(page).first().getByText("exit 0", { exact: true }).waitFor();
  });

  it("[Z973] a key that has answered leaves no text when it is held or pressed again", async () => {
    const page = await openSession();
    const card = page.getByRole("group", { name: /^Permission/ });
    await say(page, "echo held");
    await card.waitFor();
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.waitForTimeout(600);
    await page.keyboard.down("y");
    for (let count = 0; count < 3; count += 1) await page.keyboard.down("y");
    await page.keyboard.up("y");
    await page.keyboard.press("y");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe("");
  });

  it("[Z973] an approval out of sight is scrolled to, not answered", async () => {
    const page = await openSession();
    const card = page.getByRole("group", { name: /^Permission/ });
    const log = page.getByRole("log", { name: "Conversation" });
    for (let count = 0; count < 3; count += 1) {
      await say(page, "/help");
      await page.getByText("/help", { exact: true }).nth(count).waitFor({ state: "attached" });
    }
    await page.setViewportSize({ width: 1000, height: 420 });
    await say(page, "echo below");
    await card.waitFor();
    await log.focus();
    await page.waitForTimeout(600);
    await page.mouse.move(500, 200);
    await page.mouse.wheel(0, -220);
    const allow = card.getByRole("button", { name: "Allow once" });
    const isInSight = `(() => { const box = [...document.querySelectorAll("[role=group] button")].at(0)
      .getBoundingClientRect(); const found = document.elementFromPoint(box.x + 5, box.y + 5);
      return found?.closest("[role=group]") !== null && found !== null; })()`;
    await expect.poll(() => page.evaluate(isInSight)).toBe(false);
    await page.keyboard.press("y");
    await expect.poll(() => page.evaluate(isInSight)).toBe(true);
    expect(await allow.count()).toBe(1);
    await page.waitForTimeout(600);
    await page.keyboard.press("y");
    await terminals(page).last().getByText("exit 0", { exact: true }).waitFor();
  });
});
