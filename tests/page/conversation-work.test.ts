// Work in a conversation: finished commands and groups, differences, copies and quotes, keys, earlier messages, own commands.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { ApprovalPolicy } from "@holdfast/ahp";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  ask,
  askPermission,
  say as answer,
  update,
  type Script,
  type Step,
} from "../../packages/core/src/testing/script.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { composer, enterSession, say, terminals, whenConnected, whenIdle } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

function call(toolCallId: string, kind: string, title: string, content: readonly object[] = []): Step {
  return update("tool_call", { toolCallId, kind, title, status: "completed", content });
}

/** A tool call whose command, without a pseudo-terminal, is printf. */
function print(...args: readonly string[]): Step[] {
  return [
    ask("made", "terminal/create", { command: "printf", args }),
    update("tool_call", {
      toolCallId: "build",
      kind: "execute",
      title: "Build it",
      status: "in_progress",
      content: [{ type: "terminal", terminalId: "$made.terminalId" }],
    }),
    ask("exit", "terminal/wait_for_exit", { terminalId: "$made.terminalId" }),
    update("tool_call_update", { toolCallId: "build", status: "completed" }),
  ];
}

const before = "let total = 0;\nfor (const value of values) total += value;\nreturn total;\n";
const after = "return values.reduce((total, value) => total + value, 0);\n";

const script: Script = {
  prompts: {
    build: [...print("one\\ntwo\\n"), answer("Built.")],
    "build at length": [...print("first%09000dlast\\n", "0"), answer("Built.")],
    look: [
      call("read", "read", "wall.txt"),
      call("search", "search", "for paint"),
      answer("Found:\n\n```ts\nconst paint = 1;\n```\n"),
    ],
    change: [
      call("edit", "edit", "sum.ts", [
        { type: "diff", path: "/wall/sum.ts", oldText: before, newText: after },
      ]),
    ],
    "ask me": [askPermission("brush", { kind: "execute", title: "brush the wall" }), answer("Brushed.")],
    "*": [answer("Heard.")],
  },
};

describePage("[Z803] work in a conversation", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    scripted = await startScriptedHost(script);
    writeFileSync(path.join(scripted.host.project, "wall.txt"), "white\n");
  });
  afterAll(async () => {
    await scripted?.close();
  });

  async function open(policy?: ApprovalPolicy, expectedFaults?: RegExp): Promise<Page> {
    const { url, token, project } = scripted.host;
    const { page } = await sharePage(`${url}/?tkn=${token}`, {
      permissions: ["clipboard-read", "clipboard-write"],
      viewport: { width: 1440, height: 900 },
      ...(expectedFaults && { expectedFaults }),
    });
    await whenConnected(page);
    await enterSession(page, "painter", project, policy);
    return page;
  }
  const clipboard = (page: Page): Promise<string> => page.evaluate("navigator.clipboard.readText()");

  it("[Z803, Z804, Z808] finished commands and groups are lines that open; texts, code and output are copied and quoted", async () => {
    const page = await open("approve-all");
    await say(page, "build");
    await page.getByText("Built.").waitFor();
    await whenIdle(page);
    const terminal = terminals(page);
    const line = terminal.getByRole("button", { name: /printf/ });
    await terminal.getByText("exit 0").waitFor();
    expect(await line.getAttribute("aria-expanded")).toBe("false");
    expect(await terminal.getByText(/^one\s+two/).count()).toBe(0);
    await line.click();
    await terminal.getByText(/^one\s+two/).waitFor();
    await terminal.getByRole("button", { name: "Copy output" }).click();
    await expect.poll(() => clipboard(page)).toBe("one\ntwo");

    await say(page, "look");
    const group = page.getByRole("group", { name: "Tool calls" });
    await group.getByRole("button", { name: "Read 1 file, ran 1 search" }).click();
    await expect.poll(() => group.getByRole("article").count()).toBe(2);
    await group.getByText("for paint").waitFor();
    await page.getByRole("button", { name: "Copy code" }).click();
    await expect.poll(() => clipboard(page)).toBe("const paint = 1;");
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByText("Built.").hover();
    await page.getByRole("button", { name: "Quote" }).first().click();
    await expect.poll(() => composer(page).inputValue()).toBe("> Built.\n\n");
    await composer(page).fill("");
    await page.getByRole("button", { name: "Copy message" }).first().click();
    await expect.poll(() => clipboard(page)).toBe("build");
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await expect.poll(() => composer(page).inputValue()).toBe("look");
  });

  it("[Z998] a long line is copied whole, and what is shown is said to be its end", async () => {
    const page = await open("approve-all");
    await say(page, "build at length");
    await page.getByText("Built.").waitFor();
    await whenIdle(page);
    const terminal = terminals(page);
    await terminal.getByRole("button", { name: /printf/ }).click();
    await terminal.getByText(/^Showing only the end of 9\.0 kB of output\./).waitFor();
    await terminal.getByRole("button", { name: "Copy output" }).click();
    await expect.poll(() => clipboard(page)).toBe(`first${"0".repeat(9000)}last`);
  });

  it("[Z807] a change has line numbers and colours, side by side when chosen, also after a reload", async () => {
    const page = await open();
    await say(page, "change");
    const lines = page.getByRole("group", { name: "Changes of /wall/sum.ts" });
    await lines.getByText("return values").waitFor();
    expect(await lines.getAttribute("data-split")).toBe("false");
    await expect.poll(() => lines.locator("span[style*=color]").count()).toBeGreaterThan(5);
    await page.getByRole("button", { name: "Show side by side" }).click();
    expect(await lines.getAttribute("data-split")).toBe("true");
    await page.reload();
    await page.getByRole("button", { name: "Show unified" }).waitFor();
    expect(await lines.getAttribute("data-split")).toBe("true");
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

  it("[Z806] questions are answered by keys, unless something is being written", async () => {
    const page = await open();
    const question = page.getByRole("group", { name: /^Permission/ });
    await say(page, "ask me");
    await question.waitFor();
    // The first letter of a message is no answer, whatever it is.
    await composer(page).pressSequentially("never");
    await page.waitForTimeout(1200);
    await page.keyboard.press("y");
    expect(await composer(page).inputValue()).toBe("nevery");
    expect(await question.count()).toBe(1);
    await composer(page).fill("");
    await page.keyboard.press("y");
    await question.waitFor({ state: "detached" });
    await page.getByText("Brushed.").waitFor();
    expect(await scripted.heard.result("brush")).toMatchObject({ outcome: { optionId: "yes" } });
    expect(await composer(page).inputValue()).toBe("");

    await say(page, "ask me");
    await question.waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("log", { name: "Conversation" }).focus();
    await page.waitForTimeout(600);
    await page.keyboard.press("n");
    await question.waitFor({ state: "detached" });
    await page.getByText("Brushed.").nth(1).waitFor();
  });

  it("[Z805, Z809, Z811] messages are listed and come back with ↑, and ! runs a command in the session's folder", async () => {
    const page = await open();
    for (const text of ["first", "second", "third"]) {
      await say(page, text);
      await whenIdle(page);
    }
    await page.getByRole("button", { name: "Go to a message" }).click();
    await expect.poll(() => page.getByRole("menuitem").allInnerTexts()).toEqual(["first", "second", "third"]);
    await page.getByRole("menuitem", { name: "first" }).click();
    await composer(page).focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("second");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await composer(page).inputValue()).toBe("");

    await composer(page).fill("!pwd; cat");
    await page.getByText(`Runs in ${scripted.host.project}`).waitFor();
    await page.keyboard.press("Enter");
    const commands = page.getByRole("region", { name: "Your commands" });
    await commands.getByText(scripted.host.project, { exact: true }).waitFor();
    await commands.getByText("held by you").waitFor();
    expect(await composer(page).inputValue()).toBe("");
    await commands.getByRole("button", { name: "Stop command" }).click();
    await commands.getByRole("button", { name: "Remove" }).click();
    await commands.waitFor({ state: "detached" });
  });

  it("[Z990] a command is run once, however often Enter is pressed, and leaves the field to the next message", async () => {
    const page = await open(undefined, /Failed to load resource/);
    let count = 0;
    let run = (): void => {};
    const isDelayed = new Promise<void>((resolve) => (run = resolve));
    await page.route("**/sdk/acp/terminals", async (route) => {
      count += 1;
      await isDelayed;
      await route.continue();
    });
    await composer(page).fill("!date");
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("Enter");
    await page.keyboard.type("next");
    expect(await composer(page).inputValue()).toBe("next");
    run();
    const commands = page.getByRole("region", { name: "Your commands" });
    await commands.getByText("exit 0").waitFor();
    expect(count).toBe(1);
    expect(await composer(page).inputValue()).toBe("next");
    // The draft that was kept, too.
    await page.unrouteAll();
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe("next");
    await commands.getByRole("button", { name: "Remove" }).click();

    await page.route("**/sdk/acp/terminals", (route) =>
      route.fulfill({ status: 500, json: { error: "No room." } }),
    );
    await composer(page).fill("!date");
    await page.keyboard.press("Enter");
    await page.getByRole("main").getByText("No room.").waitFor();
    expect(await composer(page).inputValue()).toBe("!date");
    await page.unrouteAll();
    await composer(page).fill("");
  });

  it("[Z1013] the Enter that confirms a candidate of an input method sends and chooses nothing", async () => {
    const page = await open();
    // Safari ends the composition before this key.
    const confirmCandidate = `document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }),
    )`;
    await composer(page).fill("にわ");
    await page.evaluate(confirmCandidate);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill("inbox");
    await page.evaluate(confirmCandidate);
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    expect(page.url()).not.toContain("inbox");
    expect(await composer(page).inputValue()).toBe("にわ");
    expect(await page.getByRole("group", { name: "Your message" }).count()).toBe(0);
    await composer(page).press("Enter");
    await page.getByRole("group", { name: "Your message" }).filter({ hasText: "にわ" }).waitFor();
    await page.getByText("Heard.").waitFor();
  });

  it("[Z990] the draft that is written while a message is sent stays", async () => {
    const page = await open();
    await composer(page).fill("first");
    // Before the host can respond.
    await page.evaluate(`(async () => {
      const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(enter);
      await null;
      document.execCommand("insertText", false, "second");
    })()`);
    await page.getByText("Heard.").waitFor();
    expect(await composer(page).inputValue()).toBe("second");
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe("second");
    await composer(page).fill("");
  });

  it("[Z990] a message that is not accepted comes back before what was written meanwhile", async () => {
    const { url, token, project } = scripted.host;
    const { page } = await openPage(`${url}/?tkn=${token}`);
    await whenConnected(page);
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.routeWebSocket(/./, (socket) => {
      const host = socket.connectToServer();
      socket.onMessage(async (message) => {
        if (String(message).includes("chat/turnStarted")) await isReleased;
        host.send(message);
      });
    });
    await page.reload();
    await whenConnected(page);
    await enterSession(page, "painter", project);
    await composer(page).fill("first");
    await page.keyboard.press("Enter");
    await page.keyboard.type("second");
    // Meanwhile another client begins a turn.
    await page.evaluate(`(async () => {
      const headers = { "content-type": "application/json", "x-holdfast-page": "1" };
      const { sessions } = await (await fetch("/sdk/acp/sessions", { headers })).json();
      const uri = decodeURIComponent(location.hash.replace("#/session/", ""));
      const { session_key: key } = sessions.find((session) => session.uri === uri);
      const init = { method: "POST", headers, body: JSON.stringify({ message: "ask me" }) };
      await fetch("/sdk/acp/session/" + encodeURIComponent(key) + "/chat/stream", init);
    })()`);
    release();
    await expect.poll(() => composer(page).inputValue()).toBe("first\n\nsecond");
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe("first\n\nsecond");
  });

  it("[Z991] a command gets the keyboard when it starts, not when somebody comes back to it or has begun a message", async () => {
    const page = await open();
    const commands = page.getByRole("region", { name: "Your commands" });
    const screen = commands.locator("textarea");
    await say(page, "!cat");
    await commands.locator("textarea:focus").waitFor({ state: "attached" });
    await page.reload();
    // Its screen is there, and held.
    await expect.poll(() => screen.getAttribute("tabindex")).toBe("0");
    await page.keyboard.type("hello");
    expect(await composer(page).inputValue()).toBe("hello");

    await page.route("**/sdk/acp/terminals", async (route) => {
      await composer(page).pressSequentially("next");
      await route.continue();
    });
    await say(page, "!cat");
    await expect.poll(() => screen.count()).toBe(2);
    await expect.poll(() => screen.last().getAttribute("tabindex")).toBe("0");
    await page.keyboard.type("!");
    expect(await composer(page).inputValue()).toBe("next!");
    await page.unrouteAll();
    await composer(page).fill("");
    const stops = commands.getByRole("button", { name: "Stop command" });
    for (const left of [1, 0]) {
      await stops.first().click();
      await expect.poll(() => stops.count()).toBe(left);
    }
  });

  it("[Z994] a completion in the middle of a message leaves the caret behind it", async () => {
    const page = await open();
    await composer(page).fill("Compare  with the tests");
    await page.evaluate("document.activeElement.setSelectionRange(8, 8)");
    await page.keyboard.type("@wal");
    await page.getByRole("option", { name: "wall.txt" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("!");
    expect(await composer(page).inputValue()).toBe("Compare @wall.txt! with the tests");
    await composer(page).fill("");
  });
});
