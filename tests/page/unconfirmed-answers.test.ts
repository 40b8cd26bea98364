// Answers to questions while the host cannot be reached, or does not respond.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { type CuttableConnection, cuttableConnection } from "./cut-connection.ts";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { composer, enterSession, say, terminals, whenConnected } from "./page-walk.ts";

describePage("[Z970] answers that the host has not confirmed", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  /** A page with a question, and a way to cut its connection. */
  async function openQuestion(): Promise<{ page: Page } & CuttableConnection> {
    const { page } = await openPage("about:blank", { expectedFaults: lostHostFaults });
    const connection = await cuttableConnection(page);
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo allowed");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    return { page, ...connection };
  }

  it("[Z970] while disconnected a question takes no answer, and says why", async () => {
    const { page, cut, join } = await openQuestion();
    const card = page.getByRole("group", { name: /^Permission/ });
    const allow = card.getByRole("button", { name: "Allow once" });
    await cut();
    await card.getByText("You can answer when the page has reconnected").waitFor();
    for (const button of await card.getByRole("button").all()) {
      await expect.poll(() => button.isDisabled()).toBe(true);
    }
    await expect.poll(() => page.getByRole("button", { name: "Stop", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.waitForTimeout(600);
    await page.keyboard.press("y");
    await page.getByText("the answer was not sent").waitFor();
    expect(await page.getByText("Running", { exact: true }).count()).toBe(0);
    expect(await card.count()).toBe(1);

    await join();
    await expect.poll(() => allow.isEnabled()).toBe(true);
    expect(await card.getByText("Disconnected").count()).toBe(0);
    await allow.click();
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
  });

  it("[Z1019] a message that is being sent does not come back when its view is left", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const address = page.url();
    process.kill(host.pid, "SIGSTOP");
    try {
      await say(page, "# once");
      await expect.poll(() => composer(page).inputValue()).toBe("");
      await page.getByRole("link", { name: "Home" }).click();
      await composer(page).waitFor({ state: "detached" });
      await page.goto(address);
      await composer(page).waitFor();
      expect(await composer(page).inputValue()).toBe("");
    } finally {
      process.kill(host.pid, "SIGCONT");
    }
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await composer(page).inputValue()).toBe("");
    expect(await page.getByRole("group", { name: "Your message" }).count()).toBe(1);
    await page.reload();
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await composer(page).inputValue()).toBe("");
  });

  it("[Z970] an answer to a host that hangs waits in sight, also over a lost connection, and is sent once", async () => {
    const { page, cut, join } = await openQuestion();
    const card = page.getByRole("group", { name: /^Permission/ });
    process.kill(host.pid, "SIGSTOP");
    try {
      await card.getByRole("button", { name: "Allow once" }).click();
      await card.getByText("Waiting for the host to confirm").waitFor();
      await expect.poll(() => card.getByRole("button", { name: "Deny" }).isDisabled()).toBe(true);
      expect(await page.getByText("Running", { exact: true }).count()).toBe(0);
      await cut();
      await card.getByText("The host has not confirmed your answer yet").waitFor();
    } finally {
      process.kill(host.pid, "SIGCONT");
    }
    await join();
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();
    await expect.poll(() => card.count()).toBe(0);
    expect(await composer(page).inputValue()).toBe("");
  });
});
