// The page of the host in a real browser, section by section.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startReviewScene, type ReviewScene } from "./review-scene.ts";

/** The sections, and what each shows. */
const sections = {
  Settings: "New sessions",
  Agents: "Painter",
  Permissions: "Policy file",
  Access: "Garden bot",
  Usage: "1 turn",
  Activity: "sed -i",
  System: "Connected clients",
};

describePage("the host page", () => {
  let scene: ReviewScene;

  beforeAll(async () => {
    scene = await startReviewScene();
    const ceiling = { policy: "approve-reads", roots: [scene.repository] };
    await scene.api("POST", "/admin/keys", { name: "Garden bot", scopes: ["acp.agent"], ceiling });
    await scene.send(await scene.openSession(), "Add a greeting for the evening");
  });
  afterAll(async () => {
    await scene?.close();
  });

  const show = async (page: Page, section: string): Promise<void> => {
    await page.getByRole("tab", { name: section, exact: true }).click();
  };

  it(
    "[Z860, Z861, Z862, Z941] shows settings, agents, permissions, access, usage, activity and system, also on a phone",
    { timeout: 120_000 },
    async () => {
      const { page } = await openPage(`${scene.url}#/host`, { viewport: { width: 390, height: 780 } });
      await page.getByRole("heading", { name: "Host", exact: true }).waitFor();
      const tops =
        "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.getBoundingClientRect().top)";
      expect(new Set(await page.evaluate<number[]>(tops)).size).toBe(1);
      expect(await page.getByRole("link", { name: "Back to the sessions" }).count()).toBe(0);
      for (const [section, text] of Object.entries(sections)) {
        await show(page, section);
        await page.getByRole("tabpanel").getByText(text).first().waitFor();
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
        expect({ section, faults: await violationsInBothThemes(page) }).toEqual({ section, faults: [] });
      }
      await page.getByRole("button", { name: "Developer metrics" }).click();
      await page.getByRole("img", { name: /^Memory/ }).waitFor();
      expect(await violationsInBothThemes(page)).toEqual([]);
    },
  );

  it("[Z860] keeps theme and text size in the browser", async () => {
    const { page } = await sharePage(`${scene.url}#/host`);
    await whenConnected(page);
    const choose = async (name: string, option: string): Promise<void> => {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      await page.getByRole("option", { name: option }).click();
    };
    await choose("Theme: Match system", "Dark");
    await choose("Text size", "Large");
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await page.getByRole("button", { name: "Text size: Large" }).waitFor();
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
      expect(await page.evaluate("getComputedStyle(document.body).fontSize")).toBe("16.1px");
    }
  });

  it("[Z861] revokes a key after a question", async () => {
    const { page } = await sharePage(`${scene.url}#/host/access`);
    await page.getByText("at most “Allow reading”").waitFor();
    await page.getByRole("button", { name: "Revoke Garden bot…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No keys.").waitFor();
    const { keys } = await scene.api("GET", "/admin/keys");
    expect(keys).toEqual([expect.objectContaining({ revokedAt: expect.any(String) as string })]);
  });
});
