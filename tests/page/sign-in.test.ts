// Sign-in on the page: a failed turn offers the agent's own command, which runs in a terminal in its place.
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describePage, openPage } from "./page-test.ts";
import { enterSession, say, whenConnected } from "./page-walk.ts";
import { startScriptedHost, type ScriptedHost } from "./scripted-host.ts";

describePage("[Z300] sign-in", () => {
  let scripted: ScriptedHost;

  beforeAll(async () => {
    const line = 'printf "Code for %s? " "$PWD"; read -r code; echo "$code" > signed-in; echo Welcome';
    const signIn = { command: "/bin/sh", args: ["-c", line] };
    const authMethods = [{ id: "login", name: "Log in", _meta: { "terminal-auth": signIn } }];
    scripted = await startScriptedHost({ authMethods, signInFile: "never" });
  });
  afterAll(async () => {
    await scripted?.close();
  });

  it("[Z300] the button runs the command in the session's folder, and what is typed reaches it", async () => {
    const { host } = scripted;
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "painter", host.project);
    await say(page, "hello");
    const failed = page.getByRole("alert").filter({ hasText: "Painter is not signed in" });
    await failed.getByRole("button", { name: "Sign in" }).click();
    const terminal = failed.getByRole("article", { name: /Terminal:/ });
    await terminal.getByText("held by you").waitFor();
    await terminal.getByText(`Code for ${host.project}?`).waitFor();
    await terminal.locator("textarea:focus").waitFor({ state: "attached" });
    await page.keyboard.type("1234");
    await page.keyboard.press("Enter");
    await terminal.getByText("exit 0").waitFor();
    expect(existsSync(path.join(host.project, "signed-in"))).toBe(true);
  });
});
