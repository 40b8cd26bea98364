// An agent's settings, commands and questions in a conversation: seen, answered and set by a person.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  ask,
  askPermission,
  say as answer,
  update,
  type Script,
} from "../../packages/core/src/testing/script.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, sharePage } from "./page-test.ts";
import { composer, enterSession, pick, say, whenConnected } from "./page-walk.ts";
import { openPainterSession, startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

/** One red point. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

function select(id: string, name: string, values: readonly string[]): object {
  const options = values.map((value) => ({ value, name: value }));
  return { id, name, type: "select", currentValue: values[0], options };
}

const mcpServers = { files: { command: "mcp-files" }, notes: { command: "mcp-notes" } };
const fast = { id: "fast", name: "Fast", type: "boolean", currentValue: false };
const modes = {
  currentModeId: "careful",
  availableModes: [
    { id: "careful", name: "Careful" },
    { id: "bold", name: "Bold" },
  ],
};
const requestedSchema = {
  type: "object",
  properties: {
    colour: { type: "string", title: "Colour", oneOf: [{ const: "b", title: "Blue" }] },
    coats: { type: "integer", title: "Coats", minimum: 1, maximum: 4, default: 2 },
    glossy: { type: "boolean", title: "Glossy" },
    label: { type: "string", title: "Label", minLength: 2 },
    places: { type: "array", title: "Places", items: { enum: ["hall", "attic"] } },
  },
  required: ["colour"],
};

function plan(...statuses: readonly string[]): ReturnType<typeof update> {
  return update("plan", {
    entries: statuses.map((status, index) => ({ content: `Step ${index + 1}`, priority: "low", status })),
  });
}

const script: Script = {
  capabilities: { promptCapabilities: { image: true, embeddedContext: true } },
  session: {
    modes,
    configOptions: [
      select("model", "Model", ["small", "big"]),
      select("effort", "Effort", ["low", "high"]),
      fast,
    ],
  },
  prompts: {
    report: [
      update("available_commands_update", {
        availableCommands: [
          { name: "mix", description: "Mix a colour", input: { hint: "which" } },
          { name: "wash", description: "Wash the brushes" },
        ],
      }),
      update("usage_update", { used: 50_000, size: 200_000, cost: { amount: 0.31, currency: "USD" } }),
      plan("completed", "in_progress", "pending"),
      update("tool_call", {
        toolCallId: "look",
        title: "Look around",
        kind: "search",
        status: "in_progress",
      }),
      { do: "until", path: "looked" },
      update("tool_call_update", { toolCallId: "look", status: "completed" }),
      plan("completed", "completed", "completed"),
      update("agent_message_chunk", { content: { type: "image", data: picture, mimeType: "image/png" } }),
      answer("That is all."),
    ],
    form: [
      ask("form", "elicitation/create", { mode: "form", message: "How to paint it?", requestedSchema }),
      answer("It is painted."),
    ],
    "ask me": [askPermission("brush", { kind: "execute", title: "brush the wall" }), answer("Brushed.")],
    "ask for a folder": [
      askPermission("brush", { kind: "execute", title: "brush", rawInput: { cwd: "/tmp/wall" } }),
      answer("Brushed."),
    ],
    "ask for a file": [askPermission("paint", { kind: "edit", title: "wall.txt" }), answer("Painted.")],
    "*": [answer("Heard.")],
  },
};

describePage("[Z36] a conversation", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    scripted = await startScriptedHost(script, { config: { mcpServers } });
    writeFileSync(path.join(scripted.host.project, "wall.txt"), "white\n");
  });
  afterAll(async () => {
    await scripted?.close();
  });

  async function openConversation(): Promise<{ page: Page; faults: string[] }> {
    const { url, token, project } = scripted.host;
    const opened = await sharePage(`${url}/?tkn=${token}`);
    await whenConnected(opened.page);
    await enterSession(opened.page, "painter", project);
    return opened;
  }

  /** The last request of a method that the agent received. */
  const lastHeard = (method: string): unknown =>
    scripted.heard.messages.findLast((message) => message.method === method)?.params;

  it("[Z27, Z30, Z35, Z36] shows plan, context, picture and times, sets mode and options, and completes what is written", async () => {
    const { page, faults } = await openConversation();
    await say(page, "report");
    const card = page.getByRole("article", { name: "Tool call: Look around" });
    await page.getByRole("progressbar", { name: "1 of 3 steps done" }).waitFor();
    await card.getByText(/^[1-9] s$/).waitFor();
    scripted.pass("looked");
    await card.getByText("Done", { exact: true }).waitFor();
    expect(await card.innerText()).toMatch(/^\d+(\.\d)? (ms|s)$/m);
    await page.getByRole("progressbar", { name: "3 of 3 steps done" }).waitFor();
    await page.getByRole("meter", { name: "Context: 50 k of 200 k tokens" }).waitFor();
    await page.getByText("0.31 USD").waitFor();
    await expect.poll(() => pictureWidth(page, "Shown by the agent")).toBe(1);

    expect(await violationsInBothThemes(page)).toEqual([]);

    await pick(page, "Mode", "Bold");
    await expect.poll(() => lastHeard("session/set_mode")).toMatchObject({ modeId: "bold" });
    await pick(page, "Effort", /high/i);
    await expect
      .poll(() => lastHeard("session/set_config_option"))
      .toMatchObject({ configId: "effort", value: "high" });
    await pick(page, "Model", /big/i);
    await page.getByLabel("Fast").click();
    await expect.poll(() => lastHeard("session/set_config_option")).toMatchObject({ configId: "fast" });
    await page.reload();
    await page.getByRole("button", { name: /^Effort: high$/i }).waitFor();
    await page.getByRole("button", { name: /^Model: big$/i }).waitFor();
    await page.getByRole("button", { name: "Mode: Bold" }).waitFor();

    const completions = page.getByRole("listbox", { name: "Completions" });
    await composer(page).pressSequentially("/w");
    await completions.getByRole("option", { name: "/wash: Wash the brushes" }).waitFor();
    await expect.poll(() => completions.getByRole("option").count()).toBe(1);
    await page.keyboard.press("Escape");
    await completions.waitFor({ state: "detached" });
    await composer(page).fill("");
    await composer(page).pressSequentially("look at @wa");
    await completions.getByRole("option", { name: "wall.txt" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await composer(page).inputValue()).toBe("look at @wall.txt ");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => lastHeard("session/prompt"))
      .toMatchObject({
        prompt: [{ text: "look at @wall.txt " }, { type: "resource_link", name: "wall.txt" }],
      });
    expect(faults).toEqual([]);
  });

  it("[Z41] begins with the MCP servers that were chosen for it", async () => {
    const { url, token, project } = scripted.host;
    const { page } = await sharePage(`${url}/?tkn=${token}`);
    await whenConnected(page);
    await openPainterSession(page, project, (dialog) => dialog.getByLabel("notes").check());
    await say(page, "hello");
    await page.getByText("Heard.").waitFor();
    expect(lastHeard("session/new")).toMatchObject({
      mcpServers: [{ name: "notes", command: "mcp-notes", args: [], env: [] }],
    });
  });

  it("[Z36] asks every kind of question in a form, and refuses what does not fit", async () => {
    const { page } = await openConversation();
    await say(page, "form");
    const form = page.getByRole("form", { name: "Question from the agent" });
    await pick(form, "Colour", "Blue");
    expect(await violationsInBothThemes(page)).toEqual([]);
    await form.getByLabel("Coats").fill("9");
    await form.getByRole("button", { name: "Answer" }).click();
    await expect.poll(() => form.locator("input:out-of-range").count()).toBe(1);
    await form.getByLabel("Coats").fill("3");
    await form.getByLabel("Glossy").check();
    await form.getByLabel("attic").check();
    await form.getByRole("button", { name: "Answer" }).click();
    await page.getByText("It is painted.").waitFor();
    expect(await scripted.heard.result("form")).toEqual({
      action: "accept",
      content: { colour: "b", coats: 3, glossy: true, places: ["attic"] },
    });
  });

  it("[Z37] sends pictures that are pasted and dropped, without those that were taken out again", async () => {
    const { page, faults } = await openConversation();
    await give(page, "paste", ["pasted.png", "unwanted.png"]);
    const waiting = page.getByRole("list", { name: "Attachments" });
    await waiting.getByRole("button", { name: "Remove unwanted.png" }).click();
    await give(page, "drop", ["dropped.png"]);
    await waiting.getByText("dropped.png").waitFor();
    await expect.poll(() => waiting.getByRole("listitem").count()).toBe(2);
    await say(page, "What is this?");
    await page.getByText("Heard.").waitFor();
    const image = { type: "image", data: picture, mimeType: "image/png" };
    expect(lastHeard("session/prompt")).toMatchObject({
      prompt: [{ text: "What is this?" }, image, image],
    });
    await expect.poll(() => pictureWidth(page, "pasted.png")).toBe(1);
    expect(await waiting.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("[Z37, Z1016] Edit and resend brings the attachments back, too, before those that are there", async () => {
    const { page } = await openConversation();
    await give(page, "paste", ["first.png"]);
    const waiting = page.getByRole("list", { name: "Attachments" });
    await waiting.getByText("first.png").waitFor();
    await say(page, "What is this?");
    await page.getByText("Heard.").waitFor();
    await give(page, "paste", ["second.png"]);
    await waiting.getByText("second.png").waitFor();
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("What is this?");
    await expect
      .poll(() => waiting.getByRole("listitem").allInnerTexts())
      .toEqual(["first.png", "second.png"]);
    await composer(page).press("Enter");
    await expect.poll(() => page.getByText("Heard.").count()).toBe(2);
    const image = { type: "image", data: picture, mimeType: "image/png" };
    expect(lastHeard("session/prompt")).toMatchObject({ prompt: [{ text: "What is this?" }, image, image] });

    await say(page, "ask me");
    await page.getByRole("group", { name: /^Permission/ }).waitFor();
    await give(page, "paste", ["third.png"]);
    await waiting.getByText("third.png").waitFor();
    await say(page, "Later");
    const queue = page.getByRole("list", { name: "Queued messages" });
    await queue.getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("Later");
    await expect.poll(() => waiting.getByRole("listitem").allInnerTexts()).toEqual(["third.png"]);
    expect(await queue.count()).toBe(0);
    await waiting.getByRole("button", { name: "Remove third.png" }).click();
    await composer(page).fill("");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByText("Stopped", { exact: true }).waitFor();
  });

  it("[Z349] attaches a text file that is dropped, whatever its name, and keeps what the host did not take", async () => {
    const { page } = await openConversation();
    await composer(page).focus();
    await dropText(page, "Makefile", "all:\n\techo ünï\n");
    await dropText(page, "notes.md", "# Notes\n");
    const waiting = page.getByRole("list", { name: "Attachments" });
    await waiting.getByText("Makefile").waitFor();
    await waiting.getByText("notes.md").waitFor();
    await say(page, "Read these");
    await page.getByText("Heard.").waitFor();
    expect(lastHeard("session/prompt")).toMatchObject({
      prompt: [
        { text: "Read these" },
        { type: "resource", resource: { text: "all:\n\techo ünï\n", mimeType: "text/plain" } },
        { type: "resource", resource: { text: "# Notes\n" } },
      ],
    });
    await page.getByRole("group", { name: "Your message" }).getByText("Makefile", { exact: true }).waitFor();
    await page.evaluate(`{
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array([1, 0, 2])], "song.mp3", { type: "audio/mpeg" }));
        document.activeElement.dispatchEvent(
          new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }),
        );
      }`);
    await waiting.getByText("song.mp3").waitFor();
    await say(page, "Listen");
    await page.getByText(/does not support attachments of type audio/).waitFor();
    await waiting.getByText("song.mp3").waitFor();
    expect(await composer(page).inputValue()).toBe("Listen");
  });

  it("[Z992] keeps the files of an unsent message while another tab of the session is shown", async () => {
    const { page } = await openConversation();
    const views = page.getByRole("tablist", { name: "Views of the session" });
    const comeBack = async (): Promise<void> => {
      await views.getByRole("tab", { name: "Changes" }).click();
      await composer(page).waitFor({ state: "detached" });
      await views.getByRole("tab", { name: "Conversation" }).click();
    };
    await composer(page).focus();
    await dropText(page, "notes.md", "# Notes\n");
    const waiting = page.getByRole("list", { name: "Attachments" });
    await waiting.getByText("notes.md").waitFor();
    await composer(page).pressSequentially("Read this and @wal");
    await page.getByRole("option", { name: "wall.txt" }).waitFor();
    await page.keyboard.press("Tab");
    await comeBack();
    await waiting.getByText("notes.md").waitFor();
    await composer(page).press("Enter");
    await page.getByText("Heard.").waitFor();
    expect(lastHeard("session/prompt")).toMatchObject({
      prompt: [
        { text: "Read this and @wall.txt " },
        { type: "resource", resource: { text: "# Notes\n" } },
        { type: "resource_link", name: "wall.txt" },
      ],
    });
    await comeBack();
    await composer(page).waitFor();
    expect(await waiting.count()).toBe(0);
  });

  it.each([
    ["ask for a folder", "Run this command in /tmp/wall?"],
    ["ask for a file", "Allow this file change?"],
  ])("[Z514, Z600] %s: %s", async (text, question) => {
    const { page } = await openConversation();
    await say(page, text);
    const approval = page.getByRole("group", { name: /^Permission/ });
    expect(await approval.getByRole("paragraph").first().textContent()).toBe(question);
    await approval.getByText("The agent runs this itself. The host cannot enforce your decision.").waitFor();
    await approval.getByText("The agent says:").waitFor();
    const labels = await approval.getByRole("button").allTextContents();
    // With the keys that do the same.
    expect(labels.at(0)).toBe("Allow oncey");
    expect(labels.at(-1)).toBe("Denyn");
    await page.getByRole("button", { name: "Deny", exact: true }).click();
  });

  describePage(
    "whose page is hidden",
    () => {
      it("[Z38] notifies that an agent asks, when the page is hidden and the person agreed", async () => {
        const { page } = await openConversation();
        await page.context().grantPermissions(["notifications"], { origin: scripted.host.url });
        await page.evaluate(recordNotifications);
        // Sessions of other tests have finished unseen.
        const base = Number(/\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
        const titleOf = (count: number): string => (count === 0 ? "Holdfast" : `(${count}) Holdfast`);
        await say(page, "ask me");
        await page.getByRole("group", { name: /^Permission/ }).waitFor();
        await expect.poll(() => page.title()).toBe(titleOf(base + 1));
        expect(await page.evaluate("globalThis.notified")).toEqual([]);
        await page.getByRole("button", { name: "Allow once", exact: true }).click();
        await page.getByText("Brushed.").waitFor();
        await expect.poll(() => page.title()).toBe(titleOf(base));

        await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })");
        await say(page, "ask me");
        await expect
          .poll(() => page.evaluate("globalThis.notified"))
          .toEqual([["An agent needs you", "ask me"]]);
        await page.evaluate("globalThis.lastNotification.dispatchEvent(new Event('click'))");
        await page.getByRole("heading", { name: "Inbox" }).waitFor();
        await page.getByRole("button", { name: "Deny", exact: true }).click();
        await page.getByText("No pending approvals").waitFor();

        // As Chrome does on Android, where only service workers notify.
        await page.evaluate(
          "globalThis.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } }",
        );
        await page.goBack();
        await say(page, "ask me");
        await page.getByRole("group", { name: /^Permission/ }).waitFor();
        await page.getByRole("button", { name: "Deny", exact: true }).click();
      });
    },
    { isWhole: true },
  );
});

/** How wide a picture is that the browser could read. */
function pictureWidth(page: Page, name: string): Promise<unknown> {
  return page.evaluate(`document.querySelector('img[alt="${name}"]')?.naturalWidth`);
}

/** Records the notifications of the page, since the system has nobody to show them to here. */
const recordNotifications = `
  globalThis.notified = [];
  globalThis.Notification = class extends EventTarget {
    static permission = Notification.permission;
    constructor(title, { body }) {
      super();
      globalThis.notified.push([title, body]);
      globalThis.lastNotification = this;
    }
  };
`;

/** Drops a text file of a type that the browser does not know. */
async function dropText(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], "${name}"));
    document.activeElement.dispatchEvent(
      new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }),
    );
  }`);
}

/** Pastes pictures into the field, or drops them on it, as the browser does. */
async function give(page: Page, way: "paste" | "drop", names: readonly string[]): Promise<void> {
  await composer(page).focus();
  await page.evaluate(`{
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob("${picture}"), (letter) => letter.charCodeAt(0));
    for (const name of ${JSON.stringify(names)}) {
      transfer.items.add(new File([bytes], name, { type: "image/png" }));
    }
    const event = "${way}" === "paste"
      ? new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true })
      : new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  }`);
}
