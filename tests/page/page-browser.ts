// A real browser for the built page, and how long the page kept it busy.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";

const chromiumPath = process.env["HOLDFAST_CHROMIUM"] ?? "/usr/bin/chromium";
/** Chromium without its windows: pages are the same, and take half of the CPU time. */
const shellPath = "/usr/bin/chromium-headless-shell";

/** The folder of the built page. */
export const pageFolder = fileURLToPath(new URL("../../packages/web/dist/page/", import.meta.url));

/** Why tests of the page are skipped; undefined when they can run. */
export const cannotBrowse = whyNot();

function whyNot(): string | undefined {
  if (!existsSync(chromiumPath)) return `no Chromium at ${chromiumPath}; HOLDFAST_CHROMIUM may name one`;
  return existsSync(`${pageFolder}index.html`) ? undefined : "the page is not built: run npm run build";
}

/** How a browser is started. */
export interface BrowserOptions {
  /** Classic scrollbars take space from what scrolls, as on Linux, Windows and a Mac with a mouse; without it there are none. */
  readonly scrollbars?: "classic";
  /** Whether the page needs what only the browser with its windows has, such as permissions that a person gives. */
  readonly isWhole?: boolean;
}

/** Starts a browser with nothing in it. */
export function startBrowser({ scrollbars, isWhole = false }: BrowserOptions = {}): Promise<Browser> {
  const isClassic = scrollbars === "classic";
  const isShell = !isWhole && process.env["HOLDFAST_CHROMIUM"] === undefined && existsSync(shellPath);
  return chromium.launch({
    executablePath: isShell ? shellPath : chromiumPath,
    // A browser ends with the process that started it, whose handlers of signals are its own affair.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...(isClassic && { ignoreDefaultArgs: ["--hide-scrollbars"] }),
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--disable-gpu",
      ...(isClassic ? ["--disable-features=OverlayScrollbar"] : []),
    ],
  });
}

/** Notes the longest task of a page; read it with `longestTaskMs`. */
export const watchTasks = `
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      globalThis.longestTaskMs = Math.max(globalThis.longestTaskMs, duration);
    }
  }).observe({ type: "longtask", buffered: true });
`;

/** The longest task that a page may have; three times as long where other tests take the machine's time as well. */
export const maxTaskMs = process.env["HOLDFAST_LONG"] === undefined ? 600 : 200;

/** The longest time the page could not answer, since it was opened or since this was last set to zero. */
export function longestTaskMs(page: Page): Promise<number> {
  return page.evaluate<number>("globalThis.longestTaskMs");
}

/**
 * The longest task during an action, which is repeated until its tasks are short, up to three times: now and then other
 * processes have the processor for seconds.
 */
export async function longestTaskDuring(
  page: Page,
  act: (attempt: number) => Promise<void>,
): Promise<number> {
  let taskMs = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= 3 && taskMs >= maxTaskMs; attempt += 1) {
    await forgetTasks(page);
    await act(attempt);
    taskMs = await longestTaskMs(page);
  }
  return taskMs;
}

/** Forgets the tasks so far. */
export async function forgetTasks(page: Page): Promise<void> {
  await page.evaluate("globalThis.longestTaskMs = 0");
}
