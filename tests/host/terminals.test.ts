// Terminals over the app API of a real host: seen, read, followed and typed into, also after a restart.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Holdfast, type TerminalEvent } from "@holdfast/sdk";
import { startRealHost, type RealHost } from "./real-host.ts";

let host: RealHost;
let sdk: Holdfast;

beforeAll(async () => {
  host = await startRealHost();
  sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
});
afterAll(() => host.close());

async function openShell(): Promise<string> {
  const wish = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" as const };
  return (await sdk.acpAgent.createSession(wish)).session_key;
}

async function untilThere<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

function textOf(events: readonly TerminalEvent[]): string {
  return events
    .map((event) => (event.type === "output" ? Buffer.from(event.data.bytes).toString("utf8") : ""))
    .join("");
}

describe("[R9] terminals over the app API", () => {
  it("[R9] a running one is listed, followed, taken over, typed into, given back and ended", async () => {
    const key = await openShell();
    const turn = sdk.acpAgent.chat(key, "read word; echo got $word; sleep 60");
    const terminal = await untilThere(async () => {
      const listed = await sdk.terminals.list({ sessionKey: key });
      return listed.find(({ lifecycle }) => lifecycle.status === "running");
    });
    expect(terminal).toMatchObject({ session_key: key, run: "tty", cwd: host.project });
    expect((await sdk.terminals.list()).map(({ id }) => id)).toContain(terminal.id);
    const events: TerminalEvent[] = [];
    const following = (async () => {
      for await (const event of sdk.terminals.stream(terminal.id)) events.push(event);
    })();
    const notHeld = { code: "TERMINAL_NOT_HELD", status: 409 };
    await expect(sdk.terminals.input(terminal.id, "hello\n")).rejects.toMatchObject(notHeld);
    await expect(sdk.terminals.resize(terminal.id, { cols: 9, rows: 9 })).rejects.toMatchObject(notHeld);
    expect(await sdk.terminals.claim(terminal.id)).toMatchObject({ id: terminal.id, session_key: null });
    await sdk.terminals.resize(terminal.id, { cols: 100, rows: 40 });
    await sdk.terminals.input(terminal.id, "hello\n");
    expect(await sdk.terminals.giveBack(terminal.id)).toMatchObject({ session_key: key });
    await expect(sdk.terminals.input(terminal.id, "more\n")).rejects.toMatchObject(notHeld);
    await untilThere(async () => (textOf(events).includes("got hello") ? true : undefined));
    expect(await sdk.terminals.output(terminal.id)).toMatchObject({
      text: expect.stringContaining("got hello"),
      truncated: false,
      lifecycle: { status: "running" },
    });
    await sdk.terminals.kill(terminal.id);
    await following;
    expect(events).toContainEqual({ type: "resized", data: { cols: 100, rows: 40 } });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["exited", "close"]);
    await turn;
    await expect(sdk.terminals.input(terminal.id, "late")).rejects.toMatchObject({ code: "TERMINAL_EXITED" });
  });

  it("[R9] what a finished one wrote is there after the host was killed, byte for byte", async () => {
    const key = await openShell();
    await sdk.acpAgent.chat(key, "seq 1 50000");
    const [terminal] = await sdk.terminals.list({ sessionKey: key });
    const read = async (after?: number): Promise<TerminalEvent[]> => {
      const events: TerminalEvent[] = [];
      for await (const event of sdk.terminals.stream(
        terminal?.id ?? "",
        after === undefined ? {} : { after },
      )) {
        events.push(event);
      }
      return events;
    };
    const before = await read();
    const wanted = Array.from({ length: 50_000 }, (_, index) => `${index + 1}\r\n`).join("");
    expect(textOf(before)).toBe(wanted);
    host = await host.restart();
    sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
    const after = await read();
    expect(textOf(after)).toBe(wanted);
    expect(after.at(-2)).toMatchObject({ type: "exited", data: { exit: { kind: "code", exitCode: 0 } } });
    expect(textOf(await read(wanted.length - 5))).toBe(wanted.slice(-5));
    expect(await sdk.terminals.list({ sessionKey: key })).toMatchObject([
      { id: terminal?.id, lifecycle: { status: "exited" }, output: { endOffset: wanted.length } },
    ]);
    expect((await sdk.terminals.output(terminal?.id ?? "")).text).toContain("50000");
    await sdk.acpAgent.closeSession(key);
  });
});
