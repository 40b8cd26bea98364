// Finding in a real browser: the palette, the help on shortcuts, search, filters.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { say as answer } from "../../packages/core/src/testing/script.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startReviewScene, type ReviewScene } from "./review-scene.ts";

/** A session in the list. */
function link(page: Page, name: string): Locator {
  return page.getByRole("complementary").getByRole("link", { name });
}

/** Records the notifications of the page, since the system has nobody to show them to here. */
const recordNotifications = `
  globalThis.notified = [];
  globalThis.Notification = class extends EventTarget {
    static permission = "granted";
    constructor(title, { body }) {
      super();
      globalThis.notified.push([title, body]);
    }
  };
`;

describePage("finding", () => {
  let scene: ReviewScene;

  beforeAll(async () => {
    // No command for each of many turns.
    scene = await startReviewScene({ "*": [answer("Changed as you asked.")] });
    const first = await scene.openSession(scene.repository, "Garden fence");
    await scene.send(first, "Add a greeting for the evening");
    for (let turn = 0; turn < 12; turn += 1) await scene.send(first, `Water the roses, round ${turn}`);
    await scene.openSession(scene.host.project, "Kitchen oven");
  }, 120_000);
  afterAll(async () => {
    await scene?.close();
  });

  const open = async (opened = sharePage): Promise<Page> => {
    // Not the home page, whose field takes the keys.
    const { page } = await opened(`${scene.url}#/inbox`);
    await whenConnected(page);
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await link(page, "Garden fence").waitFor();
    return page;
  };

  it("[Z850] the palette finds sessions and actions by a few letters, with the keyboard alone", async () => {
    const page = await open();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find a session or an action" });
    await field.waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.keyboard.type("kitov");
    const chosen = page.getByRole("option", { selected: true });
    await expect.poll(() => chosen.innerText()).toContain("Kitchen oven");
    expect(await field.getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Kitchen oven" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    // Also while something is typed; arrows go round.
    await page.getByRole("textbox", { name: "Message", exact: true }).focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("show the changes");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => chosen.innerText()).toContain("Search all sessions for “show the changes”");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/changes$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("[Z975] the palette that ends does not close the help that was opened meanwhile", async () => {
    const page = await open();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.waitFor();
    // The event of its end comes after the key.
    await page.evaluate(`new Promise((resolve) => {
      const dialog = document.querySelector("dialog");
      dialog.addEventListener("close", resolve, { once: true });
      dialog.close();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true }));
    }).then(() => undefined)`);
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await palette.count()).toBe(0);
    // The focus leaves a closed dialog with the next frame only.
    await page.evaluate(`(() => {
      const dialog = document.querySelector("dialog");
      dialog.close();
      dialog.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true, cancelable: true }));
    })()`);
    await page.getByRole("heading", { name: "Terminals" }).waitFor();
  });

  it("[Z985] the palette has the actions of the session that is shown", async () => {
    const page = await open();
    await link(page, "Kitchen oven").click();
    await page.getByRole("heading", { name: "Kitchen oven" }).waitFor();
    const choose = (words: string): Promise<void> => chooseInPalette(page, words);
    await choose("rename");
    await page.getByLabel("Session name").fill("Kitchen stove");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Kitchen stove" }).waitFor();
    await choose("close");
    await page
      .getByRole("dialog", { name: "Close the session?" })
      .getByRole("button", { name: "Cancel" })
      .click();
    await choose("rename");
    await page.getByLabel("Session name").fill("Kitchen oven");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("heading", { name: "Kitchen oven" }).count()).toBe(1);
  });

  it("[Z882] an agent in the palette is chosen in the dialog that it opens, whatever was used last", async () => {
    const page = await open();
    for (const agent of ["Shell", "Painter"]) {
      await page.keyboard.press("Control+k");
      await page
        .getByRole("combobox", { name: "Find a session or an action" })
        .fill(`new session with ${agent}`);
      const found = page.getByRole("option", { selected: true });
      await expect.poll(() => found.innerText()).toContain(`New session with ${agent}`);
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: "New session" });
      await dialog.getByRole("button", { name: new RegExp(`^Agent: ${agent}`) }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
  });

  it("[Z852] the help lists the shortcuts, which do what it says", async () => {
    const page = await open();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Command palette").waitFor();
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("o");
    await page.getByRole("heading", { name: "Host", exact: true }).waitFor();
    await page.keyboard.press("f");
    await page.getByRole("searchbox", { name: "Search all sessions" }).waitFor();
  });

  it("[Z851, Z940] search finds text in all sessions, marks it, and leads to the message", async () => {
    const page = await open();
    await page.keyboard.press("f");
    await page.getByRole("searchbox", { name: "Search all sessions" }).waitFor();
    await page.keyboard.type("evening gree");
    const results = page.getByRole("list", { name: "Results" });
    await results.getByRole("link").first().waitFor();
    await expect.poll(() => results.locator("mark").allInnerTexts()).toContain("evening");
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.waitForURL(/#\/search\?q=evening%20gree$/);
    await results.getByText("Message · ").first().waitFor();
    await results.getByRole("link", { name: /asks/ }).click();
    // The first of many turns, not the newest.
    const message = page.getByText("Add a greeting for the evening", { exact: true });
    await expect.poll(() => message.last().isVisible()).toBe(true);
    await page.getByText("for the time.").waitFor();
    // Exactly: the time beside round 1 may begin with a 1.
    const newest = page.getByText("Water the roses, round 11", { exact: true });
    await expect.poll(() => newest.count()).toBe(0);
    await page.goBack();
    await page.getByRole("searchbox", { name: "Search all sessions" }).fill("nothing has this");
    await page.getByText("No results for “nothing has this”").waitFor();
  });

  it("[Z870, Z971] finished turns are listed but not counted, and notify while the page is hidden", async () => {
    const page = await open(openPage);
    const markAll = page.getByRole("button", { name: "Mark all as read" });
    if (await markAll.isVisible()) await markAll.click();
    await expect.poll(() => page.title()).toBe("Holdfast");
    await page.evaluate(recordNotifications);
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
    const key = await scene.openSession(scene.repository, "Paint the gate");
    await scene.send(key, "Anything");
    await expect
      .poll(() => page.evaluate("globalThis.notified"))
      .toEqual([["An agent finished", "Paint the gate"]]);
    const finished = page.getByRole("region", { name: "Finished" });
    await finished.getByRole("link", { name: "Paint the gate" }).waitFor();
    await finished.getByText("Finished · ").waitFor();
    expect(await page.title()).toBe("Holdfast");
    expect(await page.getByRole("link", { name: /^Inbox/ }).innerText()).toBe("Inbox");
    expect(await page.evaluate("document.querySelector('link[rel=icon]').href")).toMatch(/^http/);
    expect(await violationsInBothThemes(page)).toEqual([]);
    // A session is read when it is shown on a visible page.
    await finished.getByRole("link", { name: "Paint the gate" }).click();
    await page.getByText("Changed as you asked").waitFor();
    await page.evaluate("delete document.hidden");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole("link", { name: /^Inbox/ }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await expect.poll(() => finished.getByRole("link", { name: "Paint the gate" }).count()).toBe(0);
  });

  it("[Z854] the list of sessions is filtered by project", async () => {
    const page = await open();
    await page.getByRole("button", { name: "More filters" }).click();
    await page.getByRole("button", { name: /^Project/ }).click();
    await page.getByRole("option", { name: /^greeter/ }).click();
    await expect.poll(() => link(page, "Kitchen oven").count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await link(page, "Kitchen oven").waitFor();
  });

  it("[Z988] letters typed in a list or a menu are not shortcuts", async () => {
    const page = await open();
    await link(page, "Kitchen oven").click();
    await page.getByRole("heading", { name: "Kitchen oven" }).waitFor();
    const address = await page.evaluate<string>("location.hash");
    await page.getByRole("button", { name: /^Permissions: / }).click();
    const choices = page.getByRole("listbox", { name: "Permissions" });
    await choices.waitFor();
    for (const word of ["allow", "ask"]) {
      await page.keyboard.type(word);
      expect(await page.evaluate("location.hash")).toBe(address);
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await choices.count()).toBe(1);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.keyboard.type("arch");
    expect(await page.evaluate("location.hash")).toBe(address);
    expect(await page.getByRole("menu", { name: "Session menu" }).count()).toBe(1);
    // With Ctrl they are.
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Command palette" }).waitFor();
  });

  it("[Z989] the focus is back where it was after the palette or a dialog, unless the chosen action moved it", async () => {
    const page = await open();
    await link(page, "Kitchen oven").click();
    await page.getByRole("heading", { name: "Kitchen oven" }).waitFor();
    const choose = (words: string): Promise<void> => chooseInPalette(page, words);
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.focus();
    await page.keyboard.type("half a ");
    await choose("show the conversation");
    await page.keyboard.type("thought");
    expect(await field.inputValue()).toBe("half a thought");
    await choose("close");
    const question = page.getByRole("dialog", { name: "Close the session?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.keyboard.type(", thrice");
    expect(await field.inputValue()).toBe("half a thought, thrice");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("!");
    expect(await field.inputValue()).toBe("half a thought, thrice!");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find a session or an action" }).waitFor();
    await page.mouse.click(1270, 300);
    await page.keyboard.type("!");
    expect(await field.inputValue()).toBe("half a thought, thrice!!");
    await field.fill("");

    await choose("filter sessions");
    await page.keyboard.type("oven");
    const filter = page.getByRole("searchbox", { name: "Filter sessions" });
    expect(await filter.inputValue()).toBe("oven");
    await filter.fill("");
  });
});

/** Runs the first entry of the palette that the words find. */
async function chooseInPalette(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a session or an action" }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
}
