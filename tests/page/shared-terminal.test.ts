// A terminal that several windows look at: who holds it, where it is listed, and its size.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findByArgument, uniqueSeconds } from "../../packages/terminal/src/testing/detector.ts";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage, sharePage, type OpenedPage, type SharedPageOptions } from "./page-test.ts";
import { allow, enterSession, say, terminals, typeInto, whenConnected, whenIdle } from "./page-walk.ts";
import { readScreen } from "./screens.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describePage("[Z913, Z962, Z964, Z976] a terminal in several windows", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  const open = async (options?: SharedPageOptions, way = sharePage): Promise<OpenedPage> => {
    const opened = await way(`${host.url}/?tkn=${host.token}`, options);
    await whenConnected(opened.page);
    return opened;
  };

  /** Runs a command in a new session of a page, and shows the session in others. */
  async function run(page: Page, command: string, ...others: Page[]): Promise<void> {
    await enterSession(page, "shell", host.project);
    await say(page, command);
    await allow(page);
    await terminals(page).getByText("held by the agent").waitFor({ state: "attached" });
    const { hash } = new URL(page.url());
    for (const other of others) {
      await other.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await terminals(other).getByRole("button", { name: "Take over" }).waitFor();
    }
  }

  const columns = async (page: Page): Promise<number> => (await readScreen(page, "first")).cols;

  it("[Z913, Z962] stays in its session's list when it is taken over, and can be taken back on another device", async () => {
    const { page } = await open();
    const { page: other } = await open({ name: "other" });
    await run(page, "sh -i", other);
    await terminals(page).getByRole("button", { name: "Take over" }).click();
    await terminals(page).getByText("held by you").waitFor();
    await page.getByRole("tab", { name: "Terminals 1" }).click();
    const listed = page.getByRole("list", { name: "Terminals of this session" });
    await terminals(page).getByText("held by you").waitFor();
    await expect.poll(() => listed.getByRole("listitem").count()).toBe(1);

    // The two pages share nothing, as two browsers.
    await other.getByRole("tab", { name: "Terminals 1" }).click();
    await terminals(other).getByText("in use in another window").waitFor();
    await terminals(other).getByRole("button", { name: "Take over" }).click();
    await terminals(other).getByText("held by you").waitFor();
    await typeInto(terminals(other), "echo taken by $((1 + 1))\n");
    await terminals(page).getByText("taken by 2").waitFor();
    await terminals(page).getByText("in use in another window").waitFor();
    await terminals(page).getByRole("button", { name: "Take over" }).click();
    await terminals(other).getByText("in use in another window").waitFor();
    await terminals(page).getByRole("button", { name: "Hand back" }).click();
    await terminals(other).getByText("held by the agent").waitFor({ state: "attached" });
    await terminals(other).getByRole("button", { name: "Stop command" }).click();
  });

  it("[Z976] is stopped with its session, also where another window has taken it over", async () => {
    const { page } = await open();
    const { page: other } = await open({ name: "other" });
    const seconds = uniqueSeconds();
    await run(page, `sleep ${seconds}`, other);
    await terminals(other).getByRole("button", { name: "Take over" }).click();
    await terminals(page).getByText("in use in another window").waitFor();
    expect(findByArgument(seconds)).not.toEqual([]);
    await page.getByRole("button", { name: "Session menu" }).click();
    await page.getByRole("menuitem", { name: "Close…" }).click();
    await page.getByText("including one that is in use in another window").waitFor();
    await page.getByRole("button", { name: "Close session" }).click();
    await expect.poll(() => findByArgument(seconds)).toEqual([]);
  });

  it("[Z964] has its size again in other windows when a phone hands it back, and when the phone is gone", async () => {
    const { page } = await open();
    const { page: small } = await open(phone, openPage);
    await run(page, "sleep 600", small);
    const before = await columns(page);
    await terminals(small).getByRole("button", { name: "Take over" }).tap();
    await expect.poll(() => columns(page)).toBeLessThan(60);
    await terminals(small).getByRole("button", { name: "Hand back" }).tap();
    await expect.poll(() => columns(page)).toBe(before);

    await terminals(small).getByRole("button", { name: "Take over" }).tap();
    await expect.poll(() => columns(page)).toBeLessThan(60);
    await small.close();
    await expect.poll(() => columns(page), { timeout: 10_000 }).toBe(before);
    await terminals(page).getByRole("button", { name: "Stop command" }).click();
    await whenIdle(page);
  });
});
