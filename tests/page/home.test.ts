// The home page: where sessions start, and what they need, do and have done, by project.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, composer, pick, whenConnected, whenIdle } from "./page-walk.ts";

describePage("[Z810] the home page", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
    for (const name of ["orchard", "orchid"]) mkdirSync(path.join(host.project, name));
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z810, Z812] starts a session with a message in a folder that is found by its beginning, and lists it by project", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await pick(page, "Agent", /Shell/);
    await page.getByRole("button", { name: /^Folder: / }).click();
    const folder = page.getByRole("combobox", { name: "Path of the folder" });
    await folder.fill(path.join(host.project, "orc"));
    await page.getByRole("option", { name: /orchid/ }).waitFor();
    await expect
      .poll(() => page.getByRole("listbox", { name: "Folders" }).getByRole("option").count())
      .toBe(2);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await folder.press("Tab");
    expect(await folder.inputValue()).toBe(`${path.join(host.project, "orchard")}/`);
    await folder.press("Enter");
    await page.getByRole("button", { name: `Folder: ${path.join(host.project, "orchard")}` }).waitFor();
    await page.getByRole("textbox", { name: "What do you want done?" }).fill("pwd");
    await page.keyboard.press("Enter");
    await allow(page);
    await whenIdle(page);
    await page
      .getByRole("log", { name: "Conversation" })
      .getByText(path.join(host.project, "orchard"), { exact: true })
      .waitFor();

    await composer(page).fill("sleep 600");
    await composer(page).press("Enter");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    await page.getByRole("link", { name: "Home" }).click();
    const project = page.getByRole("region", { name: "Project orchard" });
    await project.getByRole("link", { name: /pwd/ }).getByText("Needs approval").waitFor();
    expect(await page.getByRole("heading", { name: "No sessions yet" }).count()).toBe(0);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: /^Folder: / }).click();
    await page.getByRole("option", { name: /orchard/ }).waitFor();
  });

  it("[Z993] keeps the first message of a new session until the session is there", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const field = page.getByRole("textbox", { name: "What do you want done?" });
    await field.fill("echo one");
    await page.getByRole("link", { name: "Inbox" }).click();
    await field.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Home" }).click();
    expect(await field.inputValue()).toBe("echo one");
    await page.reload();
    expect(await field.inputValue()).toBe("echo one");

    await page.getByRole("button", { name: "New session" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    const inDialog = dialog.getByRole("textbox", { name: "What do you want done?" });
    expect(await inDialog.inputValue()).toBe("echo one");
    await inDialog.fill("echo one two");
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("echo one two");

    await pick(page, "Agent", /Shell/);
    await field.press("Enter");
    await allow(page);
    await whenIdle(page);
    await page.getByRole("link", { name: "Home" }).click();
    expect(await field.inputValue()).toBe("");
  });
});
