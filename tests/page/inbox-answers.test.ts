// Several approvals in the inbox: a decision is for the one that was shown.
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { enterSession, openShellSession, say, whenConnected } from "./page-walk.ts";

describePage("[Z958] approvals in the inbox", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z958] a second key or click right after a decision does not answer the next one", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const cards = page.getByRole("group", { name: /^Permission/ });
    for (const name of ["one", "two", "three"]) {
      await openShellSession(page, host.project);
      await say(page, `echo ${name}`);
      await cards.first().waitFor();
    }
    await page.evaluate('location.hash = "#/inbox"');
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

  it("[Z971] distinguishes what was denied from what finished, and counts neither", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const cards = page.getByRole("group", { name: /^Permission/ });
    for (const name of ["allowed", "denied"]) {
      await enterSession(page, "shell", host.project);
      await say(page, `echo ${name}`);
      await cards.first().waitFor();
    }
    await page.evaluate('location.hash = "#/inbox"');
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
