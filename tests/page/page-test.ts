// Tests in a real browser, which all tests of a worker share: each page has separate cookies and storage.
import type { Browser, BrowserContextOptions, Page, ViewportSize } from "playwright-core";
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
/** Tabs that tests of a `describePage` share, by name. */
let sharedTabs = new Map<string, SharedTab>();

interface SharedTab extends OpenedPage {
  readonly viewport: ViewportSize;
  close(): Promise<void>;
}

/** Declares tests that open pages; without a browser they are skipped, and the title says why. */
export function describePage(title: string, declare: () => void, options: BrowserOptions = {}): void {
  const reason = cannotBrowse === undefined ? "" : ` (skipped: ${cannotBrowse})`;
  describe.skipIf(cannotBrowse)(`${title}${reason}`, () => {
    sharedBrowsers.beforeAll(async ({ browsers }) => {
      const outer = { browser, sharedTabs };
      browser = await browsers.get(options);
      sharedTabs = new Map();
      return async () => {
        await Promise.all([...sharedTabs.values()].map((tab) => tab.close()));
        ({ browser, sharedTabs } = outer);
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
  const tab = await openTab(options);
  onTestFinished(async () => {
    await tab.close();
    expectNoFaults(tab, expectedFaults);
  });
  await tab.page.goto(url);
  return tab;
}

/** How a shared page is opened by the first test that asks for it. */
export interface SharedPageOptions extends PageOptions {
  /** Which page, where a test has several at once. */
  readonly name?: string;
}

/**
 * Goes to an address in the page that an earlier test of the same `describePage` left, or opens one. To open one takes
 * more CPU time than most tests: they share it unless they are about a browser's start, its storage or its settings.
 * Each begins in the view of its address, with nothing open over it and in the window's first size.
 */
export async function sharePage(
  url: string,
  { name = "", expectedFaults, ...options }: SharedPageOptions = {},
): Promise<OpenedPage> {
  const tabs = sharedTabs;
  const earlier = tabs.get(name);
  const tab = earlier ?? (await openTab(options));
  tabs.set(name, tab);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") {
      // Nobody knows what a failed test left.
      tabs.delete(name);
      await tab.close();
    }
    expectNoFaults(tab, expectedFaults);
  });
  if (earlier === undefined) await tab.page.goto(url);
  else await returnTo(tab, new URL(url).hash);
  return tab;
}

/** Leads a page to the view of an address, as its next test expects it. */
async function returnTo({ page, viewport }: SharedTab, hash: string): Promise<void> {
  // One for each that may be open: a list within a dialog.
  for (let count = 0; count < 2; count += 1) await page.keyboard.press("Escape");
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
  // By way of the home page: the view of the same address begins again, too.
  for (const each of new Set(["#/", hash === "" ? "#/" : hash])) {
    await page.evaluate(`new Promise((resolve) => {
      document.activeElement?.blur();
      location.hash = ${JSON.stringify(each)};
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    })`);
  }
}

async function openTab(options: BrowserContextOptions): Promise<SharedTab> {
  if (browser === undefined) throw new Error("A page needs a test declared in describePage");
  const viewport = options.viewport ?? { width: 1280, height: 800 };
  // Spinners that turn would take a tenth of the CPU time.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options, viewport });
  const faults: string[] = [];
  context.setDefaultTimeout(15_000);
  await context.addInitScript(watchTasks);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  return { page, faults, viewport, close: () => context.close() };
}

/** Fails a test whose page has warnings and errors in its console that the test did not provoke (Z351). */
function expectNoFaults({ faults }: OpenedPage, expected: RegExp | undefined): void {
  // What comes later counts for the next test of a shared page.
  const own = faults.splice(0);
  expect(own.filter((fault) => expected?.test(fault) !== true)).toEqual([]);
}
