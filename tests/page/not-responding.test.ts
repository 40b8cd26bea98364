// A host that hangs under its page.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, lostHostFaults, openPage } from "./page-test.ts";
import { enterSession, whenConnected } from "./page-walk.ts";

describePage("[Z342] a host that hangs", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z342] is shown after 5 s, and no longer once it responds", { timeout: 60_000 }, async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`, {
      expectedFaults: lostHostFaults,
    });
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const banner = page
      .getByRole("alert")
      .filter({ hasText: "Host not responding" })
      .getByText(/Silent for \d+ s/);
    process.kill(host.pid, "SIGSTOP");
    const stoppedMs = performance.now();
    try {
      await banner.waitFor();
      const shownMs = performance.now() - stoppedMs;
      console.log(`a hung host is shown after ${(shownMs / 1000).toFixed(1)} s`);
      expect(shownMs).toBeGreaterThan(2000);
      await page
        .getByRole("status", { name: "Connection to the host" })
        .getByText("Not responding")
        .waitFor();
      expect(await page.getByText("Connected", { exact: true }).count()).toBe(0);
    } finally {
      process.kill(host.pid, "SIGCONT");
    }
    await banner.waitFor({ state: "detached" });
    await whenConnected(page);
  });
});
