// A policy of the ACP adapter: rules before hooks, on real commands.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { allowCommands, blockCommands } from "../policy/index.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { AcpTerminals, type AcpTerminalsOptions } from "./acp-terminals.ts";
import type { TerminalEvent } from "./terminal-event.ts";

guardLeaks();
const open: AcpTerminals[] = [];
const folder = realpathSync(mkdtempSync(join(tmpdir(), "acp-policy-")));
afterEach(async () => {
  await Promise.all(open.splice(0).map((terminals) => terminals.close()));
});
afterAll(() => rmSync(folder, { recursive: true }));

function serve(options: AcpTerminalsOptions): AcpTerminals {
  const terminals = new AcpTerminals({ environment: process.env, cwd: folder, ...options });
  open.push(terminals);
  return terminals;
}

async function run(terminals: AcpTerminals, command: string, more: object = {}): Promise<void> {
  await terminals.createTerminal({ sessionId: "session", command, ...more });
}

describe("a policy", () => {
  it("[T693] denies, asks and allows by rules, with the environment, before validate", async () => {
    const events: TerminalEvent[] = [];
    const asked: string[] = [];
    const terminals = serve({
      policy: [
        { source: "mine", rules: [{ id: "echo", effect: "allow", command: "echo **" }], otherwise: "ask" },
        blockCommands(["rm -rf /"]),
      ],
      ask: async ({ command, env }) => {
        asked.push(`${command} ${Object.keys(env).join()}`);
        return command === "true";
      },
      onEvent: (event) => events.push(event),
    });
    await run(terminals, "echo a && echo b");
    await run(terminals, "true", { env: [{ name: "WORD", value: "x" }] });
    await expect(run(terminals, "echo a; rm -rf /")).rejects.toMatchObject({ code: "denied" });
    await expect(run(terminals, "false")).rejects.toMatchObject({ code: "denied" });
    expect(asked).toEqual(["true WORD", "false "]);
    expect(events.filter(({ type }) => type === "created" || type === "refused")).toMatchObject([
      { type: "created", rule: { id: "echo", source: "mine" }, env: {} },
      { type: "created", env: { WORD: "x" } },
      { type: "refused", code: "denied", rule: { id: "rm -rf /" } },
      { type: "refused", code: "denied" },
    ]);
  });

  it("[T693] a program whose name looks like a line is decided as a program", async () => {
    mkdirSync(join(folder, "echo d"), { recursive: true });
    symlinkSync("/bin/true", join(folder, "echo d/x"));
    const terminals = serve({ policy: allowCommands(["echo"]) });
    await expect(run(terminals, "echo d/x")).rejects.toMatchObject({ code: "denied" });
  });
});
