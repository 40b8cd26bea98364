// A page that is closed, and one that is signed out while somebody writes.
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, composer, enterSession, say, terminals, whenConnected } from "./page-walk.ts";

describePage(
  "[Z710, Z711, Z712] a browser that was closed or signed out, and a turn with a running command",
  () => {
    let host: TestedHost;

    beforeAll(async () => {
      host = await startHostInProcess();
    });
    afterAll(async () => {
      await host?.close();
    });

    it("[Z710] a browser that was closed is not listed in the session any more", async () => {
      const { page: one } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(one);
      await enterSession(one, "shell", host.project);
      const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
      await other.goto(one.url());
      await one.getByText(/also open in: Chrome/).waitFor();
      await other.close();
      await expect.poll(() => one.getByText(/also open in/).count()).toBe(0);
    }, 90_000);

    it("[Z711] a browser that was signed out has its draft after the next sign-in", async () => {
      const api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
      const { page } = await openPage(`${host.url}/?tkn=${host.token}`, { expectedFaults: /401|WebSocket/ });
      await whenConnected(page);
      await enterSession(page, "shell", host.project);
      await composer(page).fill("echo kept");
      for (const { id } of await api.signIns.list()) await api.signIns.revoke(id);
      await page.getByText("This browser was signed out").waitFor();
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

    it("[Z712] a turn with a running command has one button for each: Stop for the turn, Stop command for the command", async () => {
      const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await enterSession(page, "shell", host.project);
      await say(page, "sleep 600");
      await allow(page);
      await terminals(page).getByRole("button", { name: "Stop command" }).waitFor();
      await expect.poll(() => page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(1);
      await page.getByRole("button", { name: "Stop", exact: true }).click();
    }, 90_000);
  },
);
