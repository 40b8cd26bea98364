// A flood and a client that does not read: one chunk waits, not a million.
import { setImmediate as nextRound } from "node:timers/promises";
import { PassThrough, Writable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { ShellAgent } from "../agent.ts";

/** Takes one message at a time and says when it is ready for the next. */
class SlowOutput extends Writable {
  readonly taken: string[] = [];
  #onTaken: () => void = () => undefined;
  #done: () => void = () => undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(chunk.toString());
    this.#done = done;
    this.#onTaken();
  }

  /** Lets messages through until one that has this text has been taken, and then takes no more. */
  async takeUntil(text: string): Promise<void> {
    for (;;) {
      if (this.taken.at(-1)?.includes(text) === true) return;
      await new Promise<void>((resolve) => {
        this.#onTaken = resolve;
        this.#done();
      });
    }
  }
}

describe("a flood", () => {
  const input = new PassThrough();
  const output = new SlowOutput();
  const agent = new ShellAgent({
    input,
    output,
    hasTestCommands: true,
    onFault: (error) => expect(error).toBeUndefined(),
  });
  let lastId = 0;
  const ask = (method: string, params: object): void => {
    lastId += 1;
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params })}\n`);
  };
  afterAll(() => agent.close());

  it("[S16] continues only as far as the client reads, and ends when it is cancelled meanwhile", async () => {
    ask("initialize", { protocolVersion: 1 });
    await output.takeUntil("protocolVersion");
    ask("session/new", { cwd: "/", mcpServers: [] });
    await output.takeUntil("available_commands_update");
    const sessionId = /"sessionId":"([^"]+)"/.exec(output.taken.join(""))?.[1];
    ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "/flood 1000000 50" }] });
    await output.takeUntil('"2000 .');
    const count = output.taken.length;
    expect(output.taken.filter((line) => line.includes("agent_message_chunk"))).toHaveLength(2001);
    // The loop goes round often enough for a flood that does not wait to be far ahead.
    for (let round = 0; round < 200; round += 1) await nextRound();
    ask("session/set_mode", { sessionId, modeId: "trust" });
    input.write(`${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } })}\n`);
    await output.takeUntil('"stopReason"');
    const after = output.taken.slice(count);
    expect(after.at(-1)).toContain('"stopReason":"cancelled"');
    expect(after.filter((line) => line.includes("agent_message_chunk")).length).toBeLessThanOrEqual(2);
  });
});
