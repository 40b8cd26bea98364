// Agents that cannot be started yet: how to install them, why a start failed, and another attempt.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { violations } from "./axe.ts";
import { describePage, sharePage, type SharedPageOptions } from "./page-test.ts";
import {
  allow,
  chooseAction,
  composer,
  enterSession,
  fillNewSession,
  openShellSession,
  pick,
  say,
  terminals,
  whenConnected,
} from "./page-walk.ts";

const shellProgram = fileURLToPath(new URL("../../packages/agent-shell/dist/main.js", import.meta.url));
/** An agent that needs a file in its folder before it starts. */
const moody = {
  command: "/bin/sh",
  args: ["-c", `test -e ready || { echo 'no key was found' >&2; exit 3; }; exec node '${shellProgram}'`],
  label: "Moody",
};
const missing = { command: "/nowhere/to/be-found", label: "Missing" };

describePage(
  "[Z347] starting sessions",
  () => {
    let host: TestedHost;

    beforeAll(async () => {
      host = await startHostInProcess({ config: { agents: { moody, missing } } });
    });
    afterAll(async () => {
      await host?.close();
    });

    async function open(device: SharedPageOptions = {}): Promise<Page> {
      const permissions = ["clipboard-read", "clipboard-write"];
      const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, { permissions, ...device });
      await whenConnected(page);
      return page;
    }

    it("[Z347] offers the agents that are installed, and says how to install the others", async () => {
      const page = await open();
      await page.getByRole("button", { name: "New session" }).click();
      const dialog = page.getByRole("dialog", { name: "New session" });
      await dialog.getByRole("button", { name: /^Agent: / }).click();
      await dialog.getByRole("option", { name: /Moody/ }).waitFor();
      expect(await dialog.getByRole("option", { name: /Missing/ }).count()).toBe(0);
      await page.keyboard.press("Escape");
      await dialog.getByText(/agents are not installed/).click();
      const list = dialog.getByRole("list", { name: "Agents that are not installed" });
      const gemini = list.getByRole("listitem").filter({ hasText: "Gemini CLI" });
      await gemini.getByText("npm install -g @google/gemini-cli").waitFor();
      await gemini.getByRole("button", { name: "Copy the install command of Gemini CLI" }).click();
      await gemini.getByText("Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("npm install -g @google/gemini-cli");
      await list
        .getByRole("listitem")
        .filter({ hasText: "Missing" })
        .getByText("set its command in the configuration")
        .waitFor();
      expect(await violations(page)).toEqual([]);
    });

    it("[Z348] shows what an agent that failed to start printed, and starts it again with what was chosen", async () => {
      const page = await open();
      const dialog = await fillNewSession(page, /Moody/, host.project);
      await pick(dialog, "Isolation", /None/);
      await dialog.getByRole("button", { name: "Open session" }).click();
      const alert = page.getByRole("alert").filter({ hasText: "no key was found" });
      await alert.waitFor();
      const failed = page.url();
      expect(await composer(page).count()).toBe(0);
      writeFileSync(path.join(host.project, "ready"), "");
      await alert.getByRole("button", { name: "Retry" }).click();
      await expect.poll(() => page.url()).not.toBe(failed);
      await say(page, "pwd");
      await allow(page);
      await terminals(page).getByText(host.project, { exact: true }).waitFor();
      expect(await page.getByText("Failed to start").count()).toBe(0);
      await page.getByText("Not isolated").waitFor();
    });

    it("[Z354] renaming selects the old name, and [Z6] the search is there for one session", async () => {
      const page = await open();
      await enterSession(page, "shell", host.project);
      await chooseAction(page, "Rename");
      await page.getByRole("textbox", { name: "Session name" }).waitFor();
      await page.keyboard.type("Harvest");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Harvest", exact: true }).waitFor();
      await page.getByRole("searchbox", { name: "Filter sessions" }).fill("winter");
      await page.getByText("No name, agent or folder matches “winter”.").waitFor();
      expect(await page.getByRole("link", { name: /Harvest/ }).count()).toBe(0);
      await page.getByRole("searchbox", { name: "Filter sessions" }).fill("");
    });

    it("[Z346] running terminals come first, the newest of them first, and in full is most of the window", async () => {
      const page = await open();
      await enterSession(page, "shell", host.project);
      for (const command of ["sleep 601", "sleep 602"]) {
        await say(page, command);
        await allow(page);
        await terminals(page).last().getByRole("button", { name: "Background" }).click();
        await page.getByRole("button", { name: "Send", exact: true }).waitFor();
      }
      await say(page, "echo over");
      await allow(page);
      await terminals(page).last().getByText("exit 0").waitFor();
      await page.getByRole("link", { name: /Terminals/ }).click();
      const names = async (): Promise<(string | null)[]> =>
        Promise.all((await terminals(page).all()).map((terminal) => terminal.getAttribute("aria-label")));
      await expect
        .poll(async () => (await names()).slice(0, 3))
        .toEqual(["Terminal: sleep 602", "Terminal: sleep 601", "Terminal: echo over"]);
      await page.getByRole("button", { name: "Expand" }).first().click();
      const full = page.locator('article[data-variant="focus"]');
      await expect.poll(async () => (await full.boundingBox())?.height ?? 0).toBeGreaterThan(0.75 * 800);
      for (const seconds of [601, 602]) {
        await terminals(page)
          .filter({ hasText: `sleep ${seconds}` })
          .getByRole("button", { name: "Stop" })
          .click();
      }
    });

    it("[Z355, Z917] the list of activity breaks no word of its actions, and begins and ends where the head does", async () => {
      const page = await open();
      await page.setViewportSize({ width: 900, height: 700 });
      await page.getByRole("link", { name: "Host" }).click();
      await page.getByRole("tab", { name: "Activity" }).click();
      const activity = page.getByRole("region", { name: "Activity" });
      await activity.getByRole("heading", { name: "Activity" }).waitFor();
      await activity.getByText("Command", { exact: true }).first().waitFor();
      const lines = await page.evaluate<number[]>(`(() => {
        const cells = document.querySelectorAll('section[aria-label="Activity"] [data-action]');
        return [...cells].map((cell) => {
          const text = document.createRange();
          text.selectNodeContents(cell);
          return text.getClientRects().length;
        });
      })()`);
      expect(new Set(lines)).toEqual(new Set([1]));
      for (const width of [1440, 900]) {
        await page.setViewportSize({ width, height: 300 });
        const edges = await page.evaluate<Record<"head" | "list", number[]>>(`(() => {
          const box = (selector) => document.querySelector(selector).getBoundingClientRect();
          const list = box('section[aria-label="Activity"]');
          const signOut = [...document.querySelectorAll("button")].find((button) => button.innerText === "Sign out");
          const round = (numbers) => numbers.map(Math.round);
          return {
            head: round([box("h1").left, signOut.getBoundingClientRect().right]),
            list: round([list.left, list.right]),
          };
        })()`);
        expect(edges.list).toEqual(edges.head);
      }
    });

    it.each([
      ["a phone does not open its keyboard", { name: "phone", hasTouch: true, isMobile: true }, false],
      ["a desktop is ready to be typed into", {}, true],
    ] as const)("[Z350] a session on %s", async (_, device, hasFocus) => {
      const page = await open(device);
      await openShellSession(page, host.project);
      expect(await page.evaluate("document.activeElement?.tagName === 'TEXTAREA'")).toBe(hasFocus);
    });
  },
  { scrollbars: "classic" },
);
