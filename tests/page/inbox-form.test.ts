// A question of an agent in the inbox: answered there, without going into its conversation.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentRecord } from "../../packages/core/src/testing/agent-record.ts";
import { ask, say as answer, type Script } from "../../packages/core/src/testing/script.ts";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { cannotBrowse, openPage, startBrowser } from "./page-browser.ts";
import { composer, say, whenConnected } from "./page-walk.ts";

const agentFile = fileURLToPath(new URL("../../packages/core/src/testing/fake-agent.mjs", import.meta.url));
const requestedSchema = {
  type: "object",
  properties: {
    colour: { type: "string", title: "Colour", enum: ["red", "blue"] },
    count: { type: "integer", title: "How many" },
  },
  required: ["colour"],
};
const script: Script = {
  prompts: {
    go: [
      ask("form", "elicitation/create", { mode: "form", message: "How to paint it?", requestedSchema }),
      answer("It is painted."),
    ],
  },
};

describe.skipIf(cannotBrowse)(
  `[Z11] a question in the inbox${cannotBrowse === undefined ? "" : ` (skipped: ${cannotBrowse})`}`,
  () => {
    let host: RealHost;
    let browser: Browser;
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-form-"));
    const recordFile = path.join(folder, "painter.ndjson");

    beforeAll(async () => {
      const scriptFile = path.join(folder, "script.json");
      writeFileSync(scriptFile, JSON.stringify([script]));
      const env = { FAKE_AGENT_SCRIPT: scriptFile, FAKE_AGENT_RECORD: recordFile };
      const painter = { command: process.execPath, args: [agentFile], env, label: "Painter" };
      [host, browser] = await Promise.all([
        startRealHost({ config: { agents: { painter } } }),
        startBrowser(),
      ]);
    });
    afterAll(async () => {
      await browser?.close();
      await host?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it("[Z11] is a form there, and its answer reaches the agent", async () => {
      const { page, faults } = await openPage(browser, `${host.url}/?tkn=${host.token}`);
      await whenConnected(page);
      await page.getByRole("button", { name: "New session" }).click();
      await page.getByRole("radio", { name: /Painter/ }).check();
      await page.getByLabel("Folder").fill(host.project);
      await page.getByRole("button", { name: "Open session" }).click();
      await composer(page).waitFor();
      const address = page.url();
      await say(page, "go");

      await page.getByRole("link", { name: "Inbox 1" }).click();
      const form = page.getByRole("form", { name: "A question of the agent" });
      await form.getByText("How to paint it?").waitFor();
      await form.getByLabel("Colour").selectOption("blue");
      await form.getByLabel("How many").fill("3");
      await form.getByRole("button", { name: "Answer" }).click();
      await page.getByText("Nothing waits for you.").waitFor();

      await page.goto(address);
      await page.getByText("It is painted.").waitFor();
      expect(await new AgentRecord(recordFile).result("form")).toMatchObject({
        action: "accept",
        content: { colour: "blue", count: 3 },
      });
      expect(faults).toEqual([]);
    });
  },
);
