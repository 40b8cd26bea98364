// Output of which the page has only the end.
import { makeId, type SessionUri, terminalUri, type ToolCall } from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { describePage, openPage } from "./page-test.ts";
import { allow, enterSession, say, terminals, whenConnected, whenIdle } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";
import { openTinySession, tinyCall, tinyTurn } from "./tiny-session.ts";

const note = /Showing only the end of [\d.]+ [kM]B of output\./;

describePage("[Z890] output of which only the end is shown", () => {
  let host: TestedHost;
  let tiny: TinyPage;

  beforeAll(async () => {
    [host, tiny] = await Promise.all([startHostInProcess(), startTinyPage()]);
  });
  afterAll(async () => {
    tiny?.close();
    await host?.close();
  });

  /** A session with the output that a removed terminal left. */
  function openLeftBehind(preview: string, skippedBytes: number): SessionUri {
    const toolCall: ToolCall = {
      ...tinyCall,
      toolCallId: makeId("tool call", "one"),
      displayName: "make",
      content: [
        {
          type: "terminal",
          resource: terminalUri(makeId("terminal", "gone")),
          title: "make",
          isPty: false,
          result: { exit: { kind: "code", exitCode: 0 }, preview, skippedBytes },
        },
      ],
      status: "completed",
      confirmed: "not-needed",
      result: { success: true },
    };
    return openTinySession(tiny, { turns: [tinyTurn("make", [{ kind: "toolCall", toolCall }])] });
  }

  it("[Z890] says so after a reload, with Show more and the command that prints the rest", async () => {
    const { page } = await openPage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    await say(page, "seq 1 40000");
    await allow(page);
    await whenIdle(page);
    await page.reload();
    await whenConnected(page);
    const terminal = terminals(page);
    await terminal.getByText(note).waitFor();
    await terminal.getByText(/^holdfast logs [\w-]{8}$/).waitFor();
    await expect.poll(() => terminal.getByRole("button", { name: "Show more" }).count()).toBe(1);
  });

  it("[Z998] a long line of a removed terminal is copied whole, and what is shown is said to be its end", async () => {
    const longLine = `first${"0".repeat(9000)}last`;
    const session = openLeftBehind(longLine, 0);
    const address = `${tiny.url}/#/session/${encodeURIComponent(session)}`;
    const { page } = await openPage(address, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.getByText(/^Showing only the end of 9\.0 kB of output\./).waitFor();
    await page.getByRole("button", { name: "Copy output" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(longLine);
  });

  it("[Z890] says so where the terminal is gone, and shows its end first", async () => {
    const preview = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join("\n");
    const session = openLeftBehind(preview, 2_000_000);
    const { page } = await openPage(`${tiny.url}/#/session/${encodeURIComponent(session)}`);
    await page.getByText("Showing only the end of 2.0 MB of output.").waitFor();
    const output = page.getByLabel("Output of make");
    const isAtEnd = `(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector("[aria-label='Output of make']");
      return scrollHeight - scrollTop - clientHeight < 2;
    })()`;
    await expect.poll(() => page.evaluate<boolean>(isAtEnd)).toBe(true);
    const heightPx = async (): Promise<number> => (await output.boundingBox())?.height ?? 0;
    const foldedPx = await heightPx();
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(heightPx).toBeGreaterThan(foldedPx + 100);
  });
});
