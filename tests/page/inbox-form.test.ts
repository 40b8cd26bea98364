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
const timetable = {
  type: "object",
  properties: {
    places: { type: "array", title: "Places", minItems: 2, items: { enum: ["hall", "attic", "shed"] } },
    colours: { type: "array", title: "Colours", items: { enum: ["red", "blue"] } },
    from: { type: "string", format: "date-time", title: "From", default: "2026-03-01T09:30:00Z" },
    until: { type: "string", format: "date-time", title: "Until" },
  },
  required: ["places"],
};
const script: Script = {
  prompts: {
    go: [
      ask("form", "elicitation/create", { mode: "form", message: "How to paint it?", requestedSchema }),
      answer("It is painted."),
    ],
    plan: [
      ask("timetable", "elicitation/create", {
        mode: "form",
        message: "When?",
        requestedSchema: timetable,
      }),
      answer("It is planned."),
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

  it("[Z883, Z1018] is not sent without the choices that it needs, and times are instants", async () => {
    const { url, token, project } = scripted.host;
    const { page } = await openPage(`${url}/?tkn=${token}`, { timezoneId: "Asia/Kolkata" });
    await whenConnected(page);
    await enterSession(page, "painter", project);
    await say(page, "plan");
    const form = page.getByRole("form", { name: "Question from the agent" });
    expect(await form.getByLabel("From").inputValue()).toBe("2026-03-01T15:00");
    await form.getByLabel("Until").fill("2026-03-02T10:00");
    expect(await form.getByLabel("Until").inputValue()).toBe("2026-03-02T10:00");
    const places = form.getByRole("group", { name: "Places" });
    for (const place of ["hall", "attic"]) {
      await form.getByRole("button", { name: "Answer" }).click();
      await expect.poll(() => form.locator("input:invalid").count()).toBe(1);
      await places.getByLabel(place).check();
    }
    await form.getByRole("button", { name: "Answer" }).click();
    await page.getByText("It is planned.").waitFor();
    expect(await scripted.heard.result("timetable")).toEqual({
      action: "accept",
      content: {
        places: ["hall", "attic"],
        from: "2026-03-01T09:30:00Z",
        until: "2026-03-02T04:30:00.000Z",
      },
    });
  });
});
