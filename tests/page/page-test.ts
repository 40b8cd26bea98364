// Tests in a real browser, which all tests of a worker share: each page has separate cookies and storage.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { cannotBrowse, startBrowser, watchTasks, type BrowserOptions } from "./page-browser.ts";

/** Browsers by how they are started; a browser that crashed is started again. */
class SharedBrowsers {
  readonly #started = new Map<string, Promise<Browser>>();

  async get(options: BrowserOptions): Promise<Browser> {
    const key = JSON.stringify([options.scrollbars, options.isWhole]);
    const earlier = await this.#started.get(key);
    if (earlier?.isConnected() === true) return earlier;
    const started = startBrowser(options);
    this.#started.set(key, started);
    return started;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#started.values()].map(async (started) => (await started).close()));
  }
}

// Vitest reads from this pattern that the fixture needs no other.
// oxlint-disable-next-line no-empty-pattern
const sharedBrowsers = test.extend("browsers", { scope: "worker" }, ({}, { onCleanup }) => {
  const browsers = new SharedBrowsers();
  onCleanup(() => browsers.close());
  return browsers;
});

let browser: Browser | undefined;

/** Declares tests that open pages; without a browser they are skipped, and the title says why. */
export function describePage(title: string, declare: () => void, options: BrowserOptions = {}): void {
  const reason = cannotBrowse === undefined ? "" : ` (skipped: ${cannotBrowse})`;
  describe.skipIf(cannotBrowse)(`${title}${reason}`, () => {
    sharedBrowsers.beforeAll(async ({ browsers }) => {
      const outer = browser;
      browser = await browsers.get(options);
      return () => {
        browser = outer;
      };
    });
    declare();
  });
}

/** How a page is opened. */
export interface PageOptions extends BrowserContextOptions {
  /** Warnings and errors that the test provokes; any other in the console fails it (Z351). */
  readonly expectedFaults?: RegExp;
}

/** A test's page and its host. */
export interface OpenedPage {
  readonly page: Page;
  /** The warnings and errors of its console. */
  readonly faults: string[];
}

/** A host that goes away under its page. */
export const lostHostFaults = /WebSocket connection to|Failed to load resource|ERR_/;

/** Opens a page in a separate context, which is closed with the test. Only for tests in `describePage`. */
export async function openPage(
  url: string,
  { expectedFaults, ...options }: PageOptions = {},
): Promise<OpenedPage> {
  if (browser === undefined) throw new Error("openPage needs a test declared in describePage");
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    // Spinners that turn would take a tenth of the CPU time.
    reducedMotion: "reduce",
    ...options,
  });
  const faults: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(faults.filter((fault) => expectedFaults?.test(fault) !== true)).toEqual([]);
  });
  context.setDefaultTimeout(15_000);
  await context.addInitScript(watchTasks);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}
