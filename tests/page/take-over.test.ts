// Full-screen programs of an agent, taken over in windows of every size and opened in full while a second client watches.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { isInstalled } from "./installed.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, enterSession, say, terminals, whenConnected } from "./page-walk.ts";
import { isInView, readScreen } from "./screens.ts";

/** Windows that give terminals from about 20×4 to more than 200×60, growing and shrinking. */
const windows = [
  { width: 2100, height: 1260 },
  { width: 226, height: 236 },
  { width: 1280, height: 800 },
  { width: 420, height: 340 },
  { width: 2100, height: 420 },
  { width: 226, height: 1260 },
  { width: 2100, height: 1260 },
] as const;

/** Each program with what it draws at the bottom of its screen: in which row from the end. */
const programs = [
  { name: "less", command: "less /etc/services", bottom: [-1, /\S/], isCounting: false, quit: "q" },
  {
    name: "vim",
    command: "vim -n -R -u NONE -c 'set laststatus=2' /etc/services",
    bottom: [-2, /serv/],
    isCounting: false,
    quit: ":q!\n",
  },
  { name: "htop", command: "htop", bottom: [-1, /^F1/], isCounting: true, quit: "q" },
] as const;

const installed = programs.filter(({ name }) => isInstalled(name));

interface Size {
  readonly cols: number;
  readonly rows: number;
}

async function sizeOf(page: Page): Promise<Size> {
  const { cols, rows } = await readScreen(page, "first");
  return { cols, rows: rows.length };
}

/** The text of all rows, or only of the last one of a program that counts. */
async function textOf(page: Page, isCounting = false): Promise<string[]> {
  const rows = (await readScreen(page, "first")).rows.map(({ text }) => text);
  return isCounting ? rows.slice(-1) : rows;
}

describePage(
  "[Z353, Z510] taking over",
  () => {
    let host: TestedHost;

    beforeAll(async () => {
      host = await startHostInProcess();
      const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1} of the file\n`);
      writeFileSync(path.join(host.project, "lines.txt"), lines.join(""));
    });
    afterAll(async () => {
      await host?.close();
    });

    it.each(installed)(
      "[Z353] $name fills windows from 20×4 to 200×60, growing and shrinking, and a watcher sees the same",
      { timeout: 120_000 },
      async ({ command, bottom: [fromEnd, bottom], isCounting, quit }) => {
        const { page: watcher } = await openPage(`${host.url}/?tkn=${host.token}`);
        await whenConnected(watcher);
        await enterSession(watcher, "shell", host.project);
        await say(watcher, command);
        await allow(watcher);
        await terminals(watcher).getByText("held by the agent").waitFor();

        const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
        await whenConnected(page);
        await page.getByRole("link", { name: /Terminals/ }).click();
        await page.getByRole("button", { name: "Expand" }).first().click();
        const full = page.locator('article[data-variant="focus"]');
        await full.getByRole("button", { name: "Take over" }).click();
        await full.getByText("held by you").waitFor();
        await terminals(watcher).getByText("in use in another window").waitFor();
        const sizes: Size[] = [];
        for (const window of windows) {
          const before = await sizeOf(page);
          await page.setViewportSize(window);
          await expect.poll(() => sizeOf(page)).not.toEqual(before);
          await expect
            .poll(
              async () => {
                const [own, seen] = await Promise.all([
                  textOf(page, isCounting),
                  textOf(watcher, isCounting),
                ]);
                return {
                  isDrawn: bottom.test(own.at(fromEnd) ?? ""),
                  isSame: own.join("\n") === seen.join("\n"),
                };
              },
              { timeout: 10_000 },
            )
            .toEqual({ isDrawn: true, isSame: true });
          const screen = await readScreen(page, "first");
          expect(screen.rows.filter((row) => !isInView(screen, row))).toEqual([]);
          sizes.push(await sizeOf(page));
          expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
        }
        console.log(`${command}: ${sizes.map(({ cols, rows }) => `${cols}×${rows}`).join(" ")}`);
        expect(Math.min(...sizes.map(({ cols }) => cols))).toBeLessThanOrEqual(24);
        expect(Math.min(...sizes.map(({ rows }) => rows))).toBeLessThanOrEqual(5);
        expect(Math.max(...sizes.map(({ cols }) => cols))).toBeGreaterThanOrEqual(200);
        expect(Math.max(...sizes.map(({ rows }) => rows))).toBeGreaterThanOrEqual(60);
        await full.locator("textarea").focus();
        await page.keyboard.type(quit);
        await terminals(watcher)
          .getByText(/^exit 0/)
          .waitFor();
      },
    );

    const reason = isInstalled("vim") ? "" : " (skipped: vim is not installed)";
    it.skipIf(reason !== "")(
      `[Z510] in full shows its holder what a watcher sees${reason}`,
      { timeout: 60_000 },
      async () => {
        const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
        await whenConnected(page);
        await enterSession(page, "shell", host.project);
        await say(page, "vim -n -R -u NONE lines.txt");
        await allow(page);
        await terminals(page).getByRole("button", { name: "Take over" }).click();
        await terminals(page).getByText("held by you").waitFor();
        await terminals(page).locator("textarea:focus").waitFor({ state: "attached" });
        const { page: watcher } = await openPage(`${host.url}/?tkn=${host.token}`);
        await whenConnected(watcher);
        await watcher
          .getByRole("link", { name: /lines\.txt/ })
          .first()
          .click();
        for (let count = 0; count < 40; count += 1) await page.keyboard.press("j");
        await expect.poll(() => textOf(watcher)).toContain("line 41 of the file");
        const { rows } = await readScreen(page, "first");

        await page.getByRole("link", { name: /Terminals/ }).click();
        await page.getByRole("button", { name: "Expand" }).first().click();
        await expect.poll(async () => (await textOf(watcher)).length).toBeGreaterThan(rows.length);
        const shown = async (): Promise<unknown> => {
          const [own, seen] = [await textOf(page), await textOf(watcher)];
          return { isSame: own.join("\n") === seen.join("\n"), last: own.at(-2) };
        };
        await expect.poll(shown).toEqual({ isSame: true, last: "line 41 of the file" });
        const before = await textOf(page);
        // Vim draws the whole screen again.
        await page.keyboard.press("Control+l");
        await page.keyboard.press("j");
        await expect.poll(() => textOf(watcher)).toContain("line 42 of the file");
        await expect.poll(shown).toEqual({ isSame: true, last: "line 42 of the file" });
        expect((await textOf(page)).slice(0, -2)).toEqual(before.slice(1, -1));
        await page.keyboard.type(":q!\n");
        await watcher.getByText(/^exit 0/).waitFor();
      },
    );
  },
  { scrollbars: "classic" },
);
