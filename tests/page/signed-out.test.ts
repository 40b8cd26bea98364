// Sign-in by a link and sign-out, in a browser.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast } from "@holdfast/sdk";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, openPage } from "./page-test.ts";
import { enterSession, say, whenConnected } from "./page-walk.ts";

describePage("[Z621] a browser", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z620] [Z621] [Z969] is signed in by a link, shows as signed in, and signs out on the host's page, in all of its windows", async () => {
    const api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const { path } = await api.signIns.createLink();
    const { page } = await openPage(`${host.url}${path}`, { expectedFaults: /401|WebSocket/ });
    await whenConnected(page);
    expect(page.url()).not.toContain("ticket");
    expect(await api.signIns.list()).toMatchObject([{ device: expect.stringContaining("Chrome") }]);
    // A second window, with content.
    const other = await page.context().newPage();
    await other.goto(host.url);
    await whenConnected(other);
    await enterSession(other, "shell", host.project);
    await say(other, "echo secret");
    const question = other.getByRole("group", { name: "Permission: execute echo secret" });
    await question.waitFor();
    await expect.poll(() => other.title()).toBe("(1) Holdfast");

    await page.goto(`${host.url}/#/host`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Host token").waitFor();
    expect(await api.signIns.list()).toEqual([]);
    await other.getByRole("heading", { name: "Signed out" }).waitFor();
    expect(await other.locator("body").innerText()).not.toContain("secret");
    expect(await other.title()).toBe("Holdfast");
    expect(await violationsInBothThemes(other)).toEqual([]);

    await page.getByLabel("Host token").fill(host.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await whenConnected(page);
    await question.waitFor();
    await other.close();
  });
});
