// The first run in a real browser: from the printed address to a terminal that is taken over, given back and stopped.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import {
  allow,
  chooseAction,
  composer,
  enterSession,
  openShellSession,
  say,
  terminals,
  whenConnected,
} from "./page-walk.ts";

/** When the browser first drew something of the page. */
const firstPaint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
const screenColour = "getComputedStyle(document.querySelector('.xterm-scrollable-element')).backgroundColor";
/** A second, and twice that where other tests take the machine's time as well. */
const maxFirstContentMs = process.env["HOLDFAST_LONG"] === undefined ? 2000 : 1000;

describePage("[Z20] the page", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z3, Z20, Z35, Z40] the token leaves the address, and a command is asked for, runs live, is taken over, given back and stopped", async () => {
    const { page, faults } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    expect(page.url()).toBe(`${host.url}/`);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    let paintMs = Number(await page.evaluate(firstPaint));
    // A machine that others use too gets more tries: the bound is for the page, in the best of them.
    for (let tries = 1; tries < 10 && paintMs >= maxFirstContentMs; tries += 1) {
      const { page: another } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(another);
      paintMs = Math.min(paintMs, Number(await another.evaluate(firstPaint)));
    }
    console.log(`first content after ${Math.round(paintMs)} ms`);
    expect(paintMs).toBeLessThan(maxFirstContentMs);

    await openShellSession(page, host.project);
    await say(page, "sh -i");
    await page.getByRole("link", { name: "Inbox 1" }).waitFor();
    await allow(page);
    const terminal = terminals(page);
    await terminal.getByText("held by the agent").waitFor();

    await terminal.getByRole("button", { name: "Take over" }).click();
    await terminal.getByText("held by you").waitFor();
    await terminal.locator("textarea:focus").waitFor({ state: "attached" });
    await page.keyboard.type("echo sum $((40 + 2))\n");
    await terminal.getByText("sum 42").waitFor();
    const light = await page.evaluate(screenColour);
    await page.getByRole("button", { name: "Theme: system. Change to light." }).click();
    await page.getByRole("button", { name: "Theme: light. Change to dark." }).click();
    await expect.poll(() => page.evaluate(screenColour)).not.toBe(light);

    await terminal.getByRole("button", { name: "Hand back" }).click();
    await terminal.getByText("held by the agent").waitFor();
    await terminal.getByRole("button", { name: "Background" }).click();
    await terminal.getByText("in the background").waitFor();
    await page.getByText("Done", { exact: true }).first().waitFor();
    await terminal.getByRole("button", { name: "Stop" }).click();
    await terminal.getByText(/^(exit|ended)/).waitFor();
    await terminal.getByText(/^\d+(\.\d)? (ms|s)$/).waitFor();
    await terminal.getByText("in the background").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
  });

  it("[Z21] after a reload nothing is missing, and the keyboard alone is enough", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByRole("button", { name: /^Agent: (?!Looking)/ }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("shell");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Agent: Shell" }).waitFor();
    await dialog.getByRole("textbox", { name: "What do you want done?" }).focus();
    await page.keyboard.type("echo kept");
    await page.keyboard.press("Enter");
    await composer(page).waitFor();
    await page.getByRole("button", { name: "Allow once", exact: true }).focus();
    await page.keyboard.press("Enter");
    await terminals(page).last().getByText("exit 0", { exact: true }).waitFor();
    await page.reload();
    await terminals(page).last().getByText("exit 0", { exact: true }).waitFor();
    await page.getByRole("log", { name: "Conversation" }).getByText("echo kept").first().waitFor();
    await expect.poll(() => page.getByText(/^exit 0$/).count()).toBe(1);
  });

  it("[Z22] a message sent during a turn is queued, and can be removed", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo first");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    await say(page, "echo second");
    await say(page, "echo third");
    const queue = page.getByRole("list", { name: "Queued messages" });
    await queue.getByText("echo third").waitFor();
    await queue
      .getByRole("listitem")
      .filter({ hasText: "echo second" })
      .getByRole("button", { name: "Remove" })
      .click();
    await queue.getByText("echo second").waitFor({ state: "detached" });
    await allow(page);
    await page.getByRole("group", { name: "Permission: execute echo third" }).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Stopped", { exact: true }).first().waitFor();
    expect(await queue.count()).toBe(0);
  });

  it("[Z978] a queued message and the last one can be edited, and what is written already stays", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo first");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    await say(page, "echo second");
    await composer(page).fill("a draft");
    const queue = page.getByRole("list", { name: "Queued messages" });
    await queue.getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("echo second\n\na draft");
    expect(await queue.count()).toBe(0);
    await composer(page).fill("another");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("echo first\n\nanother");
    await composer(page).fill("");
  });

  it("[Z979] a long message is folded, and opens", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const lines = Array.from({ length: 100 }, (_, index) => `# line ${index}`);
    await say(page, lines.join("\n"));
    const message = page.getByRole("group", { name: "Your message" });
    // The end of the turn moves the button.
    await page.getByText("Done", { exact: true }).waitFor();
    const text = await message.innerText();
    expect(text).toContain("# line 29");
    expect(text).not.toContain("# line 30");
    const top = async (): Promise<number> => (await message.boundingBox())?.y ?? Number.NaN;
    let place = Number.NaN;
    await expect
      .poll(async () => {
        const earlier = place;
        place = await top();
        return place === earlier;
      })
      .toBe(true);
    await message.getByRole("button", { name: "Show the whole message" }).click();
    await message.getByText("# line 99").waitFor();
    await chooseAction(page, "Rename");
    await page.getByRole("textbox", { name: "Session name" }).fill("A long message");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "A long message" }).waitFor();
    // A list that was at its end may move by half a line when its last row is measured late; the message grew by 70.
    await expect.poll(async () => Math.abs((await top()) - place)).toBeLessThan(20);
    // With the keyboard: the button comes into view near the end of the list, which may then move it from under a pointer.
    await message.getByRole("button", { name: "Show less" }).press("Enter");
    await expect.poll(() => message.innerText()).not.toContain("# line 99");
  });

  it("[Z3] without the token there is only a way to show it", async () => {
    const { page } = await openPage(host.url, { expectedFaults: /Failed to load resource/ });
    await page.getByLabel("Host token").fill("not the token, I fear");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("This is not the host's token.").waitFor();
    await page.getByLabel("Host token").fill(host.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await whenConnected(page);
    expect(page.url()).toBe(`${host.url}/`);
  });
});
