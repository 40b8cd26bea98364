// Output and messages that a person opened in a conversation, after they were out of sight.
import { afterAll, beforeAll, expect, it } from "vitest";
import { say as answer, type Script } from "../../packages/core/src/testing/script.ts";
import { describePage, sharePage } from "./page-test.ts";
import { composer, enterSession, say, whenConnected } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

const longText = Array.from({ length: 400 }, (_, index) => `Paragraph ${index}.\n\n`).join("");
const script: Script = { prompts: { go: [answer(longText)] } };
const longMessage = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");

describePage("[Z986] what was opened in a conversation", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    scripted = await startScriptedHost(script);
  });
  afterAll(async () => {
    await scripted?.close();
  });

  it("[Z986] is open again when it comes back into view, and after another place was shown", async () => {
    const { url, token, project } = scripted.host;
    const { page } = await sharePage(`${url}/?tkn=${token}`);
    await whenConnected(page);
    await enterSession(page, "painter", project);
    const address = page.url();
    await say(page, longMessage);
    await page.getByText("Done", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Show the whole message" }).click();
    const message = page.getByRole("group", { name: "Your message" }).filter({ hasText: "line 39" });
    await message.waitFor();
    await say(page, "go");
    await page.getByText("Paragraph 399.").waitFor();
    // Out of sight, it is not in the page.
    await expect.poll(() => message.count()).toBe(0);

    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.keyboard.press("Home");
    await message.waitFor();

    await page.getByRole("link", { name: "Terminals" }).click();
    await composer(page).waitFor({ state: "detached" });
    await page.goto(address);
    await page.getByText("Paragraph 399.").waitFor();
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.keyboard.press("Home");
    await message.waitFor();
    // By key: the rows around it are still measured, and move it.
    await message.getByRole("button", { name: "Show less" }).press("Enter");
    await page.getByRole("button", { name: "Show the whole message" }).waitFor();
  });
});
