// Every view of the page, in both themes, by the rules of axe.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { violations } from "./axe.ts";
import { cannotBrowse, openPage, startBrowser } from "./page-browser.ts";
import { allow, openShellSession, say, terminals, whenConnected } from "./page-walk.ts";

describe.skipIf(cannotBrowse)(
  `[Z27] axe${cannotBrowse === undefined ? "" : ` (skipped: ${cannotBrowse})`}`,
  () => {
    let host: RealHost;
    let browser: Browser;

    beforeAll(async () => {
      [host, browser] = await Promise.all([startRealHost(), startBrowser()]);
    });
    afterAll(async () => {
      await browser?.close();
      await host?.close();
    });

    it.each(["light", "dark"] as const)(
      "[Z27] finds nothing in any view, %s",
      { timeout: 90_000 },
      async (colorScheme) => {
        const url = `${host.url}/?tkn=${host.token}`;
        const { page } = await openPage(browser, url, { colorScheme, reducedMotion: "reduce" });
        await whenConnected(page);
        const faults: Record<string, string[]> = { home: await violations(page) };
        await page.getByRole("button", { name: "New session" }).click();
        await page.getByRole("radio", { name: /Shell/ }).waitFor();
        faults["dialog"] = await violations(page);
        await page.getByRole("button", { name: "Cancel" }).click();

        await openShellSession(page, host.project);
        faults["empty session"] = await violations(page);
        await say(page, `/write notes-${colorScheme}.md # Hello`);
        await page.getByRole("region", { name: /^Permission/ }).waitFor();
        faults["approval"] = await violations(page);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Write it", exact: true }).click();
        await page.getByText("new file").waitFor();
        await page.getByRole("button", { name: "Changed files 1" }).click();
        await page.getByRole("region", { name: "Changed files" }).waitFor();
        faults["changed files"] = await violations(page);
        await page.getByRole("button", { name: "Conversation" }).click();
        await say(page, "sh -i");
        await page.getByRole("link", { name: /Inbox/ }).click();
        await page.getByRole("region", { name: /^Permission/ }).waitFor();
        faults["inbox"] = await violations(page);
        await allow(page);
        await page.getByText("Nothing waits for you.").waitFor();
        faults["empty inbox"] = await violations(page);
        await page.getByRole("link", { name: /Terminals/ }).click();
        await terminals(page).first().waitFor();
        await page.locator(".xterm-screen").first().waitFor();
        faults["board"] = await violations(page);
        await page.getByRole("link", { name: "Host" }).click();
        await page.getByRole("img", { name: /^Memory/ }).waitFor();
        faults["host"] = await violations(page);
        await page.getByRole("link", { name: "Closed sessions" }).click();
        await page.getByText("None. A session that you close").waitFor();
        faults["closed sessions"] = await violations(page);
        await page.goBack();
        await page.goBack();
        await page.goBack();
        await page.goBack();
        await page.locator(".xterm-screen").first().waitFor();
        faults["session"] = await violations(page);
        await terminals(page).getByRole("button", { name: "Stop" }).click();
        expect(Object.fromEntries(Object.entries(faults).filter(([, list]) => list.length > 0))).toEqual({});
      },
    );

    it("[Z27] finds what breaks a rule", async () => {
      const { page } = await openPage(browser, `${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
      expect(await violations(page)).toEqual([expect.stringContaining("button-name")]);
    });

    it("[Z3, Z27] finds nothing in the page that asks for the token", async () => {
      const { page } = await openPage(browser, host.url);
      expect(await violations(page)).toEqual([]);
    });
  },
);
