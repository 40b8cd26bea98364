// Views that load their content once, opened while the page is disconnected.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { cuttableConnection } from "./cut-connection.ts";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { enterSession, say, terminals, whenConnected } from "./page-walk.ts";

describePage("[Z997] views that are opened while the page is disconnected", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z997] load their content when the connection is back", { timeout: 60_000 }, async () => {
    const { page } = await openPage("about:blank", { expectedFaults: lostHostFaults });
    const { cut, join } = await cuttableConnection(page);
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    const folder = path.join(host.project, "notes");
    execFileSync("git", ["init", "--quiet", folder]);
    await enterSession(page, "shell", folder, "approve-all");
    await say(page, "echo one > notes.txt");
    await terminals(page).getByText("exit 0", { exact: true }).waitFor();

    await cut();
    await page.getByRole("tab", { name: /^Changes/ }).click();
    await page.getByText("Comparing files…").waitFor();
    await page.getByRole("button", { name: "New session" }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    const start = dialog.getByRole("button", { name: "Open session" });
    await dialog.waitFor();
    await page.waitForTimeout(300);
    expect(await page.getByText("Failed to fetch").count()).toBe(0);
    expect(await start.isEnabled()).toBe(false);
    await join();
    await whenConnected(page);
    await expect.poll(() => start.isEnabled()).toBe(true);
    await page.keyboard.press("Escape");
    const diffs = page.getByRole("region", { name: "Diffs" });
    await diffs.getByText("one", { exact: true }).waitFor();

    // A connection that is slow to notice that it is lost: only HTTP fails.
    await page.route(/\/sdk\//, (route) => route.abort());
    await page.getByRole("button", { name: "Compare again" }).click();
    await page.getByText(/^These changes may be out of date.*Failed to fetch/).waitFor();
    expect(await diffs.getByText("one", { exact: true }).count()).toBe(1);
    await page.unroute(/\/sdk\//);
    await page.getByRole("button", { name: "Compare again" }).click();
    await expect.poll(() => page.getByText("may be out of date").count()).toBe(0);
  });

  it("[Z997] the activity is not said to be empty before it was loaded", async () => {
    const { page } = await openPage("about:blank", { expectedFaults: lostHostFaults });
    const { cut, join } = await cuttableConnection(page);
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await cut();
    await page.evaluate("location.hash = '#/host/activity'");
    await page.getByText("Loading the activity…").waitFor();
    expect(await page.getByText("No activity yet").count()).toBe(0);
    await join();
    await expect.poll(() => page.getByText("Loading the activity…").count()).toBe(0);
  });
});
