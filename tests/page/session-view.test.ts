// State and actions of a session in the page, in front of a host of a hundred lines.
import {
  type ActiveTurn,
  type Approval,
  defaultChatUri,
  type ErrorInfo,
  makeId,
  type ResponsePart,
  sessionUri,
  type Turn,
} from "@holdfast/ahp";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { describePage, lostHostFaults, openPage, type PageOptions } from "./page-test.ts";
import { composer, say, whenConnected } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";
import { openTinySession, tinyCall, type TinySession, tinyTurn } from "./tiny-session.ts";

const at = "2026-01-01T00:00:00.000Z";
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } as const;
const text = (content: string): ResponsePart => ({ kind: "markdown", id: makeId("part", content), content });

const chat = defaultChatUri(sessionUri(makeId("session", "old")));

function failedTurn(error: ErrorInfo): Turn {
  return { ...tinyTurn("Paint the fence", []), end: { state: "failed", error, resumable: false } };
}

const turnId = makeId("turn", "now");
const toolCallId = makeId("tool call", "now");

function approvalOf(target: string): Approval {
  return {
    id: makeId("approval", target),
    action: "execute",
    target,
    requestedAt: at,
    options: [
      { id: "yes", label: "Allow once", kind: "allow_once" },
      { id: "no", label: "Deny", kind: "reject_once" },
    ],
  };
}

/** A turn whose only tool call waits for an approval. */
const asking: ActiveTurn = {
  id: turnId,
  startedAt: at,
  waits: { permission: 1, input: 0, tool: 0 },
  message: { text: "clean", origin: { kind: "user" } },
  plans: [],
  responseParts: [
    {
      kind: "toolCall",
      toolCall: {
        ...tinyCall,
        toolCallId,
        displayName: "make clean",
        status: "pending-confirmation",
        approval: approvalOf("first"),
      },
    },
  ],
};

describePage("the view of a session", () => {
  let tiny: TinyPage;

  beforeAll(async () => {
    tiny = await startTinyPage();
  });
  beforeEach(() => {
    tiny.conduct = "responding";
  });
  afterAll(() => {
    tiny?.close();
  });

  async function open(session: TinySession, options?: PageOptions): Promise<Page> {
    const uri = openTinySession(tiny, session);
    const { page } = await openPage(`${tiny.url}/#/session/${encodeURIComponent(uri)}`, options);
    await whenConnected(page);
    return page;
  }

  it("[Z950] a closed session does not offer to send its last turn again", async () => {
    const turns = [tinyTurn("Hello", [text("Good morning.")])];
    const names = ["Edit and resend", "Send again"] as const;
    const running = await open({ turns });
    for (const name of names) await running.getByRole("button", { name }).waitFor({ state: "attached" });
    const lifecycle = { status: "closed", closedAt: at, by: { kind: "host" } } as const;
    const closed = await open({ turns, changes: { lifecycle } });
    await closed.getByText("Good morning.").waitFor();
    await closed.getByRole("button", { name: "Copy message" }).waitFor({ state: "attached" });
    for (const name of names) expect(await closed.getByRole("button", { name }).count()).toBe(0);
  });

  it("[Z951] the send button is disabled without a message and without the host", async () => {
    const page = await open({}, { expectedFaults: lostHostFaults });
    const send = page.getByRole("button", { name: "Send", exact: true });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await composer(page).fill("  ");
    await expect.poll(() => send.isDisabled()).toBe(true);
    await composer(page).fill("echo hello");
    await expect.poll(() => send.isEnabled()).toBe(true);
    tiny.conduct = "away";
    tiny.hangUp();
    await expect.poll(() => send.isDisabled()).toBe(true);
    await composer(page).press("Enter");
    await page.getByText("the message was not sent").waitFor();
    expect(await composer(page).inputValue()).toBe("echo hello");
  });

  it("[Z952] on a touch screen, only the last text of a turn shows what can be done with it", async () => {
    const page = await open(
      { turns: [tinyTurn("Hello", [text("One."), text("Two.")]), tinyTurn("Again", [text("Three.")])] },
      phone,
    );
    await page.getByText("Three.").waitFor();
    const shown = page.getByRole("button", { name: "Copy text" }).filter({ visible: true });
    await expect.poll(() => shown.count()).toBe(2);
  });

  it("[Z953] the head shows the state, the isolation and the last folder at every width", async () => {
    const page = await open({
      changes: {
        workingDirectories: [`file:///home/somebody/${"a-long-name/".repeat(12)}garden`],
        isolation: { wanted: "guard", level: "guard" },
        lifecycle: { status: "stale", since: at, cause: "agent-exited" },
      },
    });
    const head = page.getByRole("banner").or(page.locator("header")).filter({ hasText: "Isolated: guard" });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 780 });
      const { right = 0 } = await edgesOf(page, "header p");
      for (const part of ["Agent stopped", "/garden", "Isolated: guard"]) {
        const box = await head.getByText(part).last().boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? Infinity), `${part} at ${width} px`).toBeLessThanOrEqual(
          right + 0.5,
        );
      }
      expect(await page.evaluate(cutFolders), `${width} px`).toEqual([]);
    }
  });

  it("[Z954] a session whose last turn failed is marked and named in the list and in its head", async () => {
    const page = await open({ turns: [failedTurn({ code: "ACP_TURN_FAILED", message: "It exited." })] });
    const idle = page.getByRole("region", { name: "Idle" });
    await idle.getByText("Last turn failed").waitFor();
    await page.locator("header").getByText("Last turn failed").waitFor();
    await expect.poll(() => page.locator("header").getByRole("img", { name: "Failed" }).count()).toBe(1);
  });

  it("[Z955] a block of code is as high with colours as without", async () => {
    const code = "const one = 1;\n\nfunction two(): number {\n  return one + 1;\n}\n";
    const page = await open({
      turns: [tinyTurn("Code", [text(`\`\`\`ts\n${code}\`\`\`\n\n\`\`\`unknown\n${code}\`\`\`\n`)])],
    });
    const blocks = page.getByRole("log", { name: "Conversation" }).locator("pre");
    await blocks.first().locator("span span", { hasText: "const" }).waitFor();
    expect(await blocks.nth(1).locator("span").count()).toBe(0);
    const [coloured, plain] = await Promise.all([blocks.nth(0).boundingBox(), blocks.nth(1).boundingBox()]);
    expect(coloured?.height).toBeGreaterThan(100);
    expect(coloured?.height).toBe(plain?.height);
  });

  it("[Z956] an error with a command to sign in offers Sign in first and leaves the command to it", async () => {
    const remedy = { text: "To sign in, run `painter login`.", command: "painter login" };
    const message = `Painter is not signed in (Authentication required). ${remedy.text}`;
    const page = await open({ turns: [failedTurn({ code: "ACP_TURN_FAILED", message, remedy })] });
    const notice = page.getByRole("alert").filter({ hasText: "Painter is not signed in." });
    await expect.poll(() => notice.getByRole("button").allTextContents()).toEqual(["Sign in", "Retry"]);
    expect(await notice.textContent()).not.toMatch(/Authentication required|painter login/);
  });

  it("[Z957] a session that is not found has a head with the way back", async () => {
    openTinySession(tiny, {});
    const { page } = await openPage(`${tiny.url}/#/session/ahp-session%3A%2Fnone`, phone);
    await page.getByText("Session not found").waitFor();
    await page.getByRole("link", { name: "Back to the sessions" }).tap();
    await expect.poll(() => page.getByText("Session not found").count()).toBe(0);
  });

  it("[Z1019] a message that is not accepted comes back into the view that was opened meanwhile", async () => {
    const page = await open({}, { expectedFaults: lostHostFaults });
    const address = page.url();
    await composer(page).waitFor();
    tiny.conduct = "silent";
    await say(page, "first");
    await expect.poll(() => composer(page).inputValue()).toBe("");
    await page.getByRole("link", { name: "Home" }).click();
    await composer(page).waitFor({ state: "detached" });
    await page.goto(address);
    await composer(page).fill("second");
    tiny.host.refuse = ({ type }) => (type === "chat/turnStarted" ? "It is closed." : undefined);
    tiny.conduct = "responding";
    tiny.hangUp();
    await page.getByText("It is closed.").waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe("first\n\nsecond");
    await page.reload();
    await expect.poll(() => composer(page).inputValue()).toBe("first\n\nsecond");
    tiny.host.refuse = () => undefined;
  });

  /** Requests the second approval for the tool call of `asking`. */
  function askAgain(): void {
    tiny.host.dispatch(chat, {
      type: "chat/toolCallReady",
      turnId,
      toolCallId,
      invocationMessage: "make clean",
      confirmation: { kind: "needed", approval: approvalOf("second") },
    });
  }

  it("[Z1010] a second approval for a tool call can be decided after the first was", async () => {
    const page = await open({ activeTurn: asking }, { expectedFaults: lostHostFaults });
    tiny.host.refuse = ({ type }) => {
      if (type === "chat/toolCallConfirmed") {
        // The page gets the decision and the next request at once, when it has reconnected.
        tiny.hangUp();
        queueMicrotask(askAgain);
      }
      return undefined;
    };
    await page.getByRole("button", { name: "Allow once", exact: true }).click();
    tiny.host.refuse = () => undefined;
    const second = page.getByRole("group", { name: "Permission: execute second" });
    await second.waitFor();
    await expect.poll(() => second.getByRole("button", { name: "Deny" }).isEnabled()).toBe(true);
    expect(await page.getByText("Waiting for the host to confirm").count()).toBe(0);
    await second.getByRole("button", { name: "Deny" }).click();
    await second.waitFor({ state: "detached" });
  });

  it("[Z1010] a key does not decide a second approval for a tool call before it could be read", async () => {
    const page = await open({ activeTurn: asking }, { expectedFaults: lostHostFaults });
    const decided: string[] = [];
    tiny.host.refuse = (action) => {
      if (action.type === "chat/toolCallConfirmed") decided.push(action.decision.approvalId);
      return undefined;
    };
    await page.getByRole("group", { name: "Permission: execute first" }).waitFor();
    await page.getByRole("log", { name: "Conversation" }).focus();
    // The keys have decided the first one for as long as it takes to read it.
    await page.waitForTimeout(600);
    tiny.hangUp();
    tiny.host.dispatch(chat, {
      type: "chat/toolCallConfirmed",
      turnId,
      toolCallId,
      decision: {
        approvalId: makeId("approval", "first"),
        outcome: "approved",
        optionId: "yes",
        by: { kind: "client", clientId: makeId("client", "other") },
        at,
      },
    });
    askAgain();
    const second = page.getByRole("group", { name: "Permission: execute second" });
    await second.waitFor();
    await page.keyboard.press("y");
    await page.waitForTimeout(700);
    expect(decided).toEqual([]);
    await page.keyboard.press("n");
    await second.waitFor({ state: "detached" });
    expect(decided).toEqual(["second"]);
    tiny.host.refuse = () => undefined;
  });
});

/** The last folders of paths in a head that are cut off. */
const cutFolders = `[...document.querySelectorAll("header p span")]
  .filter((each) => each.textContent === "/garden" && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.textContent)`;

async function edgesOf(page: Page, selector: string): Promise<{ readonly right?: number }> {
  const box = await page.locator(selector).first().boundingBox();
  return box === null ? {} : { right: box.x + box.width };
}
