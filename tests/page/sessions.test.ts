// Sessions in the list: named, put away, closed and deleted, in every page at once.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { allow, chooseAction, enterSession, say, whenConnected } from "./page-walk.ts";

describePage("[Z7] sessions in the page", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z7] are named, archived and deleted, and another page sees it and the people here", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
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
    await chooseAction(page, "Delete…");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await other.getByText("No sessions yet.").waitFor();
    await expect.poll(() => page.url()).toBe(`${host.url}/#/`);
  });

  it("[Z7, Z1015] keep the name that their title gives them when Rename is left without a change", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo first");
    await allow(page);
    await page.getByRole("heading", { name: "echo first" }).waitFor();
    const field = page.getByRole("textbox", { name: "Session name" });
    for (const leave of [() => field.blur(), () => field.press("Enter")]) {
      await chooseAction(page, "Rename");
      await field.waitFor();
      await leave();
      await field.waitFor({ state: "detached" });
    }
    // Dispatched after what the form would have sent.
    await chooseAction(page, "Archive");
    await page.getByRole("region", { name: "Archived" }).getByText("echo first").waitFor();
    const labels = await page.evaluate<unknown[]>(`(async () => {
      const headers = { "x-holdfast-page": "1" };
      const { sessions } = await (await fetch("/sdk/acp/sessions", { headers })).json();
      return sessions.map(({ label }) => label);
    })()`);
    expect(labels.filter((label) => label === "echo first")).toEqual([]);

    for (const [name, shown] of [
      ["Shed", "Shed"],
      ["", "echo first"],
    ] as const) {
      await chooseAction(page, "Rename");
      await field.fill(name);
      await field.press("Enter");
      await page.getByRole("heading", { name: shown }).waitFor();
      await page.getByRole("region", { name: "Archived" }).getByText(shown).waitFor();
    }
    await chooseAction(page, "Delete…");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.waitForURL(`${host.url}/#/`);
  });

  it("[Z8] that are closed are listed, opened to be read, and deleted", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    for (const name of ["Harvest", "Compost"]) {
      await enterSession(page, "shell", host.project);
      await chooseAction(page, "Rename");
      await page.getByRole("textbox", { name: "Session name" }).fill(name);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name }).waitFor();
      await say(page, `Words of the ${name}`);
      await page.getByRole("group", { name: "Your message" }).waitFor();
      await chooseAction(page, "Close…");
      await page.getByRole("button", { name: "Close session" }).click();
      await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    }

    await page.getByRole("link", { name: "Closed sessions" }).click();
    const list = page.getByRole("list", { name: "Closed sessions" });
    await list.getByRole("link", { name: "Harvest" }).click();
    await page.getByText("This session is closed.").waitFor();
    await page
      .getByRole("group", { name: "Your message" })
      .filter({ hasText: "Words of the Harvest" })
      .waitFor();
    await chooseAction(page, "Delete…");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.waitForURL(`${host.url}/#/`);

    await page.getByRole("link", { name: "Closed sessions" }).click();
    await list.getByRole("button", { name: "Delete Compost…" }).click();
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await list.getByRole("link", { name: "Compost" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Closed sessions" }).waitFor();
    await page.getByText("stays here with its messages and output").waitFor();
    expect(await list.count()).toBe(0);
  });

  it("[Z1012] that are closed are not deleted by a held Enter", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo kept");
    await page.getByRole("group", { name: "Your message" }).waitFor();
    await chooseAction(page, "Close…");
    await page.getByRole("button", { name: "Close session" }).click();
    await page.waitForURL(`${host.url}/#/`);
    await page.getByRole("link", { name: "Closed sessions" }).click();
    const deletion = page
      .getByRole("list", { name: "Closed sessions" })
      .getByRole("button", { name: /^Delete/ });
    await deletion.focus();
    await page.keyboard.down("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    for (let count = 0; count < 3; count += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await dialog.waitFor();
    // Enter again cancels.
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.reload();
    await expect.poll(() => deletion.count()).toBe(1);
    await deletion.click();
    await dialog.getByRole("button", { name: "Delete with its history" }).click();
    await deletion.waitFor({ state: "detached" });
  });

  it("[Z880] that are closed are reopened from the menu and from the list, in every page at once", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "echo before");
    await page.getByRole("group", { name: "Your message" }).waitFor();
    await chooseAction(page, "Rename");
    await page.getByRole("textbox", { name: "Session name" }).fill("Orchard");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Orchard" }).waitFor();
    const address = page.url();
    const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(other);
    await other.goto(address);
    await other.getByRole("textbox", { name: "Message" }).waitFor();
    await chooseAction(page, "Close…");
    await page.getByRole("button", { name: "Close session" }).click();
    await page.waitForURL(`${host.url}/#/`);
    await page.goto(address);
    await page.getByText("This session is closed.").waitFor();

    await chooseAction(page, "Reopen");
    for (const each of [page, other]) {
      await each.getByText("The agent continues with your next message.").waitFor();
      await each.getByRole("textbox", { name: "Message" }).waitFor();
    }
    await say(page, "echo after");
    await other.getByRole("group", { name: "Your message" }).filter({ hasText: "echo after" }).waitFor();
    await page.getByText("The agent continues with your next message.").waitFor({ state: "detached" });
    expect(await page.getByText("restarted without its context").count()).toBe(0);

    await chooseAction(page, "Close…");
    await page.getByRole("button", { name: "Close session" }).click();
    await page.waitForURL(`${host.url}/#/`);
    await page.getByRole("link", { name: "Closed sessions" }).click();
    await page.getByRole("button", { name: "Reopen Orchard" }).click();
    await page.waitForURL(address);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await chooseAction(page, "Delete…");
    await page.getByRole("button", { name: "Delete with its history" }).click();
    await page.waitForURL(`${host.url}/#/`);
  });

  it("[Z7] that are closed can no longer be written to, and stay to be read", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const address = page.url();
    await chooseAction(page, "Close…");
    await page.getByRole("button", { name: "Close session" }).click();
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await page.goto(address);
    await page.getByText("This session is closed.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).count()).toBe(0);
  });
});
