// The page before it has content: no agent, no session, no host, a file that does not come; and its dialogs on a phone.
import type { Page } from "playwright-core";
import { makeId, newRootState, newSessionState, ROOT_URI, sessionUri, summarizeSession } from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true } as const;
const shell = { id: "shell", label: "Shell", installed: true, authReady: true };

/** A file of the page that could not be loaded. */
const unloadedFaults = /ERR_FAILED|dynamically imported module/;

describePage("[Z930] a page without content", () => {
  let tiny: TinyPage;

  beforeAll(async () => {
    tiny = await startTinyPage();
    tiny.host.open(ROOT_URI, "root", newRootState());
  });
  afterAll(() => {
    tiny?.close();
  });

  const open = async (
    hash: string,
    agents: readonly object[],
    options: Parameters<typeof openPage>[1] = {},
    expectedFaults = lostHostFaults,
  ): Promise<Page> => {
    tiny.agents = agents;
    tiny.conduct = "responding";
    const { page } = await openPage(`${tiny.url}/${hash}`, {
      ...options,
      expectedFaults,
    });
    return page;
  };

  it("[Z930] offers commands to try only where the agent that runs them is installed", async () => {
    const missing = await open("#/", [{ ...shell, installed: false }]);
    await missing.getByText("No agent is installed").waitFor();
    expect(await missing.getByRole("button", { name: /ls -la/ }).count()).toBe(0);
    const ready = await open("#/", [shell]);
    await ready.getByRole("button", { name: /ls -la/ }).waitFor();
  });

  it("[Z932] says once that there are no sessions, and has no field to filter them", async () => {
    const page = await open("#/", [shell]);
    await whenConnected(page);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await expect.poll(() => page.getByText("No sessions yet").count()).toBe(1);
    expect(await page.getByRole("searchbox").count()).toBe(0);
    await page.evaluate('location.hash = "#/inbox"');
    await page.getByText("No sessions yet.").waitFor();
  });

  it("[Z933] says that a place loads, and keeps the bar of places on a phone without the host", async () => {
    const page = await open("#/", [shell]);
    await whenConnected(page);
    await page.route(/\/assets\/inbox-[^/]*\.js$/, () => undefined);
    await page.evaluate('location.hash = "#/inbox"');
    await page.getByRole("heading", { name: "Loading…" }).waitFor();

    const small = await open("#/", [shell], phone);
    tiny.conduct = "away";
    await small.goto(`${tiny.url}/?away#/session/ahp-session%3A%2Fnone`);
    await small.getByText("This view loads when the host is back.").waitFor();
    await small.getByRole("alert").getByText("The page reconnects").waitFor();
    await expect.poll(() => small.getByRole("navigation", { name: "Places" }).isVisible()).toBe(true);
  });

  it("[Z934, Z969] names a lost connection alike in the sidebar and in the banner, and a signed-out browser leads to the sign-in", async () => {
    const page = await open("#/", [shell]);
    await whenConnected(page);
    const state = page.getByRole("status", { name: "Connection to the host" });
    tiny.conduct = "away";
    tiny.hangUp();
    await state.getByText("Disconnected").waitFor();
    await page.getByRole("alert").getByText("Disconnected. Reconnecting…").waitFor();
    tiny.conduct = "signed-out";
    await page.getByRole("alert").getByText("Signed out", { exact: true }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    const loaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Sign in" }).click();
    await loaded;
    expect(new URL(page.url()).pathname).toBe("/");
    tiny.conduct = "responding";
    await whenConnected(page);
  });

  it("[Z935, Z939] on a phone the palette has a button that closes it and no shortcuts, and a dialog has the focus", async () => {
    const page = await open("#/", [shell], phone);
    await whenConnected(page);
    await page.getByRole("button", { name: "Search and commands" }).tap();
    const palette = page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("option", { name: "Inbox" }).waitFor();
    expect(await palette.getByRole("option", { name: "Keyboard shortcuts" }).count()).toBe(0);
    await palette.getByRole("button", { name: "Close" }).tap();
    await palette.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "New session" }).tap();
    await page.getByRole("dialog", { name: "New session" }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("DIALOG");
  });

  it("[Z1011] without the file of the filters, the list of sessions is shown", async () => {
    const { page } = await openPage("about:blank", { expectedFaults: unloadedFaults });
    await page.route(/\/assets\/session-filters-[^/]*\.js$/, (route) => route.abort());
    const uris = ["one", "two"].map((name) => sessionUri(makeId("session", name)));
    const sessions = uris.map((resource) =>
      summarizeSession(
        newSessionState({
          resource,
          key: makeId("session key", `agent:shell:acp:${resource}`),
          provider: makeId("agent", "shell"),
          owner: { kind: "person" },
          title: "Garden",
          at: "2026-01-01T00:00:00.000Z",
          workingDirectories: ["file:///tmp"],
        }),
      ),
    );
    tiny.host.open(ROOT_URI, "root", { ...newRootState(), sessions });
    onTestFinished(() => tiny.host.open(ROOT_URI, "root", newRootState()));
    await page.goto(`${tiny.url}/#/inbox`);
    const notices = page.getByRole("status", { name: "Notices" });
    await notices.getByText("Part of the page could not be loaded").waitFor();
    await expect.poll(() => page.getByRole("link", { name: /Garden/ }).count()).toBe(2);
  });

  it.each([
    ["palette", "Control+k"],
    ["shortcut-help", "?"],
    ["new-session-dialog", "s"],
  ])("[Z1011] without the file of %s, the page says so and stays", async (file, keys) => {
    const page = await open("#/inbox", [shell], {}, unloadedFaults);
    await whenConnected(page);
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.route(new RegExp(`/assets/${file}-[^/]*\\.js$`), (route) => route.abort());
    await page.keyboard.press(keys);
    const notices = page.getByRole("status", { name: "Notices" });
    const notice = notices.getByText("Part of the page could not be loaded");
    await notice.waitFor();
    expect(await page.getByRole("navigation", { name: "Places" }).isVisible()).toBe(true);
    await page.getByRole("link", { name: "Terminals" }).click();
    await page.getByRole("heading", { name: "Terminals" }).waitFor();
  });
});
