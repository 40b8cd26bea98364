// The end of an ACP session while its commands are being approved and started.
import { afterEach, describe, expect, it } from "vitest";
import { findByArgument, uniqueSeconds } from "../testing/detector.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { makeAcpTerminals } from "../testing/level.ts";
import type { AcpTerminals, AcpTerminalsOptions } from "./acp-terminals.ts";

guardLeaks();

const sessionId = "session";
const open: AcpTerminals[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((terminals) => terminals.close()));
});

function serve(options: AcpTerminalsOptions = {}): AcpTerminals {
  const terminals = makeAcpTerminals({ environment: process.env, killGraceMs: 1000, ...options });
  open.push(terminals);
  return terminals;
}

describe("closing a session", () => {
  it("[T707] refuses a command that is allowed only afterwards", async () => {
    const seconds = uniqueSeconds();
    let allow = (_isAllowed: boolean): void => {};
    const asked = new Promise<boolean>((resolve) => (allow = resolve));
    const terminals = serve({ validate: () => ({ decision: "ask" }), ask: () => asked });
    const creating = terminals.createTerminal({ sessionId, command: `sleep ${seconds}` });
    await terminals.closeSession(sessionId);
    allow(true);
    await expect(creating).rejects.toMatchObject({ code: "closed" });
    expect(terminals.engine.terminals).toEqual([]);
    expect(findByArgument(seconds)).toEqual([]);
  });

  it.each([0, 1, 3, 10, 30, 100])("[T707] ends a command that is being started (after %i ms)", async (ms) => {
    const terminals = serve();
    const seconds = uniqueSeconds();
    const creating = terminals.createTerminal({ sessionId, command: `sleep ${seconds}` });
    const outcome = creating.catch((error: unknown) => error);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    await terminals.closeSession(sessionId);
    expect(terminals.engine.terminals).toEqual([]);
    const result = await outcome;
    expect(terminals.engine.terminals).toEqual([]);
    expect(findByArgument(seconds)).toEqual([]);
    if ("terminalId" in (result as object)) {
      const id = { sessionId, ...(result as { terminalId: string }) };
      await expect(terminals.terminalOutput(id)).rejects.toMatchObject({ code: "terminal_not_found" });
    } else expect(result).toMatchObject({ code: "closed" });
    // The id can be used again.
    const next = { sessionId, ...(await terminals.createTerminal({ sessionId, command: "echo again" })) };
    await terminals.waitForTerminalExit(next);
    expect((await terminals.terminalOutput(next)).output).toBe("again\n");
  });
});
