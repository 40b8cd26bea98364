// The pictures of the guides on permissions, isolation, limits and audit, from one host with a scripted agent.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { ask, askPermission, say as reply, type Script } from "../../packages/core/src/testing/script.ts";
import { allow, openShellSession, say, terminals, whenIdle } from "./page-walk.ts";
import { openPage, take, takePart } from "./picture.ts";
import { openPainterSession, startScriptedHost } from "./scripted-host.ts";

const run = { command: "node --test", env: [{ name: "NODE_OPTIONS", value: "--import ./loader.mjs" }] };
const script: Script = {
  prompts: {
    "*": [
      reply("Running the tests with the new loader."),
      askPermission("Run the tests", { kind: "execute", rawInput: run }),
      ask("terminal", "terminal/create", run),
      ask("exit", "terminal/wait_for_exit", { terminalId: "$terminal.terminalId" }),
      reply("\n\nAll tests pass."),
    ],
  },
};
const limits = { command: { wallClockSeconds: 5, processes: 200 }, session: { openTerminals: 8 } };
const tall = { viewport: { width: 1060, height: 620 }, colorScheme: "light" } as const;
const short = { width: 1060, height: 460 };

/** Takes all of them. */
export async function takeGuidePictures(browser: Browser): Promise<void> {
  const scripted = await startScriptedHost(script, {
    config: { limits },
    agent: { throughHost: ["commands"] },
  });
  const { host } = scripted;
  try {
    const page = await openPage(browser, host, tall);
    writeFileSync(path.join(host.project, "loader.mjs"), "");
    await openPainterSession(page, host.project);
    await say(page, "Do the tests pass?");
    const question = page.getByRole("group", { name: /^Permission/ });
    await question.waitFor();
    await take(page, "permission-light");
    await question.getByRole("button", { name: "Always allow in this folder" }).click();
    await whenIdle(page);
    await page.setViewportSize(short);
    await takeIsolation(page, host.project);
    await takeLimit(page, host.project);
    await page.getByRole("link", { name: "Host", exact: true }).click();
    await page.getByRole("tab", { name: "Permissions" }).click();
    await takePart(page.getByRole("region", { name: "Always allowed" }), "rules-light");
    await page.setViewportSize({ width: 1280, height: 1200 });
    await page.getByRole("tab", { name: "Activity" }).click();
    const activity = page.getByRole("region", { name: "Activity" });
    await takePart(activity, "audit-light", activity.getByRole("listitem").nth(8));
  } finally {
    await scripted.close();
  }
}

/** A command looks for the host's token and for other processes. */
async function takeIsolation(page: Page, folder: string): Promise<void> {
  await openShellSession(page, folder);
  await say(page, "cat ../home/token; ps -e");
  await allow(page);
  await whenIdle(page);
  await terminals(page).getByText("CMD").first().waitFor();
  await take(page, "isolation-light");
}

/** A command runs longer than it may. */
async function takeLimit(page: Page, folder: string): Promise<void> {
  await openShellSession(page, folder);
  await say(page, "for i in $(seq 1 100); do echo building part $i; sleep 1; done");
  await allow(page);
  await page.getByText("Stopped: time limit").first().waitFor();
  await whenIdle(page);
  await take(page, "limit-light");
}
