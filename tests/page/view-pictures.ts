// Pictures of every view of the page, to be looked at: in both themes, at three widths, with what breaks the rules of layout.
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openDesignPage } from "./design-page.ts";
import { layoutProblems } from "./layout.ts";
import { startBrowser, type BrowserOptions } from "./page-browser.ts";
import { whenConnected } from "./page-walk.ts";
import { startStateViews } from "./state-views.ts";
import { goToView, startViewScene, viewsOf } from "./view-scene.ts";

interface Pass extends BrowserOptions {
  readonly widths: readonly number[];
  readonly context: BrowserContextOptions;
  /** The views that it is about; all of them where it is absent. */
  readonly views?: readonly string[];
  /** The end of the names of its pictures. */
  readonly suffix?: string;
}

const timeoutMs = 15_000;

/** A large window with a mouse, whose scrollbars take space, a phone, and the sharp screen of a laptop without scrollbars. */
const passes: readonly Pass[] = [
  { widths: [1440, 1024], scrollbars: "classic", context: { deviceScaleFactor: 1 } },
  { widths: [390], context: { deviceScaleFactor: 2, isMobile: true, hasTouch: true } },
  {
    widths: [1280],
    context: { deviceScaleFactor: 2 },
    views: ["home", "conversation", "running", "question", "changes", "terminals", "host-system"],
    suffix: "-overlay",
  },
];

/** Takes the pictures into a folder; with names, only of these views. */
export async function takeViewPictures(folder: string, names: readonly string[] = []): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const [scene, states, design] = await Promise.all([startViewScene(), startStateViews(), openDesignPage()]);
  try {
    for (const { widths, context: options, views, suffix = "", ...browserOptions } of passes) {
      const isWanted = (name: string): boolean =>
        (names.length === 0 || names.includes(name)) && views?.includes(name) !== false;
      const browser = await startBrowser(browserOptions);
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const shoot = async (page: Page, name: string): Promise<void> => {
        for (const width of widths) {
          await takeBoth(page, path.join(folder, `${name}-${width}${suffix}`), width);
        }
      };
      context.setDefaultTimeout(timeoutMs);
      const page = await context.newPage();
      await page.setViewportSize({ width: widths[0] ?? 1440, height: 900 });
      await page.goto(scene.url);
      await whenConnected(page);
      for (const view of viewsOf(scene).filter(({ name }) => isWanted(name))) {
        await attempt(view.name, () => goToView(page, view));
        await shoot(page, view.name);
      }
      for (const { name, open, says } of states.views.filter((view) => isWanted(view.name))) {
        await attempt(name, async () => {
          await open(page);
          await page.getByText(says).filter({ visible: true }).first().waitFor();
        });
        await shoot(page, name);
      }
      if (isWanted("sign-in")) {
        await context.clearCookies();
        await page.goto(scene.host.url);
        await shoot(page, "sign-in");
      }
      if (isWanted("design")) {
        await page.goto(design.url);
        await page.getByRole("heading", { name: "Design system" }).waitFor();
        await shoot(page, "design");
      }
      await browser.close();
    }
  } finally {
    states.close();
    design.close();
    await scene.close();
  }
}

/** A view that does not become complete is reported, and its picture shows how far it came. */
async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stdout.write(
      `${name} is not complete: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}

async function takeBoth(page: Page, file: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 780 : 900 });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))");
    await page.screenshot({ path: `${file}-${colorScheme}.png` });
  }
  const problems = await layoutProblems(page);
  process.stdout.write(`${path.basename(file)}${problems.map((problem) => `\n  ${problem}`).join("")}\n`);
}
