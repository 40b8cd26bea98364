// Choices for a new session: its folder as people type it, and permissions that explain themselves.
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violations } from "./axe.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { enterSession, fillNewSession, pick, terminals, whenConnected } from "./page-walk.ts";

describePage("choices for a new session", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z891] `~` is the home folder, and a missing folder is named where it was chosen", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const folder = page.getByRole("button", { name: /^Folder: / });
    const home = await folder.getAttribute("aria-label");
    const missing = path.join(host.project, "missing");
    const dialog = await fillNewSession(page, /Shell/, missing);
    const problem = `There is no folder ${missing}. Create it, or choose another.`;
    await dialog.getByRole("alert").getByText(problem).waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Open session" }).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    for (const [typed, label] of [
      ["~", home],
      [`${host.project}/`, `Folder: ${host.project}`],
    ]) {
      await dialog.getByRole("button", { name: /^Folder: / }).click();
      await dialog.getByRole("combobox", { name: "Path of the folder" }).fill(typed ?? "");
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: label ?? "", exact: true }).waitFor();
      await dialog.getByRole("alert").waitFor({ state: "detached" });
    }
    await dialog.getByRole("button", { name: "Open session" }).click();
    await dialog.waitFor({ state: "detached" });

    // A folder that was used before may be gone when it is used again.
    rmSync(host.project, { recursive: true });
    await page.getByRole("button", { name: "New session" }).click();
    await dialog.getByRole("alert").getByText(`There is no folder ${host.project}.`).waitFor();
  });
});

describePage("permissions", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z893] every choice says what the host does, and the agent's own mode has its label", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await page.getByRole("button", { name: "Permissions: Ask every time" }).click();
    const choices = await page
      .getByRole("listbox", { name: "Permissions" })
      .getByRole("option")
      .allInnerTexts();
    expect(choices.map((text) => text.split("\n").length)).toEqual([2, 2, 2, 2, 2]);
    expect(choices.join("\n")).toContain("Up to the agent");
    expect(choices.filter((text) => text.startsWith("Ask"))).toHaveLength(1);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("button", { name: /^Mode: / }).innerText()).toMatch(/^Mode: /);
    await pick(page, "Mode", "Trust");
  });

  it("[Z900] a terminal that a person opened says where", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.getByRole("link", { name: /Terminals/ }).click();
    await page.getByRole("button", { name: "Open a shell" }).click();
    await terminals(page).getByText("held by you").waitFor();
    await page.getByRole("button", { name: "Back to tiles" }).click();
    await page.getByText("Opened here", { exact: true }).waitFor();
    const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(other);
    await other.getByRole("link", { name: /Terminals/ }).click();
    await other.getByText("Opened by another client", { exact: true }).waitFor();
    expect(await other.getByText("Opened here", { exact: true }).count()).toBe(0);
  });
});
