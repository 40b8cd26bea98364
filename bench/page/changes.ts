// Opening of the Changes view in a large repository, beside `git status` of the same one.
import type { Browser } from "playwright-core";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { whenConnected } from "../../tests/page/page-walk.ts";
import { startLargeRepository } from "../../tests/page/large-repository.ts";
import { median } from "../terminal/statistics.ts";
import { measureOpening } from "./opening.ts";

export interface Changes {
  readonly files: number;
  readonly openMs: number;
  readonly statusMs: number;
}

export async function measureChanges(browser: Browser, parts: number, rounds: number): Promise<Changes> {
  const scene = await startLargeRepository(parts);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  try {
    const session = await scene.openSession();
    await scene.send(session, "Change everything");
    const uri = encodeURIComponent(uriOfKey(session));
    await page.goto(`${scene.url}#/session/${uri}`);
    await whenConnected(page);
    await page.getByRole("tab", { name: /^Changes\s*500/ }).waitFor();
    const openTimesMs: number[] = [];
    const statusTimesMs: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const statusStartedMs = performance.now();
      scene.git("status", "--porcelain");
      statusTimesMs.push(performance.now() - statusStartedMs);
      const isOpen = `document.querySelector("nav[aria-label='Changed files']")?.textContent.includes("1.txt")`;
      openTimesMs.push(await measureOpening(page, "[role=tab][id*=changes]", isOpen));
      await page.getByRole("region", { name: "Diffs" }).getByText("changed").first().waitFor();
      await page.getByRole("tab", { name: /^Conversation/ }).click();
    }
    // The first time, the code of the view is fetched as well.
    return { files: scene.fileCount, openMs: median(openTimesMs.slice(1)), statusMs: median(statusTimesMs) };
  } finally {
    await page.close();
    await scene.close();
  }
}
