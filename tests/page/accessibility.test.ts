// Every view of the page, in both themes, by the rules of axe.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violations, violationsInBothThemes } from "./axe.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { allow, enterSession, say, terminals, whenConnected, whenIdle } from "./page-walk.ts";

describePage(
  "[Z27] axe",
  () => {
    let host: TestedHost;

    beforeAll(async () => {
      host = await startHostInProcess();
    });
    afterAll(async () => {
      await host?.close();
    });

    it(
      "[Z27][Z918] finds nothing in any view, light or dark; a changed file is named from its folder",
      { timeout: 90_000 },
      async () => {
        const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
        await whenConnected(page);
        const faults: Record<string, string[]> = { home: await violationsInBothThemes(page) };
        await page.getByRole("button", { name: "New session" }).click();
        await page
          .getByRole("dialog")
          .getByText(/agents? (is|are) not installed/)
          .click();
        faults["dialog"] = await violationsInBothThemes(page);
        await page.getByRole("button", { name: "Close", exact: true }).click();

        await enterSession(page, "shell", host.project);
        faults["empty session"] = await violationsInBothThemes(page);
        await say(page, "/write notes.md # Hello");
        await page.getByRole("group", { name: /^Permission/ }).waitFor();
        faults["approval"] = await violationsInBothThemes(page);
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Allow once", exact: true }).click();
        await page.getByText("new file").waitFor();
        const changed = page.locator("figcaption code");
        expect(await changed.innerText()).toBe("notes.md");
        expect(await changed.getAttribute("title")).toBe(`${host.project}/notes.md`);
        await page.getByRole("tab", { name: /^Changes/ }).click();
        await page.getByRole("region", { name: "Diffs" }).waitFor();
        faults["changes"] = await violationsInBothThemes(page);
        await page.getByRole("tab", { name: "Conversation" }).click();
        await say(page, "sh -i");
        await page.getByRole("link", { name: /Inbox/ }).click();
        await page.getByRole("group", { name: /^Permission/ }).waitFor();
        faults["inbox"] = await violationsInBothThemes(page);
        await allow(page);
        await page.getByText("No pending approvals").waitFor();
        faults["empty inbox"] = await violationsInBothThemes(page);
        await page.getByRole("link", { name: /Terminals/ }).click();
        await terminals(page).first().waitFor();
        await page.locator(".xterm-screen").first().waitFor();
        // Two terminals of the same name.
        for (const count of [1, 2]) {
          await page.getByRole("button", { name: "Open a shell" }).click();
          await expect
            .poll(() => page.getByRole("article", { name: "Terminal: /bin/sh" }).count())
            .toBeGreaterThanOrEqual(count);
        }
        faults["board"] = await violationsInBothThemes(page);
        await page.getByRole("link", { name: "Host" }).click();
        await page.getByRole("button", { name: /^Theme: Match/ }).waitFor();
        faults["host"] = await violationsInBothThemes(page);
        await page.getByRole("link", { name: "Closed sessions" }).click();
        await page.getByText("A session that you close").waitFor();
        faults["closed sessions"] = await violationsInBothThemes(page);
        await page.goBack();
        await page.goBack();
        await page.goBack();
        await page.goBack();
        await page.locator(".xterm-screen").first().waitFor();
        faults["session"] = await violationsInBothThemes(page);
        await terminals(page).getByRole("button", { name: "Stop" }).click();
        await say(page, `seq 1 300; echo ${"wide ".repeat(60)}`);
        await allow(page);
        // Else what is open closes when the command ends.
        await whenIdle(page);
        await page.getByRole("button", { name: "Show all" }).click();
        // In one go: the list that grows takes rows out of the page.
        await page.evaluate(`for (const each of document.querySelectorAll("summary")) {
          if (each.textContent === "Input") each.click();
        }`);
        faults["long output"] = await violationsInBothThemes(page);
        expect(Object.fromEntries(Object.entries(faults).filter(([, list]) => list.length > 0))).toEqual({});
      },
    );

    it("[Z27] finds what breaks a rule", async () => {
      const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
      expect(await violations(page)).toEqual([expect.stringContaining("button-name")]);
      await page.evaluate("document.querySelector('main').lastChild.remove()");
    });

    it("[Z3, Z27, Z352] finds nothing in the page that asks for the token, which is styled and says where the token is", async () => {
      const { page } = await openPage(`${host.url}/?tkn=wrong`, {
        expectedFaults: /Failed to load resource/,
      });
      expect(await violations(page)).toEqual([]);
      await page.getByRole("alert").getByText("This is not the host's token.").waitFor();
      await page.getByText("It opens this page, or prints a link that signs in one browser, once.").waitFor();
      const look = "getComputedStyle(document.querySelector('button')).backgroundColor";
      expect(await page.evaluate(look)).toBe("rgb(11, 95, 109)");
    });
  },
  { scrollbars: "classic" },
);
