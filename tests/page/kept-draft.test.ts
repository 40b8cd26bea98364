// A page that is closed, and one that is signed out while somebody writes.
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished } from "vitest";
import { startRealHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, composer, openShellSession, say, terminals, whenConnected } from "./page-walk.ts";

describePage("[Z710] a browser that was closed", () => {
  it("[Z710] is not listed in the session any more", async () => {
    const host = await startRealHost();
    onTestFinished(() => host.close());
    const { page: one } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(one);
    await openShellSession(one, host.project);
    const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
    await other.goto(one.url());
    await one.getByText(/also open in: Chrome/).waitFor();
    await other.close();
    await expect.poll(() => one.getByText(/also open in/).count()).toBe(0);
  }, 90_000);
});

describePage("[Z711] a browser that was signed out", () => {
  it("[Z711] keeps the message that was not sent, says so, and has it after the next sign-in", async () => {
    const host = await startRealHost();
    onTestFinished(() => host.close());
    const api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, { expectedFaults: /401|WebSocket/ });
    await whenConnected(page);
    await openShellSession(page, host.project);
    const [signIn] = await api.signIns.list();
    await composer(page).fill("echo kept");
    await api.signIns.revoke(signIn?.id ?? "");
    await page.getByText("This browser is not signed in any more").waitFor();
    await composer(page).press("Enter");
    await page.getByText("the message was not sent").waitFor();
    expect(await composer(page).inputValue()).toBe("echo kept");
    const session = page.url();
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await page.goto(session);
    await page.getByText("Connected", { exact: true }).waitFor();
    await expect.poll(() => composer(page).inputValue()).toBe("echo kept");
    await composer(page).press("Enter");
    await page.getByRole("group", { name: "Permission: execute echo kept" }).waitFor();
    const drafts = "Object.keys(sessionStorage).filter((name) => name.startsWith('holdfast-draft')).length";
    await expect.poll(() => page.evaluate<number>(drafts)).toBe(0);
  }, 90_000);
});

describePage("[Z712] a turn with a running command", () => {
  it("[Z712] has one button for each: Stop for the turn, Stop command for the command", async () => {
    const host = await startRealHost();
    onTestFinished(() => host.close());
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await openShellSession(page, host.project);
    await say(page, "sleep 600");
    await allow(page);
    await terminals(page).getByRole("button", { name: "Stop command" }).waitFor();
    expect(await page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
  }, 90_000);
});
