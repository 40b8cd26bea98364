// VS Code's workbench in a browser, connected to a host, and the steps of a person in it.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Browser, Locator, Page } from "playwright-core";
import { vi } from "vitest";
import { freePort, type RealHost } from "../host/real-host.ts";
import { pictureFolder } from "../page/picture.ts";
import { nodeProgram, vsCodeFolder } from "./installation.ts";

/** Settings that a person would choose once. */
const settings = {
  "chat.agentHost.allowSignedOutWhenUsable": true,
  // Rows of text, which a test can read, instead of a canvas.
  "terminal.integrated.gpuAcceleration": "off",
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

/** On a busy machine its 19 MB of script take a minute. */
const timeoutMs = 120_000;

const flags = ["--without-connection-token", "--accept-server-license-terms", "--disable-workspace-trust"];

function formatOption([name, value]: readonly [string, string]): string[] {
  return [`--${name}`, value];
}

/** VS Code's server, which gives its pages the host as their agent host. Close it. */
export class WorkbenchServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(host: RealHost): Promise<WorkbenchServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-vscode-"));
    const user = path.join(folder, "server", "data", "User");
    mkdirSync(user, { recursive: true });
    writeFileSync(path.join(user, "settings.json"), JSON.stringify(settings));
    const port = await freePort();
    const { hostname, port: hostPort } = new URL(host.url);
    const program = path.join(vsCodeFolder, "out/server-main.js");
    const options = {
      host: "127.0.0.1",
      port: String(port),
      "server-data-dir": path.join(folder, "server"),
      "agent-host-bridge-host": hostname,
      "agent-host-bridge-port": hostPort,
      "agent-host-bridge-connection-token": host.token,
    };
    const child = spawn(nodeProgram, [program, ...flags, ...Object.entries(options).flatMap(formatOption)], {
      env: { ...process.env, HOME: folder },
      stdio: "ignore",
      // In a group, which ends with the processes that it starts for extensions.
      detached: true,
    });
    const server = new WorkbenchServer(child, folder, `http://127.0.0.1:${port}`);
    try {
      await vi.waitFor(() => fetch(server.#url), { timeout: timeoutMs, interval: 250 });
      return server;
    } catch (error) {
      server.close();
      throw error;
    }
  }

  /** Opens a folder of this machine, as VS Code reads it itself. */
  openFolder(browser: Browser, folder: string): Promise<Workbench> {
    return Workbench.open(browser, `${this.#url}/?folder=${encodeURIComponent(folder)}`);
  }

  /** Opens a folder through the host. */
  openHostFolder(browser: Browser, folder: string): Promise<Workbench> {
    const file = path.join(this.#folder, "host.code-workspace");
    const folders = [{ uri: `vscode-agent-host://local${folder}`, name: "On the host" }];
    writeFileSync(file, JSON.stringify({ folders }));
    return Workbench.open(browser, `${this.#url}/?workspace=${encodeURIComponent(file)}`);
  }

  close(): void {
    if (this.#child.pid !== undefined && this.#child.exitCode === null) process.kill(-this.#child.pid);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A window of VS Code. */
export class Workbench {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser, url: string): Promise<Workbench> {
    const context = await browser.newContext({
      viewport: { width: 1360, height: 760 },
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    page.setDefaultTimeout(timeoutMs);
    await page.goto(url, { waitUntil: "commit" });
    await page.locator(".monaco-workbench").waitFor();
    await page.locator(".chat-input-container").first().waitFor();
    return new Workbench(page);
  }

  /** Runs a command by its title. */
  async run(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input[type=text]").fill(`>${title}`);
    await this.choose(title);
  }

  /** Chooses an entry of the list that a command has opened. */
  async choose(text: string): Promise<void> {
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  /** Opens the list of agents that a new chat can be given to. */
  async openAgents(): Promise<Locator> {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    await vi.waitFor(
      async () => {
        if ((await rows.count()) === 0) {
          const picker = this.page.locator(".interactive-input-part").getByText(/^(Local|Shell|Chatty)$/);
          await picker.last().click();
          await rows.first().waitFor({ timeout: 5000 });
        }
        if ((await rows.count()) > 2) return;
        // It is made once: agents that come later are in the next one.
        await this.page.keyboard.press("Escape");
        throw new Error("VS Code shows no agents of the host");
      },
      { timeout: timeoutMs, interval: 250 },
    );
    return rows;
  }

  /** Writes into the chat and sends it. */
  async say(text: string): Promise<void> {
    await this.page.locator(".chat-editor-container").first().click();
    const input = this.page.locator(".chat-editor-container .view-lines").first();
    await this.page.keyboard.type(text, { delay: 10 });
    await input.filter({ hasText: new RegExp(`^${escaped(text)}$`) }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** The last response of an agent. */
  get lastResponse(): Locator {
    return this.page.locator(".interactive-response").last();
  }

  /** The rows of the list of sessions. */
  get sessions(): Locator {
    return this.page.locator(".agent-session-item-row");
  }

  /** Takes a picture for the documents, if `HOLDFAST_PICTURES` asks for it. */
  async picture(name: string): Promise<void> {
    if (process.env["HOLDFAST_PICTURES"] === undefined) return;
    await this.page.screenshot({ path: path.join(pictureFolder, `${name}.png`), animations: "disabled" });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** A text as a pattern; editors draw spaces that do not break, which it takes for spaces. */
function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll(" ", String.raw`\s`);
}
