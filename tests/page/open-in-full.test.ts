// A full-screen program that its holder opens in full.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { isInstalled } from "./installed.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, openShellSession, say, terminals, whenConnected } from "./page-walk.ts";
import { readScreen } from "./screens.ts";

async function rowsOf(page: Page): Promise<string[]> {
  return (await readScreen(page, "first")).rows.map(({ text }) => text);
}

describePage("[Z510] a screen that is opened again", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1} of the file\n`);
    writeFileSync(path.join(host.project, "lines.txt"), lines.join(""));
  });
  afterAll(async () => {
    await host?.close();
  });

  const reason = isInstalled("vim") ? "" : " (skipped: vim is not installed)";
  it.skipIf(reason !== "")(
    `[Z510] in full shows its holder what a watcher sees${reason}`,
    { timeout: 60_000 },
    async () => {
      const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await openShellSession(page, host.project);
      await say(page, "vim -n -R -u NONE lines.txt");
      await allow(page);
      await terminals(page).getByRole("button", { name: "Take over" }).click();
      await terminals(page).getByText("held by you").waitFor();
      await terminals(page).locator("textarea:focus").waitFor({ state: "attached" });
      const { page: watcher } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(watcher);
      await watcher.getByRole("link", { name: /vim/ }).first().click();
      for (let count = 0; count < 40; count += 1) await page.keyboard.press("j");
      await expect.poll(() => rowsOf(watcher)).toContain("line 41 of the file");
      const { rows } = await readScreen(page, "first");

      await page.getByRole("link", { name: /Terminals/ }).click();
      await page.getByRole("button", { name: "Open in full" }).click();
      await expect.poll(async () => (await rowsOf(watcher)).length).toBeGreaterThan(rows.length);
      const shown = async (): Promise<unknown> => {
        const [own, seen] = [await rowsOf(page), await rowsOf(watcher)];
        return { isSame: own.join("\n") === seen.join("\n"), last: own.at(-2) };
      };
      await expect.poll(shown).toEqual({ isSame: true, last: "line 41 of the file" });
      const before = await rowsOf(page);
      // Vim draws the whole screen again.
      await page.keyboard.press("Control+l");
      await page.keyboard.press("j");
      await expect.poll(() => rowsOf(watcher)).toContain("line 42 of the file");
      await expect.poll(shown).toEqual({ isSame: true, last: "line 42 of the file" });
      expect((await rowsOf(page)).slice(0, -2)).toEqual(before.slice(1, -1));
      await page.keyboard.type(":q!\n");
      await watcher.getByText(/^exit 0/).waitFor();
    },
  );
});
