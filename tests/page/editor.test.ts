// An editor and a page on one session: what the editor is asked, the page answers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { overWebSocket } from "../acp/sdk-editor.ts";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, sharePage } from "./page-test.ts";
import { allow, terminals, whenConnected } from "./page-walk.ts";

describePage("an editor that speaks ACP, beside a page", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[B3] has its permission request answered on the page", async () => {
    const editor = overWebSocket(host, "?agent=shell");
    await editor.initialize();
    const { sessionId } = await editor.newSession(host.project);
    const turn = editor.prompt(sessionId, "echo asked in the editor");
    const { signal } = await editor.permission();
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page
      .getByRole("link", { name: /asked in the editor/ })
      .first()
      .click();
    await allow(page);
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(signal.aborted).toBe(true);
    expect(editor.asked).toHaveLength(1);
    expect(editor.terminalText).toContain("asked in the editor");
    await terminals(page).getByText("exit 0").waitFor();
  });

  it("[B37] has the commands that it runs itself marked on the page", async () => {
    const editor = overWebSocket(host, "?agent=shell&clientTerminal=true");
    await editor.initialize(false, undefined, { terminal: true });
    const { sessionId } = await editor.newSession(host.project);
    const turn = editor.prompt(sessionId, "echo run in the editor");
    await editor.permission();
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await page
      .getByRole("link", { name: /run in the editor/ })
      .first()
      .click();
    await page
      .getByText(/Isolation: not isolated, in the editor sdk-editor/)
      .first()
      .waitFor();
    await allow(page);
    await turn;
    await page
      .getByText(/not isolated, in the editor sdk-editor/)
      .first()
      .waitFor();
    expect(editor.terminals.created).toHaveLength(1);
  });
});
