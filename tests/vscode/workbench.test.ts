// VS Code's real workbench as a client of the host: agents, sessions, turns, permissions, terminals and folders.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { cannotBrowse, startBrowser } from "../page/page-browser.ts";
import { openPage } from "../page/picture.ts";
import { vsCodeVersion, whyNoVsCode } from "./installation.ts";
import { type Workbench, WorkbenchServer } from "./workbench.ts";

const reason = whyNoVsCode() ?? cannotBrowse;
const suffix = reason === undefined ? "" : ` (skipped: ${reason})`;

const chatty = {
  label: "Chatty",
  command: process.execPath,
  args: [fileURLToPath(new URL("../fixtures/chatty-agent.mjs", import.meta.url))],
};

/** The answer to an administrator's question. */
async function ask<Answer>(host: RealHost, at: string): Promise<Answer> {
  const response = await fetch(`${host.url}${at}`, { headers: { "x-api-key": host.token } });
  return (await response.json()) as Answer;
}

describe.skipIf(reason)(`VS Code ${vsCodeVersion}${suffix}`, () => {
  let host: RealHost;
  let server: WorkbenchServer;
  let browser: Browser;
  let workbench: Workbench;
  let sdk: Holdfast;

  beforeAll(async () => {
    host = await startRealHost({ config: { agents: { chatty } } });
    sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    mkdirSync(path.join(host.project, "garden"));
    writeFileSync(path.join(host.project, "garden", "roses.txt"), "Water the roses.\n");
    const wish = {
      agent_id: "chatty",
      cwd: host.project,
      label: "Made by an app",
      approvalPolicy: "approve-all" as const,
    };
    const { session_key } = await sdk.acpAgent.createSession(wish);
    await sdk.acpAgent.chat(session_key, "What is 2+2?");
    server = await WorkbenchServer.start(host);
    browser = await startBrowser({ isWhole: true });
    workbench = await server.openFolder(browser, host.project);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    const picture = path.join(tmpdir(), "holdfast-vscode-failed.png");
    await workbench.page.screenshot({ path: picture });
    process.stderr.write(`What VS Code showed: ${picture}\n`);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await host?.close();
  });

  it("[E803] connects in AHP 0.9 and stays connected", async () => {
    const clients = async (): Promise<unknown> =>
      (await ask<{ clients: unknown[] }>(host, "/admin/clients")).clients;
    await expect
      .poll(clients)
      .toMatchObject([{ name: "vscode-editor-window", title: "VS Code", dialect: "0.9" }]);
  });

  it("[E803] offers every agent, also one without models", async () => {
    const rows = await workbench.openAgents();
    await workbench.picture("vscode-agents");
    const texts = (await rows.allInnerTexts()).map((text) => text.trim());
    expect(texts).toContain("Shell");
    expect(texts).toContain("Chatty");
    expect(texts.join("\n")).not.toContain("No models available");
    await rows.filter({ hasText: "Shell" }).click();
    await workbench.page.getByText("Delegate to @agent-host-shell").waitFor();
  });

  it("[E803] lists the session of an app, opens it with its history, and continues it", async () => {
    await workbench.run("Show Agent Sessions Sidebar");
    const row = workbench.sessions.filter({ hasText: "Made by an app" });
    await row.click();
    const response = (): Promise<string> => workbench.lastResponse.innerText();
    await expect.poll(response).toContain("4");
    await workbench.say("Explain more");
    await expect.poll(response).toMatch(/Turn 2 with \S+: Explain more/);
    await workbench.picture("vscode-sessions");
    const sessions = await sdk.acpAgent.listSessions();
    expect(sessions.map(({ label }) => label)).toContain("Made by an app");
  });

  it("[E803] answers a permission request, which the page shows until then", async () => {
    await workbench.page.getByRole("button", { name: "New Session" }).click();
    const rows = await workbench.openAgents();
    await rows.filter({ hasText: "Shell" }).click();
    await workbench.page.getByText("Delegate to @agent-host-shell").waitFor();
    await workbench.say("touch watered");
    const allow = workbench.page.getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    await workbench.picture("vscode-permission");
    const page = await openPage(browser, host, { viewport: { width: 1000, height: 700 } });
    const pending = page.getByRole("button", { name: "Allow once", exact: true });
    const approvals = (): Promise<unknown[]> => sdk.approvals.list();
    expect(await approvals()).toHaveLength(1);
    await page.getByText("touch watered").first().click();
    await pending.waitFor();
    expect(existsSync(path.join(host.project, "watered"))).toBe(false);
    await allow.click();
    await pending.waitFor({ state: "detached" });
    expect(await approvals()).toEqual([]);
    await expect.poll(() => existsSync(path.join(host.project, "watered"))).toBe(true);
    await page.context().close();
  });

  it("[E803] opens a terminal of the host and types into it", async () => {
    await workbench.run("Create New Terminal (With Profile)");
    await workbench.choose("Agent Host (Local)");
    type Listed = { terminals: { title: string; state: string }[] };
    const terminals = async (): Promise<Listed["terminals"]> =>
      (await ask<Listed>(host, "/sdk/acp/terminals")).terminals;
    await expect.poll(terminals).toContainEqual(expect.objectContaining({ title: "Agent Host (Local)" }));
    await workbench.run("Terminal: Focus Terminal");
    const screen = workbench.page.locator(".terminal-wrapper.active .xterm-screen, .xterm-screen").first();
    await screen.click();
    const file = path.join(host.project, "typed");
    await workbench.page.keyboard.type(`echo $((40 + 2)) > ${file}; ls ${host.project}`, { delay: 10 });
    await workbench.page.keyboard.press("Enter");
    await expect.poll(() => existsSync(file)).toBe(true);
    const rows = workbench.page.locator(".xterm-rows").first();
    await expect.poll(() => rows.innerText()).toMatch(/^garden/m);
    await workbench.picture("vscode-terminal");
  });

  it("[E803] browses a folder through the host", async () => {
    const other = await server.openHostFolder(browser, host.project);
    const entry = (name: string): ReturnType<typeof other.page.locator> =>
      other.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: name });
    // The window opens its folders before it connects to the host.
    await expect
      .poll(async () => {
        if ((await entry("garden").count()) === 0) await other.run("Refresh Explorer");
        return entry("garden").count();
      })
      .toBe(1);
    await entry("garden").click();
    await entry("roses.txt").dblclick();
    await other.page.getByText("Water the roses.").waitFor();
    await other.picture("vscode-folder");
    await other.close();
  });
});
