// The page on a phone: its bar of places, answers by thumb, and the keys that its keyboard lacks.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { openShellSession, say, terminals, whenConnected } from "./page-walk.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describePage("[Z813] on a phone", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  /** How far the page is wider than the window, which it must not be. */
  const overflow = (page: Page): Promise<number> =>
    page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

  it("[Z813] places are a bar, questions are answered by thumb, and a terminal has the keys that are missing", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, phone);
    await whenConnected(page);
    const places = page.getByRole("navigation", { name: "Places" });
    const bar = await places.boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeCloseTo(phone.viewport.height, 0);
    expect(await overflow(page)).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);

    await openShellSession(page, host.project);
    expect(await places.isVisible()).toBe(false);
    await say(page, "cat");
    const question = page.getByRole("group", { name: /^Permission/ });
    const once = question.getByRole("button", { name: "Allow once", exact: true });
    const box = await once.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(300);
    expect(await overflow(page)).toBe(0);
    await page.getByRole("link", { name: "Back to the sessions" }).tap();
    await places.getByRole("link", { name: /Inbox/ }).tap();
    await once.waitFor();
    expect(await overflow(page)).toBe(0);
    await page.goBack();
    await page.goBack();
    await once.tap();
    await terminals(page).getByRole("button", { name: "Take over" }).tap();
    const keys = page.getByRole("toolbar", { name: "Terminal keys" });
    await keys.getByRole("button", { name: "Esc" }).waitFor();
    const screen = terminals(page).locator("textarea");
    await screen.waitFor({ state: "attached" });
    await screen.focus();
    await keys.getByRole("button", { name: "Ctrl", exact: true }).tap();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.keyboard.type("d");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    expect(await overflow(page)).toBe(0);
    // No keyboard opens unless the person wants it.
    expect(await page.evaluate("document.activeElement.id")).not.toBe("message-field");
  });
});
