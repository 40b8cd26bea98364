// The design system on its page, which is built for this test only.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { type DesignPage, openDesignPage } from "./design-page.ts";
import { pageFolder } from "./page-browser.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { inkPerLine } from "./pixels.ts";

describePage("[Z800] the design system", () => {
  let design: DesignPage;
  let url: string;

  beforeAll(async () => {
    design = await openDesignPage();
    ({ url } = design);
  }, 60_000);
  afterAll(() => {
    design?.close();
  });

  it.each(["light", "dark"] as const)("[Z800] is accessible and drawn in full, %s", async (colorScheme) => {
    const { page } = await sharePage(url);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.getByRole("heading", { name: "Design system" }).waitFor();
    expect(await violations(page)).toEqual([]);
    const isDark = await page.evaluate<boolean>(
      "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((part) => part < 60)",
    );
    expect(isDark).toBe(colorScheme === "dark");
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      const lines = await inkPerLine(page, { x: 0, y: 0, width, height: 800 });
      expect(lines.filter((ink) => ink > 0).length).toBeGreaterThan(200);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Session", exact: true }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Model:/ }).click();
    expect(await violations(page)).toEqual([]);
  });

  it("[Z801] a picker is worked by the keyboard: arrows, letters, search, Enter, Escape", async () => {
    const { page } = await openPage(url, { reducedMotion: "reduce" });
    const permissions = page.getByRole("button", { name: /^Permissions:/ });
    await permissions.focus();
    await page.keyboard.press("ArrowDown");
    const listbox = page.getByRole("listbox", { name: "Permissions" });
    await listbox.getByRole("option", { name: /Ask every time/, selected: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await listbox.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Permissions: Allow all" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("a");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Permissions: Allow all" }).waitFor();
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Permissions: Allow all");

    await page.getByRole("button", { name: "Model: Sonnet" }).press("Enter");
    await page.keyboard.type("gem");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Model: Gemini" }).press("Enter");
    await page.keyboard.type("my-own");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Model: my-own" }).waitFor();
  });

  it("[Z1013] the Enter that confirms a candidate of an input method chooses no option", async () => {
    const { page } = await sharePage(url);
    await page.getByRole("button", { name: "Model: Sonnet" }).press("Enter");
    const search = page.getByRole("combobox", { name: "Search: Model" });
    await search.fill("gem");
    await search.dispatchEvent("keydown", { key: "Enter", keyCode: 229 });
    await page.keyboard.press("Escape");
    await search.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Model: Sonnet");
  });

  it("[Z802] a menu is worked by the keyboard, and a dialog asks before what cannot be undone", async () => {
    const { page } = await sharePage(url);
    const button = page.getByRole("button", { name: "Session", exact: true });
    await button.press("Enter");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete the session?" });
    await dialog.waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await button.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Session");
  });

  it("[Z802, Z1012] a held Enter opens the dialog and does not confirm it", async () => {
    const { page } = await sharePage(url);
    await page.getByRole("button", { name: "Session", exact: true }).press("Enter");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await page.keyboard.press("d");
    await page.keyboard.down("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete the session?" });
    await dialog.waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    for (const name of ["Cancel", "Delete session"]) {
      await dialog.getByRole("button", { name }).focus();
      for (let count = 0; count < 3; count += 1) await page.keyboard.down("Enter");
      await dialog.waitFor();
    }
    await page.keyboard.up("Enter");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  });

  it("[Z800] is no part of the page that is shipped", () => {
    const assets = path.join(pageFolder, "assets");
    const withDesign = readdirSync(assets).filter((name) =>
      readFileSync(path.join(assets, name), "utf8").includes("Nothing is lost when a client goes away"),
    );
    expect(withDesign).toEqual([]);
    expect(readdirSync(pageFolder)).not.toContain("design.html");
  });
});
