// Sessions in the list: named, put away, closed and deleted, in every page at once.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { chooseAction, openShellSession, say, whenConnected } from "./page-walk.ts";

describePage("[Z7] sessions in the page", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z7] are named, archived and deleted, and another page sees it and the people here", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await openShellSession(page, host.project);
    await chooseAction(page, "Rename");
    await page.getByRole("textbox", { name: "Session name" }).fill("Garden work");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Garden work" }).waitFor();

    const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(other);
    await other
      .getByRole("link", { name: /Garden work/ })
      .first()
      .click();
    await other.getByText(/also open in: Chrome/).waitFor();
    await page.getByText(/also open in: Chrome/).waitFor();

    await chooseAction(other, "Archive");
    await page.getByRole("region", { name: "Archived" }).getByText("Garden work").waitFor();
    await chooseAction(page, "Delete …");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.getByText("No sessions yet.").waitFor();
    await other.getByText("No sessions yet.").waitFor();
    await expect.poll(() => page.url()).toBe(`${host.url}/#/`);
  });

  it("[Z8] that are closed are listed, opened to be read, and deleted", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    for (const name of ["Harvest", "Compost"]) {
      await openShellSession(page, host.project);
      await chooseAction(page, "Rename");
      await page.getByRole("textbox", { name: "Session name" }).fill(name);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name }).waitFor();
      await say(page, `Words of the ${name}`);
      await page.getByRole("group", { name: "Your message" }).waitFor();
      await chooseAction(page, "Close …");
      await page.getByRole("button", { name: "Close session" }).click();
      await page.getByText("No sessions yet.").waitFor();
    }

    await page.getByRole("link", { name: "Closed sessions" }).click();
    const list = page.getByRole("list", { name: "Closed sessions" });
    await list.getByRole("link", { name: "Harvest" }).click();
    await page.getByText("This session is closed.").waitFor();
    await page
      .getByRole("group", { name: "Your message" })
      .filter({ hasText: "Words of the Harvest" })
      .waitFor();
    await chooseAction(page, "Delete …");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.waitForURL(`${host.url}/#/`);

    await page.getByRole("link", { name: "Closed sessions" }).click();
    await list.getByRole("button", { name: "Delete Compost …" }).click();
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await list.getByRole("link", { name: "Compost" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Closed sessions" }).waitFor();
    await page.getByText("stays here with its messages and output").waitFor();
    expect(await list.count()).toBe(0);
  });

  it("[Z7] that are closed can no longer be written to, and stay to be read", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await openShellSession(page, host.project);
    const address = page.url();
    await chooseAction(page, "Close …");
    await page.getByRole("button", { name: "Close session" }).click();
    await page.getByText("No sessions yet.").waitFor();
    await page.goto(address);
    await page.getByText("This session is closed.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
  });
});
