// The layout of every view, measured: at the widths of a large window, a small one and a phone.
import { afterAll, beforeAll, expect, it } from "vitest";
import { layoutProblems } from "./layout.ts";
import { describePage, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { goToView, startViewScene, type ViewScene, viewsOf } from "./view-scene.ts";

describePage("[Z901] the layout of every view", () => {
  let scene: ViewScene;

  beforeAll(async () => {
    scene = await startViewScene();
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
  });

  it.each([
    ["a large window", { widths: [1440, 1024], height: 900, isPhone: false }],
    ["a phone", { widths: [390], height: 780, isPhone: true }],
  ])(
    "[Z895, Z901] covers, cuts and squeezes nothing on %s",
    { timeout: 240_000 },
    async (_, { widths, height, isPhone }) => {
      const viewport = { width: widths[0] ?? 0, height };
      const { page } = await openPage(scene.url, { viewport, isMobile: isPhone, hasTouch: isPhone });
      await whenConnected(page);
      const problems: Record<string, string[]> = {};
      let order: readonly number[] = widths;
      for (const view of viewsOf(scene)) {
        await goToView(page, view);
        for (const width of order) {
          if (widths.length > 1) await page.setViewportSize({ width, height });
          await page.evaluate(
            "new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))",
          );
          const found = await layoutProblems(page);
          if (found.length > 0) problems[`${view.name} ${width}`] = found;
        }
        // The next view begins in the width that this one ended in.
        order = order.toReversed();
      }
      expect(problems).toEqual({});
    },
  );
});
