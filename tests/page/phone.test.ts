// The page on a phone: its bar of places, answers by thumb, and the keys that its keyboard lacks.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, sharePage } from "./page-test.ts";
import { enterSession, openShellSession, say, terminals, whenConnected } from "./page-walk.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describePage("[Z813] on a phone", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  /** How far the page is wider than the window, which it must not be. */
  const overflow = (page: Page): Promise<number> =>
    page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

  it("[Z813] places are a bar, questions are answered by thumb, and a terminal has the keys that are missing", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, phone);
    await whenConnected(page);
    const places = page.getByRole("navigation", { name: "Places" });
    const bar = await places.boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeCloseTo(phone.viewport.height, 0);
    expect(await overflow(page)).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);

    await openShellSession(page, host.project);
    expect(await places.isVisible()).toBe(false);
    await say(page, "cat");
    const question = page.getByRole("group", { name: /^Permission/ });
    const once = question.getByRole("button", { name: "Allow once", exact: true });
    const box = await once.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.width).toBeGreaterThan(300);
    expect(await overflow(page)).toBe(0);
    await page.getByRole("link", { name: "Back to the sessions" }).tap();
    await places.getByRole("link", { name: /Inbox/ }).tap();
    await once.waitFor();
    expect(await overflow(page)).toBe(0);
    await page.goBack();
    await page.goBack();
    await once.tap();
    await terminals(page).getByRole("button", { name: "Take over" }).tap();
    const keys = page.getByRole("toolbar", { name: "Terminal keys" });
    await keys.getByRole("button", { name: "Esc" }).waitFor();
    const screen = terminals(page).locator("textarea");
    await screen.waitFor({ state: "attached" });
    await screen.focus();
    await keys.getByRole("button", { name: "Ctrl", exact: true }).tap();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.keyboard.type("d");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    expect(await overflow(page)).toBe(0);
    // No keyboard opens unless the person wants it.
    expect(await page.evaluate("document.activeElement.id")).not.toBe("message-field");
  });

  it("[Z1014] the arrows of the bar are those that the program asked for", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, phone);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(
      page,
      String.raw`printf '\033[?1hready\n'; head -n 1 > /dev/null; printf '\033[?1lagain\n'; cat`,
    );
    await page.getByRole("button", { name: "Allow once", exact: true }).tap();
    await terminals(page).getByRole("button", { name: "Take over" }).tap();
    const up = page.getByRole("toolbar", { name: "Terminal keys" }).getByRole("button", { name: "Up" });
    const rows = terminals(page).locator(".xterm-rows");
    // The terminal echoes control characters as ^ and a letter.
    for (const [word, echoed] of [
      ["ready", "^[OA"],
      ["again", "^[[A"],
    ] as const) {
      await expect.poll(() => rows.innerText()).toContain(word);
      await up.tap();
      await expect.poll(() => rows.innerText()).toContain(echoed);
      await terminals(page).locator("textarea").focus();
      await page.keyboard.press("Enter");
    }
    await terminals(page).getByRole("button", { name: "Stop command" }).tap();
  });

  it("[Z977] above a touch keyboard, the terminal that is typed into is in sight with its keys", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, phone);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "seq 1 30; cat");
    await page.getByRole("button", { name: "Allow once", exact: true }).tap();
    await terminals(page).getByRole("button", { name: "Take over" }).tap();
    const keys = page.getByRole("toolbar", { name: "Terminal keys" });
    await keys.waitFor();
    await terminals(page).locator("textarea").focus();
    const height = 440;
    await page.setViewportSize({ width: phone.viewport.width, height });
    for (const part of [
      keys.getByRole("button", { name: "Ctrl-C" }),
      terminals(page).getByRole("button", { name: "Hand back" }),
      terminals(page).getByRole("button", { name: "Stop command" }),
      terminals(page).locator(".xterm-screen"),
    ]) {
      await expect.poll(async () => (await edges(part))[0]?.bottom).toBeLessThanOrEqual(height);
      const [edge] = await edges(part);
      expect(edge?.top).toBeGreaterThan(0);
      expect(edge?.right).toBeLessThanOrEqual(phone.viewport.width);
    }
    expect(await page.getByLabel("Message", { exact: true }).isVisible()).toBe(false);
    await terminals(page).getByRole("button", { name: "Hand back" }).tap();
    await page.getByLabel("Message", { exact: true }).waitFor();
    await page.setViewportSize(phone.viewport);
    await terminals(page).getByRole("button", { name: "Stop command" }).tap();
  });

  it("[Z881] no part of the composer or of the conversation covers another", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, phone);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const settings = page.getByRole("button", { name: /^(Permissions|Mode|Output): / });
    await expect.poll(() => settings.count()).toBe(3);
    const [send] = await edges(page.getByRole("button", { name: "Send", exact: true }));
    for (const setting of await edges(settings)) {
      expect(setting.left).toBeGreaterThanOrEqual(0);
      expect(setting.right).toBeLessThanOrEqual(phone.viewport.width);
      expect(setting.right <= (send?.left ?? 0) || setting.bottom <= (send?.top ?? 0)).toBe(true);
    }
    expect(await overflow(page)).toBe(0);

    await say(page, "seq 1 30");
    await page.getByRole("button", { name: "Allow once", exact: true }).tap();
    await page.getByText("Done", { exact: true }).waitFor();
    const rows = page.getByRole("log", { name: "Conversation" }).locator("> div > div");
    for (const width of [390, 500, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(async () => overlapPx(await edges(rows))).toBeLessThan(1);
    }
  });
});

interface Edges {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The edges of what is in sight. */
async function edges(what: Locator): Promise<Edges[]> {
  const boxes = await Promise.all((await what.all()).map((each) => each.boundingBox()));
  return boxes.flatMap((box) => {
    if (box === null) return [];
    return [{ left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height }];
  });
}

/** How far rows reach into those below them. */
function overlapPx(rows: readonly Edges[]): number {
  const sorted = rows.toSorted((one, other) => one.top - other.top);
  return Math.max(0, ...sorted.slice(1).map(({ top }, index) => (sorted[index]?.bottom ?? 0) - top));
}
