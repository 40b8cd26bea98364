// Sign-in by a link and sign-out, in a browser.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Holdfast } from "@holdfast/sdk";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { whenConnected } from "./page-walk.ts";

describePage("[Z621] a browser", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z620] [Z621] is signed in by a link, shows as signed in, and signs out on the host's page", async () => {
    const api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const { path } = await api.signIns.createLink();
    const { page } = await openPage(`${host.url}${path}`, { expectedFaults: /401|WebSocket/ });
    await whenConnected(page);
    expect(page.url()).not.toContain("ticket");
    expect(await api.signIns.list()).toMatchObject([{ device: expect.stringContaining("Chrome") }]);
    await page.goto(`${host.url}/#/host`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Host token").waitFor();
    expect(await api.signIns.list()).toEqual([]);
  });
});
