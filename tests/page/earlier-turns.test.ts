// A conversation that is longer than the host's memory of it: earlier messages are loaded as a person scrolls up.
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { say } from "../../packages/core/src/testing/script.ts";
import { describePage, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

const turnCount = 80;
const answer = "A sentence of some length.\n\n".repeat(300);

describePage("[Z420] a conversation beyond the host's memory", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    const script = { prompts: { "*": [say(answer)], "The newest": [say("A short answer")] } };
    scripted = await startScriptedHost(script);
  });
  afterAll(async () => {
    await scripted?.close();
  });

  it("[Z420] shows its first message to a person who goes up", { timeout: 120_000 }, async () => {
    const { host } = scripted;
    const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const wish = { agent_id: "painter", cwd: host.home, approvalPolicy: "approve-all" as const };
    const { session_key: key } = await sdk.acpAgent.createSession(wish);
    for (let number = 1; number <= turnCount; number += 1) {
      await sdk.acpAgent.chat(key, `Message ${number}`);
    }
    const { page, faults } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const uri = uriOfKey(key);
    await page.goto(`${host.url}/#/session/${encodeURIComponent(uri)}`);
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
