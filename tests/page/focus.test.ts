// The keyboard focus after controls that disappear when they are used.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, sharePage, type SharedPageOptions } from "./page-test.ts";
import { allow, composer, enterSession, say, terminals, whenConnected } from "./page-walk.ts";

/** What has the focus: its label, or its tag. */
const focused = "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName";

describePage("[Z511] the focus", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  async function openSession(options?: SharedPageOptions): Promise<Page> {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, options);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    return page;
  }

  it("[Z511] returns to the message field after a decision and after Stop, by mouse and by keyboard", async () => {
    const page = await openSession();
    await say(page, "sleep 600");
    await allow(page);
    await terminals(page).getByText("held by the agent").waitFor();
    expect(await page.evaluate(focused)).toBe("Message");
    await page.keyboard.type("then");
    await page.getByRole("button", { name: "Stop", exact: true }).last().click();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    expect(await page.evaluate(focused)).toBe("Message");
    await page.keyboard.type(" this");
    expect(await composer(page).inputValue()).toBe("then this");

    await say(page, "echo again");
    // A disabled button takes no focus, and for a moment after a decision all of them are (Z958).
    const allowOnce = page.getByRole("button", { name: "Allow once", exact: true });
    await expect.poll(() => allowOnce.isEnabled()).toBe(true);
    await allowOnce.focus();
    await page.keyboard.press("Enter");
    await terminals(page).last().getByText("exit 0", { exact: true }).waitFor();
    await page.keyboard.type("th");
    expect(await composer(page).inputValue()).toBe("th");
  });

  it("[Z511] returns to the message field after a terminal was stopped", async () => {
    const page = await openSession();
    await say(page, "sleep 600");
    await allow(page);
    await terminals(page).getByRole("button", { name: "Stop" }).click();
    await terminals(page)
      .getByText(/^ended/)
      .waitFor();
    expect(await page.evaluate(focused)).toBe("Message");
  });

  it("[Z513] returns to the message field when a program that was taken over ends", async () => {
    const page = await openSession();
    await say(page, "sh -i");
    await allow(page);
    await terminals(page).getByRole("button", { name: "Take over" }).click();
    await terminals(page).locator("textarea:focus").waitFor({ state: "attached" });
    await page.keyboard.type("exit\n");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate(focused)).toBe("Message");
    await page.keyboard.type("next");
    expect(await composer(page).inputValue()).toBe("next");
  });

  it("[Z511] opens no touch keyboard", async () => {
    const page = await openSession({ name: "phone", hasTouch: true, isMobile: true });
    await say(page, "sleep 600");
    await composer(page).blur();
    await allow(page);
    await terminals(page).getByText("held by the agent").waitFor();
    expect(await page.evaluate(focused)).not.toBe("Message");
    await page.getByRole("button", { name: "Stop", exact: true }).last().click();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    expect(await page.evaluate(focused)).not.toBe("Message");
  });
});
