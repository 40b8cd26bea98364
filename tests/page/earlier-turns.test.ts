// A conversation that is longer than the host's memory of it: earlier messages are loaded as a person scrolls up.
import { Holdfast } from "@holdfast/sdk";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { say } from "../../packages/core/src/testing/script.ts";
import { cuttableConnection } from "./cut-connection.ts";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

const turnCount = 80;
const answer = "A sentence of some length.\n\n".repeat(300);

describePage("[Z420] a conversation beyond the host's memory", () => {
  let scripted: ScriptedHost;
  let sdk: Holdfast;
  let key = "";
  /** Of the session. */
  let address = "";

  beforeAll(async () => {
    const script = { prompts: { "*": [say(answer)], "The newest": [say("A short answer")] } };
    scripted = await startScriptedHost(script);
    const { host } = scripted;
    sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const wish = { agent_id: "painter", cwd: host.home, approvalPolicy: "approve-all" as const };
    ({ session_key: key } = await sdk.acpAgent.createSession(wish));
    for (let number = 1; number <= turnCount; number += 1) {
      await sdk.acpAgent.chat(key, `Message ${number}`);
    }
    address = `#/session/${encodeURIComponent(uriOfKey(key))}`;
  }, 120_000);
  afterAll(async () => {
    await scripted?.close();
  });

  /** The address of a message, which is known once the search finds it. */
  async function addressOf(number: number): Promise<string> {
    const turnId = await vi.waitFor(async () => {
      const results = await sdk.search.sessions(`Message ${number}`);
      const found = results.find((result) => result.turnId !== undefined);
      if (found?.turnId === undefined) throw new Error("The message is not in the index yet.");
      return found.turnId;
    });
    return `${address}?message=${turnId}`;
  }

  /** Waits until a message is at the top of the conversation, and stays there while rows around it are measured. */
  async function expectAtTop(page: Page, number: number): Promise<void> {
    const log = page.getByRole("log", { name: "Conversation" });
    const message = log.getByText(`Message ${number}`, { exact: true });
    const isAtTop = async (): Promise<boolean> => {
      const [outer, inner] = await Promise.all([log.boundingBox(), message.boundingBox()]);
      return outer !== null && inner !== null && inner.y >= outer.y && inner.y < outer.y + 200;
    };
    await message.waitFor();
    await expect.poll(isAtTop).toBe(true);
    await page.waitForTimeout(500);
    expect(await message.count()).toBe(1);
    expect(await isAtTop()).toBe(true);
  }

  it("[Z999] a link to an early message waits while disconnected, and leads there when the connection is back", async () => {
    const { host } = scripted;
    const { page } = await openPage("about:blank", { expectedFaults: lostHostFaults });
    const { cut, join } = await cuttableConnection(page);
    await page.goto(`${host.url}/?tkn=${host.token}${address}`);
    await whenConnected(page);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.getByText("A sentence of some length.").first().waitFor();
    await cut();
    await page.evaluate(`
      noticeCount = 0;
      new MutationObserver((changes) => {
        noticeCount += changes.reduce((count, { addedNodes }) => count + addedNodes.length, 0);
      }).observe(document.querySelector("[aria-label=Notices]"), { childList: true });
      location.hash = ${JSON.stringify(await addressOf(35))};
    `);
    await page.waitForTimeout(1000);
    expect(await page.evaluate("noticeCount")).toBeLessThan(5);
    await join();
    await whenConnected(page);
    await expectAtTop(page, 35);
  });

  it("[Z999] the conversation stays at a message that a link led to when earlier turns come before it", async () => {
    const { host } = scripted;
    // The first of the turns that are loaded at once, so that its page's beginning is in sight.
    const { page } = await openPage(`${host.url}/?tkn=${host.token}${await addressOf(35)}`);
    await expectAtTop(page, 35);
  });

  it("[Z420] shows its first message to a person who goes up", { timeout: 120_000 }, async () => {
    const { host } = scripted;
    const { page, faults } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page.goto(`${host.url}/${address}`);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.getByText("A sentence of some length.").first().waitFor();
    const first = log.getByText("Message 1", { exact: true });
    await expect
      .poll(
        async () => {
          await log.press("Home");
          return first.isVisible();
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
    await expect.poll(() => page.getByRole("button", { name: "Load earlier messages" }).count()).toBe(0);
    // What comes now is put after all of it.
    await sdk.acpAgent.chat(key, "The newest");
    await log.press("End");
    await log.getByText("A short answer").waitFor();
    await log.press("Home");
    await first.waitFor();
    expect(faults).toEqual([]);
  });
});
