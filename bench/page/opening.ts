// Time from a click in the page to what it shows, as the page itself sees it.
import type { Page } from "playwright-core";

/** Clicks what a selector finds, and gives how long it took until an expression was true in a frame. */
export function measureOpening(page: Page, selector: string, isOpen: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const startedMs = performance.now();
    document.querySelector(${JSON.stringify(selector)}).click();
    const look = () =>
      ${isOpen} ? resolve(performance.now() - startedMs) : requestAnimationFrame(look);
    look();
  })`);
}
