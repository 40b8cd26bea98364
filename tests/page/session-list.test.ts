// The list of sessions by the keyboard: walked through, searched, opened.
import {
  makeId,
  newRootState,
  newSessionState,
  ROOT_URI,
  sessionUri,
  summarizeSession,
  type SessionSummary,
} from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

function session(name: string, minute: number): SessionSummary {
  const state = newSessionState({
    resource: sessionUri(makeId("session", name)),
    key: makeId("session key", `agent:shell:acp:${name}`),
    provider: makeId("agent", "shell"),
    owner: { kind: "person" },
    title: `Work on the ${name}`,
    at: `2026-01-01T00:0${minute}:00.000Z`,
    workingDirectories: ["file:///tmp"],
  });
  return summarizeSession({ ...state, lifecycle: { status: "ready" } });
}

describePage("[Z6] the list of sessions", () => {
  let tiny: TinyPage;

  beforeAll(async () => {
    tiny = await startTinyPage();
    const sessions = ["fence", "garden", "hedge", "oven", "roof", "well"].map(session);
    tiny.host.open(ROOT_URI, "root", { ...newRootState(), sessions });
  });
  afterAll(async () => {
    tiny?.close();
  });

  it("[Z6, Z21] is walked by the arrows, searched after a slash, and opened by Enter", async () => {
    const { page } = await openPage(tiny.url);
    await whenConnected(page);
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent");
    const roof = page.locator("#sessions").getByRole("link", { name: /roof/ });
    await roof.waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("well");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("roof");
    await page.keyboard.press("/");
    await page.keyboard.type("work gar");
    await roof.waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("garden");
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/garden$/);
  });
});
