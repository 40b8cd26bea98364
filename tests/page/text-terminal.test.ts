// A command without a screen, and a flood in its tile.
import {
  makeId,
  newRootState,
  newTerminalState,
  ROOT_URI,
  summarizeTerminal,
  terminalUri,
} from "@holdfast/ahp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { longestTaskDuring, maxTaskMs } from "./page-browser.ts";
import { describePage, openPage } from "./page-test.ts";
import { terminals, whenConnected } from "./page-walk.ts";
import { startTinyPage, type TinyPage } from "./tiny-page.ts";

const floodMb = 20;

describePage("[Z16] a command without a screen", () => {
  let tiny: TinyPage;
  const uri = terminalUri(makeId("terminal", "build"));
  let offset = 0;

  function write(data: string): void {
    const endOffset = offset + Buffer.byteLength(data);
    tiny.host.dispatch(uri, { type: "terminal/data", data, offset, endOffset });
    offset = endOffset;
  }

  beforeAll(async () => {
    tiny = await startTinyPage();
    const session = makeId("session URI", "ahp-session:/s");
    const chat = makeId("chat URI", "ahp-chat:/c");
    const claim = { kind: "session", session, chat, turnId: makeId("turn", "t") } as const;
    const state = newTerminalState({ resource: uri, run: "text", title: "npm run build", claim });
    tiny.host.open(ROOT_URI, "root", { ...newRootState(), terminals: [summarizeTerminal(state)] });
    tiny.host.open(uri, "terminal", state);
  });
  afterAll(async () => {
    tiny?.close();
  });

  it(
    "[Z12, Z13, Z16] is shown as plain lines, and a flood of them leaves the page responsive",
    { timeout: 60_000 },
    async () => {
      const { page, faults } = await openPage(`${tiny.url}/#/terminals`);
      await whenConnected(page);
      const terminal = terminals(page);
      await terminal.getByText("held by the agent").waitFor();
      expect(await terminal.getByRole("button", { name: "Take over" }).count()).toBe(0);
      write("\u001B[32mcompiling\u001B[0m one\r\n10 %\r99 %");
      await terminal.getByText("compiling one\n99 %").waitFor();
      const line = `${"0123456789".repeat(8)}\n`;
      const taskMs = await longestTaskDuring(page, async (attempt) => {
        for (let sentBytes = 0; sentBytes < floodMb * 1_000_000;) {
          const piece = line.repeat(800);
          write(piece);
          sentBytes += piece.length;
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
        }
        write(`the end ${attempt}\n`);
        await terminal.getByText(`the end ${attempt}`).waitFor();
      });
      const shownChars = (await terminal.getByRole("log").textContent())?.length ?? 0;
      console.log(
        `text flood of ${floodMb} MB: longest task ${Math.round(taskMs)} ms, ${shownChars} characters shown`,
      );
      expect(shownChars).toBeLessThan(100_000);
      expect(taskMs).toBeLessThan(maxTaskMs);
      expect(faults).toEqual([]);
    },
  );
});
