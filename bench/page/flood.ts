// A flood in a terminal: the longest task of the page, and how late the timers of an empty page were meanwhile.
import type { Browser } from "playwright-core";
import { startRealHost } from "../../tests/host/real-host.ts";
import { forgetTasks, longestTaskMs, watchTasks } from "../../tests/page/page-browser.ts";
import { terminals, typeInto, whenConnected } from "../../tests/page/page-walk.ts";

export interface Flood {
  readonly megabytes: number;
  readonly durationMs: number;
  readonly longestTaskMs: number;
  readonly emptyPageDelayMs: number;
}

/** Notes how late a timer of 10 ms comes at most: only the machine delays it in a page that does nothing. */
const watchDelays = `
  globalThis.longestDelayMs = 0;
  let dueMs = performance.now() + 10;
  setInterval(() => {
    const nowMs = performance.now();
    globalThis.longestDelayMs = Math.max(globalThis.longestDelayMs, nowMs - dueMs);
    dueMs = nowMs + 10;
  }, 10);
`;

export async function measureFlood(browser: Browser, megabytes: number): Promise<Flood> {
  const host = await startRealHost();
  // Each in its own window, so that neither counts as hidden.
  const contexts = [await browser.newContext(), await browser.newContext()] as const;
  try {
    const [page, empty] = await Promise.all([contexts[0].newPage(), contexts[1].newPage()]);
    await page.addInitScript(watchTasks);
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.getByRole("link", { name: "Terminals" }).click();
    await page.getByRole("button", { name: "Open a shell" }).click();
    const terminal = terminals(page);
    await terminal.getByText("held by you").waitFor();
    await terminal.locator("textarea").waitFor({ state: "attached" });
    await empty.evaluate(watchDelays);
    await forgetTasks(page);
    const startedMs = performance.now();
    await typeInto(terminal, `yes 0123456789abcdef | head -c ${megabytes}000000; echo the-end-$((6*7))\n`);
    await terminal.getByText("the-end-42").waitFor({ timeout: 300_000 });
    return {
      megabytes,
      durationMs: performance.now() - startedMs,
      longestTaskMs: await longestTaskMs(page),
      emptyPageDelayMs: await empty.evaluate<number>("globalThis.longestDelayMs"),
    };
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    await host.close();
  }
}
