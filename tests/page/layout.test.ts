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

  it.each([1440, 1024, 390])(
    "[Z895, Z901] covers, cuts and squeezes nothing, %d px wide",
    { timeout: 240_000 },
    async (width) => {
      const isPhone = width < 500;
      const viewport = { width, height: isPhone ? 780 : 900 };
      const { page } = await openPage(scene.url, { viewport, isMobile: isPhone, hasTouch: isPhone });
      await whenConnected(page);
      const problems: Record<string, string[]> = {};
      for (const view of viewsOf(scene)) {
        await goToView(page, view);
        const found = await layoutProblems(page);
        if (found.length > 0) problems[view.name] = found;
      }
      expect(problems).toEqual({});
    },
  );
});
