// Two pages in step, and a host that dies under its page.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import { freePort, startRealHost, type TestedHost } from "../host/real-host.ts";
import { describePage, lostHostFaults, openPage, sharePage } from "./page-test.ts";
import {
  allow,
  composer,
  enterSession,
  say,
  terminals,
  typeInto,
  whenConnected,
  whenIdle,
} from "./page-walk.ts";

describePage("[Z24] several pages", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z24, Z39] show the same, what one answers is answered in the other, and each knows of the other", async () => {
    const { page: one } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(one);
    await enterSession(one, "shell", host.project);
    const { page: other } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(other);
    await say(one, "sh -i");
    await other.getByRole("link", { name: /sh -i/ }).first().click();
    await allow(other);
    await terminals(one).getByRole("button", { name: "Take over" }).click();
    await terminals(other).getByText("in use in another window").waitFor();
    await typeInto(terminals(one), "echo seen by $((1 + 1))\n");
    await terminals(other).getByText("seen by 2").waitFor();
    await typeInto(terminals(one), "exit\n");
    await terminals(other).getByText("exit 0").waitFor();
    await one.getByText(/also open in: Chrome/).waitFor();
    await other.getByRole("link", { name: "Host" }).click();
    await other.getByRole("tab", { name: "System" }).click();
    const clients = other.getByRole("region", { name: "Connected clients" });
    await clients.getByText("this one").waitFor();
    await clients
      .getByRole("listitem")
      .filter({ hasText: "page-" })
      .getByText(/follows \d+ channels/)
      .waitFor();
    await one.close();
    await expect.poll(() => clients.getByText("page-").count()).toBe(0);
  });

  it("[Z913] a window takes over what another window of the browser holds, also one that shows something else", async () => {
    const { page: one } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(one);
    await enterSession(one, "shell", host.project);
    const address = one.url();
    await say(one, "sh -i");
    await allow(one);
    await terminals(one).getByRole("button", { name: "Take over" }).click();
    await terminals(one).getByText("held by you").waitFor();
    await one.getByRole("link", { name: /Inbox/ }).click();
    await one.getByText("No pending approvals").waitFor();

    const other = await one.context().newPage();
    await other.goto(address);
    await terminals(other).getByText("in use in another window").waitFor();
    await terminals(other).getByRole("button", { name: "Take over" }).click();
    await terminals(other).getByText("held by you").waitFor();
    await typeInto(terminals(other), "echo taken by $((1 + 1))\n");
    await terminals(other).getByText("taken by 2").waitFor();
    expect(await terminals(other).getByRole("button", { name: "Take over" }).count()).toBe(0);
    await terminals(other).getByRole("button", { name: "Hand back" }).click();
    await terminals(other).getByText("held by the agent").waitFor({ state: "attached" });
    await terminals(other).getByRole("button", { name: "Stop command" }).click();
    // Read here, it is no news in the inbox of the next test.
    await whenIdle(other);
  });

  it("[Z25] the inbox of one shows what waits in all, and empties when it is answered elsewhere", async () => {
    const { page: one } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(one);
    await enterSession(one, "shell", host.project);
    await say(one, "echo from the inbox");
    const { page: other } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(other);
    await other.keyboard.press("Escape");
    await other.keyboard.press("i");
    await other.getByRole("group", { name: "Permission: execute echo from the inbox" }).waitFor();
    await allow(one);
    await other.getByText("No pending approvals").waitFor();
    // The other page shows the finished turn, and so has read it.
    await expect.poll(() => other.getByRole("link", { name: /Inbox/ }).textContent()).toBe("Inbox");
  });
});

describePage("[Z26] a host that is killed under its page", () => {
  it(
    "[Z26] says so, reconnects, and reports what the restart ended; with another token it says that it has to be shown",
    { timeout: 90_000 },
    async () => {
      // A fixed port: the page looks for its host where it was.
      const port = await freePort();
      let host = await startRealHost({ port });
      try {
        const { page } = await openPage(`${host.url}/?tkn=${host.token}`, {
          expectedFaults: lostHostFaults,
        });
        await whenConnected(page);
        await enterSession(page, "shell", host.project);
        await say(page, "echo before; sleep 600");
        await allow(page);
        await terminals(page).getByText("before", { exact: true }).waitFor();
        host = await host.restart();
        await whenConnected(page);
        await page.getByText(/What this session ran has ended/).waitFor();
        await page.getByRole("log", { name: "Conversation" }).getByText("before").first().waitFor();
        await composer(page).waitFor();
        await say(page, "echo after");
        await allow(page);
        await terminals(page).last().getByText("exit 0", { exact: true }).waitFor();
        expect(await page.getByText(/Disconnected/).count()).toBe(0);

        writeFileSync(path.join(host.home, "token"), "another-token-of-this-host\n", { mode: 0o600 });
        host = await host.restart();
        const alert = page.getByText("token has changed");
        await alert.waitFor();
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByLabel("Host token").fill("another-token-of-this-host");
        await page.getByRole("button", { name: "Sign in" }).click();
        await whenConnected(page);
        expect(await alert.count()).toBe(0);
      } finally {
        await host.close();
      }
    },
  );
});
