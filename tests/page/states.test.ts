// The states of the page without its host, without sessions and with failures, in pictures and by the rules of layout.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violationsInBothThemes } from "./axe.ts";
import { layoutProblems } from "./layout.ts";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { inkPerLine } from "./pixels.ts";
import { startStateViews, type StateView, type StateViews } from "./state-views.ts";

describePage("[Z910] the states of the page", () => {
  let states: StateViews;

  beforeAll(async () => {
    states = await startStateViews();
  });
  afterAll(() => {
    states?.close();
  });

  it(
    "[Z910, Z911, Z912] are named, drawn and whole at every width and in both themes, with the way out in sight",
    { timeout: 180_000 },
    async () => {
      const { page } = await openPage("about:blank", { expectedFaults: lostHostFaults });
      const problems: Record<string, string[]> = {};
      for (const view of states.views) {
        const found = await problemsOf(page, view);
        if (found.length > 0) problems[view.name] = found;
      }
      expect(problems).toEqual({});
    },
  );
});

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 900 },
  { width: 390, height: 780 },
] as const;

/** The problems of a state, as sentences. */
async function problemsOf(page: Page, { open, says, remedy }: StateView): Promise<string[]> {
  await page.setViewportSize(sizes[0]);
  await open(page);
  const name = page.getByText(says).filter({ visible: true }).first();
  const wayOut =
    remedy === undefined
      ? undefined
      : page.getByText(remedy).or(page.getByLabel(remedy)).filter({ visible: true }).first();
  const problems: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))");
    for (const part of wayOut === undefined ? [name] : [name, wayOut]) {
      await part.waitFor();
      const isSeen = await isOnce(page, () => isInSight(part, size));
      if (!isSeen) problems.push(`${String(part)} is out of sight at ${size.width} px`);
    }
    const found = await layoutProblems(page);
    problems.push(...found.map((problem) => `${problem} at ${size.width} px`));
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (!(await isOnce(page, () => isDrawn(name)))) problems.push(`nothing is drawn, ${colorScheme}`);
  }
  problems.push(...(await violationsInBothThemes(page)));
  return problems;
}

/** A part may be drawn again while files of the page load. */
async function isOnce(page: Page, isTrue: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 20; tries += 1) {
    if (await isTrue()) return true;
    await page.waitForTimeout(100);
  }
  return false;
}

async function isDrawn(part: Locator): Promise<boolean> {
  const area = await part.boundingBox();
  const ink = area === null ? [] : await inkPerLine(part.page(), area);
  return ink.some((pixels) => pixels > 0);
}

async function isInSight(part: Locator, { width, height }: (typeof sizes)[number]): Promise<boolean> {
  const box = await part.boundingBox();
  return (
    box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height
  );
}
