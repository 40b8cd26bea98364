// A question of an agent in the inbox: answered there, without going into its conversation.
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, say as answer, type Script } from "../../packages/core/src/testing/script.ts";
import { describePage, openPage } from "./page-test.ts";
import { enterSession, pick, say, whenConnected } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

const requestedSchema = {
  type: "object",
  properties: {
    colour: { type: "string", title: "Colour", enum: ["red", "blue"] },
    count: { type: "integer", title: "How many" },
  },
  required: ["colour"],
};
const script: Script = {
  prompts: {
    go: [
      ask("form", "elicitation/create", { mode: "form", message: "How to paint it?", requestedSchema }),
      answer("It is painted."),
    ],
  },
};

describePage("[Z11] a question in the inbox", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    scripted = await startScriptedHost(script);
  });
  afterAll(async () => {
    await scripted?.close();
  });

  it("[Z11, Z883, Z986] is a form there with what the conversation's has, and its answer reaches the agent", async () => {
    const { url, token, project } = scripted.host;
    const { page, faults } = await openPage(`${url}/?tkn=${token}`);
    await whenConnected(page);
    await enterSession(page, "painter", project);
    const address = page.url();
    await say(page, "go");

    const form = page.getByRole("form", { name: "Question from the agent" });
    await form.getByLabel("How many").fill("3");
    await page.getByRole("link", { name: "Inbox 1" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await form.getByText("How to paint it?").waitFor();
    // A required choice that is missing keeps the form.
    await form.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => form.locator("input:invalid").count()).toBe(1);
    await pick(form, "Colour", "blue");
    expect(await form.getByLabel("How many").inputValue()).toBe("3");
    await form.getByRole("button", { name: "Answer" }).click();
    await page.getByText("No pending approvals").waitFor();

    await page.goto(address);
    await page.getByText("It is painted.").waitFor();
    expect(await scripted.heard.result("form")).toMatchObject({
      action: "accept",
      content: { colour: "blue", count: 3 },
    });
    expect(faults).toEqual([]);
  });
});
