// Cancelling: whatever a turn is doing, it stops, ends what it started and says so at once.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDeferred } from "../testing/deferred.ts";
import { isAlive, makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
/** Besides the kill itself. */
const PROMPTLY_MS = 100;
/** A busy machine may be late once; being late each time is a fault. */
const TRIES = 5;
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  client.permission = () => ({ outcome: "selected", optionId: "run-it" });
  sessionId = await client.open(folder);
  await client.until(() => client.of(sessionId).length > 0);
  client.log.length = 0;
});

function cancel(): void {
  client.connection.notify("session/cancel", { sessionId });
}

describe("session/cancel", () => {
  it("[S10] kills the running command, ends the tool call, skips the rest, releases the terminal", async () => {
    const turn = client.prompt(sessionId, "echo $$ > pid; exec sleep 600\necho never");
    await client.until(() => client.log.includes("terminal/wait_for_exit"));
    const pid = await readPid(join(folder, "pid"));
    cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(isAlive(pid)).toBe(false);
    expect(client.calls(sessionId)).toMatchObject([
      {
        status: "failed",
        rawOutput: { exitCode: null, signal: expect.stringMatching(/^SIG(TERM|HUP)$/) as unknown },
      },
    ]);
    expect(client.log.slice(client.log.indexOf("terminal/kill"))).toEqual([
      "terminal/kill",
      "terminal/output",
      "tool_call_update failed",
      "terminal/release",
    ]);
  });

  it("[S10] does not wait for the answer to a question", async () => {
    const { promise, resolve } = createDeferred<{ outcome: "cancelled" }>();
    client.permission = () => promise;
    const turn = client.prompt(sessionId, "echo hi");
    await client.until(() => client.log.includes("session/request_permission"));
    cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    resolve({ outcome: "cancelled" });
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.process.sent.findLast((message) => message.method === "$/cancel_request")).toBeDefined();
  });

  it("[S10] ends /sleep, /ask and /flood", async () => {
    client.elicitation = () => new Promise(() => undefined);
    for (const [text, sign] of [
      ["/sleep 600", "agent_thought_chunk"],
      ["/ask who", "elicitation/create"],
      ["/flood 10000000 100", "agent_message_chunk"],
    ] as const) {
      client.log.length = 0;
      const turn = client.prompt(sessionId, text);
      await client.until(() => client.log.includes(sign));
      cancel();
      expect(await turn).toEqual({ stopReason: "cancelled" });
    }
  });

  it.each(["/sleep 600", "sleep 600"])(
    "[S10] is answered within 100 ms, besides the kill: %s",
    async (text) => {
      let since = 0;
      client.replies["terminal/kill"] = async (params) => {
        const result = await client.terminals.killTerminal(params);
        since = performance.now();
        return result;
      };
      const delaysMs: number[] = [];
      while (delaysMs.length < TRIES) {
        client.log.length = 0;
        const turn = client.prompt(sessionId, text);
        const sign = text.startsWith("/") ? "agent_thought_chunk" : "terminal/wait_for_exit";
        await client.until(() => client.log.includes(sign));
        since = performance.now();
        cancel();
        await turn;
        delaysMs.push(performance.now() - since);
      }
      delete client.replies["terminal/kill"];
      expect(Math.min(...delaysMs)).toBeLessThan(PROMPTLY_MS);
    },
  );

  it("[S10] gives back a terminal that comes after the cancel", async () => {
    const { promise, resolve } = createDeferred<void>();
    client.replies["terminal/create"] = async (params) => {
      await promise;
      return client.terminals.createTerminal({ ...params, _meta: {} });
    };
    const turn = client.prompt(sessionId, "sleep 600");
    await client.until(() => client.log.includes("terminal/create"));
    cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    resolve();
    await client.until(() => client.log.includes("terminal/release"));
    delete client.replies["terminal/create"];
    expect(client.log).not.toContain("terminal/wait_for_exit");
  });

  it("[S10] of a session without a turn, or of none, changes nothing", async () => {
    cancel();
    client.connection.notify("session/cancel", { sessionId: "nobody" });
    expect(await client.prompt(sessionId, "/help")).toEqual({ stopReason: "end_turn" });
  });

  it("[S10] leaves the session ready for the next turn, and other sessions alone", async () => {
    const other = await client.open(folder);
    const otherTurn = client.prompt(other, "/sleep 0.2");
    const turn = client.prompt(sessionId, "/sleep 600");
    cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(await client.prompt(sessionId, "echo again")).toEqual({ stopReason: "end_turn" });
    expect(await otherTurn).toEqual({ stopReason: "end_turn" });
  });
});

describe("other ways to end a turn", () => {
  it("[S10] $/cancel_request of the prompt is a cancel", async () => {
    const controller = new AbortController();
    const params = { sessionId, prompt: [{ type: "text", text: "sleep 600" }] };
    const options = { signal: controller.signal, whenAborted: "keep-waiting" } as const;
    const turn = client.connection.request("session/prompt", params, options);
    await client.until(() => client.log.includes("terminal/wait_for_exit"));
    controller.abort();
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(client.log).toContain("terminal/release");
  });

  it("[S20] closing the session cancels its turn first", async () => {
    const turn = client.prompt(sessionId, "sleep 600");
    await client.until(() => client.log.includes("terminal/wait_for_exit"));
    const order: string[] = [];
    await Promise.all([
      turn.then(({ stopReason }) => order.push(stopReason)),
      client.connection.request("session/close", { sessionId }).then(() => order.push("closed")),
    ]);
    expect(order).toEqual(["cancelled", "closed"]);
  });

  it("[S10] a second prompt while one runs is refused", async () => {
    const turn = client.prompt(sessionId, "/sleep 600");
    await expect(client.prompt(sessionId, "echo hi")).rejects.toMatchObject({ code: -32600 });
    cancel();
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });
});

async function readPid(path: string): Promise<number> {
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (/^\d+\n$/.test(text)) return Number(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
