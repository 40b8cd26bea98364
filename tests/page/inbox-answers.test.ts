// Several approvals in the inbox: a decision is for the one that was shown.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { composer, enterSession, say, whenConnected } from "./page-walk.ts";

describePage("[Z958] approvals in the inbox", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  /** Opens a session for each name, with a question in it, and goes to the inbox. */
  async function askInSessions(page: Page, names: readonly string[]): Promise<void> {
    for (const name of names) {
      // The field of the session before is gone before the next one is looked for.
      await page.evaluate('location.hash = "#/"');
      await composer(page).waitFor({ state: "detached" });
      await enterSession(page, "shell", host.project);
      await say(page, `echo ${name}`);
      await page.getByRole("group", { name: `Permission: execute echo ${name}`, exact: true }).waitFor();
    }
    await page.evaluate('location.hash = "#/inbox"');
  }

  it("[Z958] a second key or click right after a decision does not answer the next one", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const cards = page.getByRole("group", { name: /^Permission/ });
    await askInSessions(page, ["one", "two", "three"]);
    const allow = cards.first().getByRole("button", { name: "Allow once" });
    await expect.poll(() => cards.count()).toBe(3);
    // Keys count from 0.5 s after a card appeared on (Z806).
    await page.waitForTimeout(600);
    await page.keyboard.press("y");
    await page.keyboard.press("y");
    await expect.poll(() => cards.count()).toBe(2);
    await expect.poll(() => allow.isEnabled()).toBe(true);
    const place = await allow.boundingBox();
    if (place === null) throw new Error("There is no button");
    const { x, y, width, height } = place;
    await page.mouse.dblclick(x + width / 2, y + height / 2);
    await expect.poll(() => cards.count()).toBe(1);
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await cards.count()).toBe(1);
  });

  it("[Z972] marks the approval that keys answer, and j, k and the focus mark another", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const cards = page.getByRole("group", { name: /^Permission/ });
    await askInSessions(page, ["first", "second", "third"]);
    // With those that the test before left.
    await expect.poll(async () => (await page.title()) === `(${await cards.count()}) Holdfast`).toBe(true);
    const total = await cards.count();
    const places = (test: string): Promise<number[]> =>
      page.evaluate<number[]>(`[...document.querySelectorAll('[role=group][aria-label^=Permission]')]
        .flatMap((card, place) => (${test} ? [place] : []))`);
    const marked = (): Promise<number[]> => places("card.ariaCurrent === 'true'");
    const hinted = (): Promise<number[]> => places("card.querySelector('kbd') !== null");
    await expect.poll(marked).toEqual([0]);
    expect(await hinted()).toEqual([0]);
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await expect.poll(marked).toEqual([1]);
    expect(await hinted()).toEqual([1]);
    await cards.nth(2).getByRole("button", { name: "Deny" }).focus();
    await expect.poll(marked).toEqual([2]);
    await page.keyboard.press("k");
    await expect.poll(marked).toEqual([1]);
    expect(await violationsInBothThemes(page)).toEqual([]);
    const name = (await cards.nth(1).getAttribute("aria-label")) ?? "";
    // Keys count from 0.5 s after a card became the current one on (Z806).
    await page.waitForTimeout(600);
    await page.keyboard.press("n");
    await expect.poll(() => cards.count()).toBe(total - 1);
    expect(await page.getByRole("group", { name, exact: true }).count()).toBe(0);
    await expect.poll(marked).toEqual([1]);
  });

  it("[Z971] distinguishes what was denied from what finished, and counts neither", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const cards = page.getByRole("group", { name: /^Permission/ });
    await askInSessions(page, ["allowed", "denied"]);
    const cardOf = (name: string): Locator =>
      page.getByRole("group", { name: `Permission: execute echo ${name}`, exact: true });
    await cardOf("allowed").getByRole("button", { name: "Allow once" }).click();
    await cardOf("denied").getByRole("button", { name: "Deny" }).click();
    const finished = page.getByRole("region", { name: "Finished" }).getByRole("listitem");
    await finished.filter({ hasText: "Denied: echo denied" }).locator("svg").waitFor();
    await finished.filter({ hasText: "echo allowed" }).getByText("Finished", { exact: true }).waitFor();
    // The questions that are left by the test before.
    const count = await cards.count();
    await expect.poll(() => page.title()).toBe(count === 0 ? "Holdfast" : `(${count}) Holdfast`);
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
});
