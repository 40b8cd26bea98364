// Steps of a person in the page.
import type { ApprovalPolicy } from "@holdfast/ahp";
import type { Locator, Page } from "playwright-core";

/** The field in which messages are written. */
export function composer(page: Page): Locator {
  return page.getByRole("textbox", { name: "Message", exact: true });
}

/** Waits until the page is connected. */
export async function whenConnected(page: Page): Promise<void> {
  // A phone shows the badge on its home page only.
  const badge = page.locator('[role="status"][aria-label="Connection to the host"]');
  await badge.getByText("Connected", { exact: true }).waitFor({ state: "attached" });
}

/** Chooses an option of a picker; `scope` is the page or a part of it. */
export async function pick(scope: Page | Locator, label: string, option: RegExp | string): Promise<void> {
  await scope.getByRole("button", { name: new RegExp(`^${label}: `) }).click();
  await scope.getByRole("option", { name: option }).click();
}

/** Opens the dialog for a new session, with an agent and a folder. */
export async function fillNewSession(page: Page, agent: RegExp, folder: string): Promise<Locator> {
  await page.getByRole("button", { name: "New session" }).click();
  const dialog = page.getByRole("dialog", { name: "New session" });
  await pick(dialog, "Agent", agent);
  await dialog.getByRole("button", { name: /^Folder: / }).click();
  await dialog.getByRole("combobox", { name: "Path of the folder" }).fill(folder);
  await page.keyboard.press("Enter");
  return dialog;
}

/** Opens a session with the shell by the dialog, in a folder. */
export async function openShellSession(page: Page, folder: string): Promise<void> {
  const dialog = await fillNewSession(page, /Shell/, folder);
  const before = page.url();
  await dialog.getByRole("button", { name: "Open session" }).click();
  // Else the composer could be that of the session before.
  await page.waitForURL(({ href }) => href !== before);
  await nextView(page);
  await composer(page).waitFor();
}

/** Waits until the view of a new address has replaced the one before. */
async function nextView(page: Page): Promise<void> {
  await page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))");
}

/**
 * Opens a session over HTTP, as the page does what a person asks for, and goes to it. The dialog takes as much CPU time
 * as to open the page, so tests go through it where they are about it.
 */
export async function enterSession(
  page: Page,
  agent: string,
  folder: string,
  approvalPolicy: ApprovalPolicy = "ask",
): Promise<void> {
  const wish = JSON.stringify({ agent_id: agent, cwd: folder, approvalPolicy });
  const uri = await page.evaluate<string>(`(async () => {
    const headers = { "content-type": "application/json", "x-holdfast-page": "1" };
    const init = { method: "POST", headers, body: ${JSON.stringify(wish)} };
    const { session } = await (await fetch("/sdk/acp/session", init)).json();
    const { sessions } = await (await fetch("/sdk/acp/sessions", { headers })).json();
    return sessions.find(({ session_key }) => session_key === session.session_key).uri;
  })()`);
  await page.evaluate(`location.hash = "#/session/${encodeURIComponent(uri)}"`);
  await nextView(page);
  await composer(page).waitFor();
}

/** Chooses an action of the session's menu. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** Sends a message by the keyboard. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Allows what is asked for. */
export async function allow(page: Page): Promise<void> {
  await page
    .getByRole("group", { name: /^Permission/ })
    .getByRole("button", { name: "Allow once", exact: true })
    .click();
}

/** The terminals in sight. */
export function terminals(page: Page): Locator {
  return page.getByRole("article", { name: /^Terminal/ });
}

/** Types into the terminal that is held. */
export async function typeInto(terminal: Locator, text: string): Promise<void> {
  await terminal.locator("textarea").focus();
  await terminal.page().keyboard.type(text);
}

/** Waits until no turn runs. */
export async function whenIdle(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}
