// The dialog for a new session: the model that is asked for is the one that answers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { composer, say, whenConnected } from "./page-walk.ts";

describePage("[Z10] a new session", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z10] takes any model, offers those that the agent listed, and forgets them for another agent", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const dialog = page.getByRole("dialog", { name: "New session" });
    const open = async (): Promise<void> => {
      await page.getByRole("button", { name: "New session" }).click();
      await dialog.getByRole("radio", { name: /Qwen/ }).check();
      await dialog.getByLabel("Folder").fill(host.project);
    };
    const offered = async (): Promise<(string | null)[]> => {
      const options = await dialog.locator("datalist option").all();
      return Promise.all(options.map((option) => option.getAttribute("value")));
    };

    await open();
    expect(await offered()).toEqual([]);
    await dialog.getByRole("button", { name: "Open session" }).click();
    await composer(page).waitFor();
    await say(page, "Who speaks?");
    await page.getByText("with claude-sonnet-4-20250514: Who speaks?").waitFor();

    await open();
    expect(await offered()).toEqual(["claude-sonnet-4-20250514", "claude-sonnet-4-6"]);
    const model = dialog.getByLabel("Model");
    await model.fill("something else");
    await dialog.getByRole("radio", { name: /Shell/ }).check();
    expect([await model.inputValue(), await offered()]).toEqual(["", []]);
    await dialog.getByRole("radio", { name: /Qwen/ }).check();
    await model.fill(" claude-sonnet-4-6 ");
    await dialog.getByRole("button", { name: "Open session" }).click();
    await dialog.waitFor({ state: "detached" });
    await composer(page).waitFor();
    await say(page, "And now?");
    await page.getByText("with claude-sonnet-4-6: And now?").waitFor();
  });

  it("[Z641] says what each level of isolation means, and gets the one that was chosen", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const dialog = page.getByRole("dialog", { name: "New session" });
    await page.getByRole("button", { name: "New session" }).click();
    const level = dialog.getByLabel("Isolation");
    await dialog.getByText("cannot see the host's own files and processes").waitFor();
    expect(await level.inputValue()).toBe("guard");
    expect(await level.locator("option").allTextContents()).toEqual(["Workspace", "Guard", "None"]);
    await level.selectOption("workspace");
    await dialog.getByText("can change only this session's folder").waitFor();
    await level.selectOption("none");
    await dialog.getByText("can read everything that the host can").waitFor();
    await dialog.getByLabel("Folder").fill(host.project);
    await dialog.getByRole("button", { name: "Open session" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Not isolated").first().waitFor();
  });
});
