// Output of commands in a conversation, as it is drawn with classic scrollbars at a device pixel ratio of 1.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, type OpenedPage, sharePage } from "./page-test.ts";
import { allow, composer, enterSession, say, terminals, whenConnected, whenIdle } from "./page-walk.ts";
import { inkPerLine } from "./pixels.ts";
import { isInView, readScreen, type ScreenView } from "./screens.ts";

/** The widths of windows in which 120 columns get fonts from 12 down to 9 pixels. */
const fittingWidths = [1280, 1080, 1010];
/** Too narrow even for 9 pixels. */
const narrowWidths = [900, 480];

/** Whether all columns are in view, and whether none would be lost in a larger font. */
function fit({ view, cols, fontPx, cellPx }: ScreenView): { fits: boolean; isLargest: boolean } {
  const widthIn = (px: number): number => (cols * cellPx * px) / fontPx;
  return { fits: widthIn(fontPx) <= view.width, isLargest: widthIn(fontPx + 1) > view.width };
}

/** Frames that come late, as on a busy machine. */
const slowFrames = `
  globalThis.usualFrames = { requestAnimationFrame, cancelAnimationFrame };
  globalThis.requestAnimationFrame = (callback) => setTimeout(callback, 300, 0);
  globalThis.cancelAnimationFrame = clearTimeout;
`;
const usualFrames = "void Object.assign(globalThis, globalThis.usualFrames)";

describePage(
  "[Z340] a screen",
  () => {
    let host: TestedHost;

    beforeAll(async () => {
      host = await startHostInProcess();
    });
    afterAll(async () => {
      await host?.close();
    });

    async function openSession(): Promise<OpenedPage> {
      const opened = await sharePage(`${host.url}/?tkn=${host.token}`, { deviceScaleFactor: 1 });
      await whenConnected(opened.page);
      await enterSession(opened.page, "shell", host.project);
      return opened;
    }

    async function run(command: string, opened?: OpenedPage): Promise<Page> {
      const { page } = opened ?? (await openSession());
      await say(page, command);
      await allow(page);
      await whenIdle(page);
      await terminals(page).getByText(/^exit/).waitFor();
      return page;
    }

    it("[Z340] shows every row of a short output, underscores too, in windows of any width", async () => {
      const page = await run("echo _______; echo second; echo third_");
      for (const width of [...fittingWidths, ...narrowWidths]) {
        await page.setViewportSize({ width, height: 800 });
        await expect
          .poll(async () => {
            const screen = await readScreen(page);
            const used = screen.rows.slice(0, 3);
            return used.map(({ text, ...row }) => [text, isInView(screen, row)]);
          })
          .toEqual([
            ["_______", true],
            ["second", true],
            ["third_", true],
          ]);
        // The font follows the window with the next frame; only a screen that cannot fit has a scrollbar.
        const fits = fittingWidths.includes(width);
        await expect
          .poll(async () => {
            const screen = await readScreen(page);
            return { ...fit(screen), hasBar: screen.barPx > 0 };
          })
          .toEqual({ fits, isLargest: true, hasBar: !fits });
        expect((await readScreen(page)).scrollTop).toBe(0);
        // Rows are painted after they are laid out.
        const underscoresPx = async (): Promise<number> => {
          const { rows, view } = await readScreen(page);
          return Math.max(...(await inkPerLine(page, { ...(rows[0] ?? view), width: 60 })));
        };
        await expect.poll(underscoresPx).toBeGreaterThan(30);
      }
    });

    it("[Z341, Z343, Z890] folds a long output to its end, shows all of it when asked, and shows it once with one duration", async () => {
      const page = await run("seq 1 500");
      const shownRows = async (): Promise<string[]> => {
        const screen = await readScreen(page);
        return screen.rows.filter((row) => isInView(screen, row)).map(({ text }) => text);
      };
      const last = Array.from({ length: 16 }, (_, index) => String(485 + index));
      await expect.poll(shownRows).toEqual(last);
      expect(await page.getByText("Showing only the end of").count()).toBe(0);
      await page.getByRole("button", { name: "Show all" }).click();
      await expect.poll(async () => (await readScreen(page)).rows.length).toBe(501);
      await page.locator(".xterm").last().locator("xpath=..").press("Home");
      await expect.poll(async () => (await shownRows())[0]).toBe("1");
      await page.getByRole("button", { name: "Show less" }).click();
      await expect.poll(shownRows).toEqual(last);
      const log = page.getByRole("log", { name: "Conversation" });
      await expect.poll(() => log.getByText(/Exit code|^500$/).count()).toBe(1);
      expect((await log.innerText()).match(/\d+(\.\d)? (ms|s)\b/g)).toHaveLength(1);
    });

    it("[Z343] shows the output once also when its terminal was removed from the list", async () => {
      const page = await run("echo kept words");
      await page.getByRole("link", { name: /Terminals/ }).click();
      await terminals(page)
        .filter({ hasText: "echo kept words" })
        .getByRole("button", { name: "Remove" })
        .click();
      await terminals(page).filter({ hasText: "echo kept words" }).waitFor({ state: "detached" });
      await page
        .getByRole("link", { name: /echo kept words/ })
        .first()
        .click();
      await expect.poll(async () => (await readScreen(page)).rows[0]?.text).toBe("kept words");
      expect(await page.getByText("Exit code 0").count()).toBe(0);
    });

    it("[Z914, Z915] that runs is as wide as the composer, and open in full is scrolled to what is searched for, and with Enter to the match before", async () => {
      const { page } = await openSession();
      await say(page, "seq -f 'line %g' 1 400; sleep 600");
      await allow(page);
      await terminals(page).getByText("line 400").waitFor();
      for (const width of [1280, 1000]) {
        await page.setViewportSize({ width, height: 420 });
        const rightOf = async (part: Locator): Promise<number> => {
          const box = await part.boundingBox();
          return box === null ? 0 : Math.round(box.x + box.width);
        };
        // Without the padding of the message's box.
        const box = composer(page).locator("..");
        await expect.poll(async () => (await rightOf(terminals(page))) - (await rightOf(box))).toBe(0);
      }
      await page.getByRole("link", { name: /Terminals/ }).click();
      await page
        .getByRole("listitem")
        .filter({ hasText: "line 400" })
        .getByRole("button", { name: "Expand" })
        .click();
      const field = page.getByRole("searchbox", { name: "Search in the terminal" });
      await page.getByText("line 400").first().waitFor();
      const isShown = async (line: string): Promise<boolean> => {
        const screen = await readScreen(page, "first");
        return screen.rows.some(
          (row) => row.text === line && isInView(screen, { ...row, y: Math.ceil(row.y) }),
        );
      };
      // One of the first rows of a screen of which the place shows the last ones.
      await field.fill("ne 374");
      await expect.poll(() => isShown("line 374")).toBe(true);
      await field.fill("ne 12");
      await expect.poll(() => isShown("line 129")).toBe(true);
      for (let count = 0; count < 10; count += 1) await field.press("Enter");
      await expect.poll(() => isShown("line 12")).toBe(true);
      expect(await field.getAttribute("aria-invalid")).toBe("false");
      await field.fill("no such line");
      await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
      await terminals(page).first().getByRole("button", { name: "Stop command" }).click();
    });

    it("[Z982] ends with its last visible row, not with rows of spaces", async () => {
      const { page } = await openSession();
      const shownRows = async (): Promise<string[]> => {
        const screen = await readScreen(page);
        return screen.rows.filter((row) => isInView(screen, row)).map(({ text }) => text);
      };
      const spaces = "for i in $(seq 20); do printf '%100s\\n' ''; done";
      const programs: readonly (readonly [string, readonly string[]])[] = [
        // As top draws: every row to its end, then back to the rows on top.
        [`clear; echo head; echo body; ${spaces}; printf '\\033[2;5H'; sleep 600`, ["head", "body"]],
        // As top leaves its cursor: hidden, below everything.
        ["printf '\\033[?25l\\033[H\\033[2Jhidden\\n\\033[20;1H\\033[K'; sleep 600", ["hidden"]],
        // The same after lines have scrolled off.
        [`seq 100; clear; echo later; ${spaces}; printf '\\033[1;6H'; sleep 600`, ["later"]],
        // What has a colour is seen, though it is no text; the cursor is on the first row.
        ["clear; printf 'bar\\n\\n\\033[44m   \\033[m\\033[1;4H'; sleep 600", ["bar", "", ""]],
        ["clear; printf 'key\\n\\033[7m\\033[K     \\033[m\\033[1;4H'; sleep 600", ["key", ""]],
      ];
      for (const [program, rows] of programs) {
        await say(page, program);
        await allow(page);
        await expect.poll(shownRows, { message: program }).toEqual(rows);
        await page.getByRole("button", { name: "Stop", exact: true }).click();
        await whenIdle(page);
        await expect.poll(shownRows, { message: program }).toEqual(rows);
      }
    });

    it("[Z987] without output says so, and its thought keeps the underscores of names", async () => {
      const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await enterSession(page, "shell", host.project, "approve-all");
      await say(page, "test ! -e no_such_file");
      await page.getByText("Done", { exact: true }).waitFor();
      const output = page.getByLabel("Output of test ! -e no_such_file");
      await output.waitFor();
      const shown =
        "getComputedStyle(document.querySelector('[aria-label^=\"Output of\"]'), '::before').content";
      expect(await page.evaluate(shown)).toBe('"No output"');
      await page.getByText("Thought · I will run test ! -e no_such_file in").waitFor();
    });

    it("[Z344] of a full-screen program is whole, and Stop ends it: it stays to be read, and its agent's turn is over", async () => {
      const { page } = await openSession();
      await say(page, "less /etc/services");
      await allow(page);
      await terminals(page).getByText("/etc/services", { exact: true }).waitFor();
      await expect
        .poll(async () => {
          const screen = await readScreen(page);
          return screen.rows.every((row) => isInView(screen, row));
        })
        .toBe(true);
      await terminals(page).getByRole("button", { name: "Stop" }).click();
      await terminals(page)
        .getByText(/^(exit|ended)/)
        .waitFor();
      await whenIdle(page);
      expect(await page.getByText(/could not be run|No terminal/).count()).toBe(0);
      await page.getByText("Done", { exact: true }).waitFor();
    });

    it("[Z345] that failed has no check mark in the plan", async () => {
      const { page } = await openSession();
      await say(page, "false\necho two");
      await allow(page);
      await page.getByRole("group", { name: "Permission: execute echo two" }).waitFor();
      await allow(page);
      await whenIdle(page);
      const steps = page.getByRole("group", { name: "Plan" }).getByRole("listitem");
      expect(await steps.filter({ hasText: "false" }).locator(".octicon-check").count()).toBe(0);
      await expect.poll(() => steps.filter({ hasText: "false" }).getByText("(failed)").count()).toBe(1);
      await expect
        .poll(() => steps.filter({ hasText: "echo two" }).locator(".octicon-check").count())
        .toBe(1);
    });

    it("[Z1017] that is held sends what is typed while old output is drawn", async () => {
      const { page } = await openSession();
      await say(page, "seq 1 30000; cat");
      await allow(page);
      await terminals(page).getByText("30000").waitFor();
      await terminals(page).getByRole("button", { name: "Take over" }).click();
      await terminals(page).locator("textarea:focus").waitFor({ state: "attached" });
      await page.getByRole("link", { name: "Host" }).click();
      await page.locator(".xterm").first().waitFor({ state: "detached" });
      await page.evaluate(slowFrames);
      await page.goBack();
      const screen = terminals(page).locator("textarea");
      await expect.poll(() => screen.getAttribute("tabindex")).toBe("0");
      await screen.focus();
      await page.keyboard.type("hello");
      expect(await page.locator(".xterm-rows").innerText()).not.toContain("30000");
      await page.evaluate(usualFrames);
      await terminals(page).getByText("hello").waitFor();
      await terminals(page).getByRole("button", { name: "Stop command" }).click();
    });

    it("[Z351] that is left before it is drawn leaves no warning in the console", async () => {
      const opened = await openSession();
      const page = await run("echo quickly", opened);
      await page.evaluate(slowFrames);
      for (let round = 0; round < 3; round += 1) {
        await page.getByRole("link", { name: /Terminals/ }).click();
        await page.locator(".xterm").first().waitFor({ state: "attached" });
        await page.getByRole("link", { name: "Host" }).click();
        await page.locator(".xterm").first().waitFor({ state: "detached" });
        await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
      }
      expect(opened.faults).toEqual([]);
      await page.evaluate(usualFrames);
    });
  },
  { scrollbars: "classic" },
);
