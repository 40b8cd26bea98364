// Expensive output on the largest terminal in a tile: the page answers meanwhile.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { forgetTasks, longestTaskMs } from "./page-browser.ts";
import { describePage, sharePage } from "./page-test.ts";
import { terminals, whenConnected } from "./page-walk.ts";

/** Drawing half a million cells into a document takes most of it. */
const mostTaskMs = process.env["HOLDFAST_LONG"] === undefined ? 3000 : 1000;

/** Fills its screen, writes a sequence again and again, then says that it is done and stays. */
const program = String.raw`
const [sequence, size] = process.argv.slice(1);
process.stdout.write("x".repeat(500 * 1000));
process.stdout.write(sequence.repeat(Math.floor(size / sequence.length)));
process.stdout.write("\x1bc\x1b[Hthe-end-" + 2 * size);
setInterval(() => {}, 1000);
`;

describePage("[Z400] expensive output", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  it.each([
    ["scrolls by a huge count", "\u001B[2147483647S", 130],
    ["repeats by a huge count", "a\u001B[2147483647b", 1400],
    ["scrolls by a screen", "\u001B[500S", 600],
  ])(
    "[Z400] of a program that %s leaves the page responsive",
    { timeout: 90_000 },
    async (name, sequence, size) => {
      const { page, faults } = await sharePage(`${host.url}/?tkn=${host.token}#/terminals`);
      await whenConnected(page);
      await forgetTasks(page);
      const response = await fetch(`${host.url}/sdk/acp/terminals`, {
        method: "POST",
        headers: { authorization: `Bearer ${host.token}`, "content-type": "application/json" },
        body: JSON.stringify({
          command: process.execPath,
          args: ["-e", program, sequence, String(size)],
          cwd: "/",
          kind: "tty",
          cols: 1000,
          rows: 500,
        }),
      });
      expect(await response.json()).toMatchObject({ terminal: { size: { cols: 1000, rows: 500 } } });
      await terminals(page)
        .getByText(`the-end-${2 * size}`)
        .waitFor({ timeout: 60_000 });
      const taskMs = await longestTaskMs(page);
      console.log(`${name}: longest task ${Math.round(taskMs)} ms`);
      expect(taskMs).toBeLessThan(mostTaskMs);
      expect(faults).toEqual([]);
      // The next one would be drawn beside it.
      await terminals(page).getByRole("button", { name: "Stop" }).click();
      await terminals(page).getByRole("button", { name: "Remove" }).click();
      await terminals(page).waitFor({ state: "detached" });
    },
  );
});
