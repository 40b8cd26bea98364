// The dialog for a new session: the model that is asked for is the one that answers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, sharePage } from "./page-test.ts";
import { composer, fillNewSession, pick, say, whenConnected } from "./page-walk.ts";

describePage("[Z10] a new session", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z10] takes any model, offers those that the agent listed, and forgets them for another agent", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const dialog = page.getByRole("dialog", { name: "New session" });
    const model = dialog.getByRole("button", { name: /^Model: / });
    const open = async (): Promise<void> => void (await fillNewSession(page, /Qwen/, host.project));
    const offered = async (): Promise<string[]> => {
      await model.click();
      const labels = await dialog.getByRole("listbox", { name: "Model" }).getByRole("option").allInnerTexts();
      await page.keyboard.press("Escape");
      return labels.map((label) => label.split("\n")[0] ?? "");
    };
    const enter = async (name: string): Promise<void> => {
      await model.click();
      await dialog.getByRole("combobox", { name: "Search: Model" }).fill(name);
      await dialog.getByRole("option", { name }).first().waitFor();
      await page.keyboard.press("Enter");
    };

    await open();
    expect(await offered()).toEqual(["Default model"]);
    await dialog.getByRole("button", { name: "Open session" }).click();
    await composer(page).waitFor();
    await say(page, "Who speaks?");
    await page.getByText("with claude-sonnet-4-20250514: Who speaks?").waitFor();

    await open();
    await expect.poll(async () => (await offered()).length).toBe(3);
    await enter("something else");
    await dialog.getByRole("button", { name: "Model: something else" }).waitFor();
    await pick(dialog, "Agent", /Shell/);
    expect(await model.count()).toBe(0);
    await pick(dialog, "Agent", /Qwen/);
    await dialog.getByRole("button", { name: "Model: Default model" }).waitFor();
    await enter("claude-sonnet-4-6");
    await dialog.getByRole("button", { name: "Open session" }).click();
    await dialog.waitFor({ state: "detached" });
    await composer(page).waitFor();
    await say(page, "And now?");
    await page.getByText("with claude-sonnet-4-6: And now?").waitFor();
  });

  it("[Z641] says what each level of isolation means, and gets the one that was chosen", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const dialog = page.getByRole("dialog", { name: "New session" });
    await page.getByRole("button", { name: "New session" }).click();
    await dialog.getByText("cannot see the host's own files and processes").waitFor();
    await dialog.getByRole("button", { name: "Isolation: Guard" }).click();
    const levels = dialog.getByRole("listbox", { name: "Isolation" }).getByRole("option");
    const names = (await levels.allInnerTexts()).map((text) => text.split("\n")[0]);
    expect(names).toEqual(["Workspace", "Guard", "None"]);
    await levels.filter({ hasText: "Workspace" }).click();
    await dialog.getByText("can change only this session's folder").waitFor();
    await pick(dialog, "Isolation", /None/);
    await dialog.getByText("can read everything that the host can").waitFor();
    await dialog.getByRole("button", { name: "Open session" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Not isolated").first().waitFor();
  });
});
