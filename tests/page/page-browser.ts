// A real browser on the page of a real host, for tests.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const chromiumPath = process.env["HOLDFAST_CHROMIUM"] ?? "/usr/bin/chromium";

/** The folder of the built page. */
export const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page/", import.meta.url));

/** Why tests of the page are skipped; undefined when they can run. */
export const cannotBrowse = whyNot();

function whyNot(): string | undefined {
  if (!existsSync(chromiumPath)) return `no Chromium at ${chromiumPath}; HOLDFAST_CHROMIUM may name one`;
  return existsSync(`${pageFolder}index.html`) ? undefined : "the page is not built: run npm run build";
}

/** Starts a browser with nothing in it. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--disable-gpu",
    ],
  });
}

/** Notes the longest task of a page; read it with `longestTaskMs`. */
const watchTasks = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      globalThis.longestTaskMs = Math.max(globalThis.longestTaskMs, duration);
    }
  }).observe({ type: "longtask", buffered: true });
`;

/** The longest task that a page may have; three times as long where other tests take the machine's time as well. */
export const maxTaskMs = process.env["HOLDFAST_LONG"] === undefined ? 600 : 200;

/** What a page of a test has. */
export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in it, as the browser told. */
  readonly faults: string[];
}

/** Opens the page in a browser of its own kind: other cookies, other storage. It is closed with the test. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(15_000);
  await context.addInitScript(watchTasks);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

/** The longest time the page could not answer, since it was opened or since this was last set to zero. */
export function longestTaskMs(page: Page): Promise<number> {
  return page.evaluate<number>("globalThis.longestTaskMs");
}

/** Forgets the tasks so far. */
export async function forgetTasks(page: Page): Promise<void> {
  await page.evaluate("globalThis.longestTaskMs = 0");
}
