// Markdown of an agent is readable, and cannot do anything.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { composer, fillNewSession, say, whenConnected } from "./page-walk.ts";

const attack = [
  "**bold**",
  "<img src=x onerror='globalThis.isHacked = true'>",
  "<script>globalThis.isHacked = true</script>",
  "<a href='javascript:globalThis.isHacked = true'>link one</a>",
  "[link two](javascript:globalThis.isHacked=true)",
  "[link three](https://example.org/)",
  "<style>body { display: none }</style>",
  "<form action='https://example.org/'><input name='token'></form>",
].join(" ");

describePage("[Z28] Markdown", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z28] of an agent is shown, and nothing in it runs, is sent or changes the page", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, {
      // The browser logs what it blocks.
      expectedFaults: /Content Security Policy|Failed to load resource/,
    });
    await whenConnected(page);
    const dialog = await fillNewSession(page, /Qwen/, host.project);
    await dialog.getByRole("button", { name: "Open session" }).click();
    await composer(page).waitFor();
    await say(page, attack);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.locator("strong", { hasText: "bold" }).waitFor();
    await log.getByRole("button", { name: "Thought: Let me think." }).waitFor();
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await log.locator("script, style, form, input, iframe").count()).toBe(0);
    expect(await log.locator("[onerror], [href^='javascript']").count()).toBe(0);
    const link = log.getByRole("link", { name: "link three" });
    expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual([
      "_blank",
      "noopener noreferrer",
    ]);
    expect(await page.evaluate("globalThis.isHacked")).toBeUndefined();
  });
});
