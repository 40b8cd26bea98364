// Terminals over HTTP, and the source of their stream.
import type { TerminalReading } from "@holdfast/core";
import { type OperationName, OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it, vi } from "vitest";
import { ApiClient } from "../testing/api-client.ts";
import { serve, type Serving } from "../testing/serving.ts";
import type { FakeTerminal } from "../testing/fake-terminal.ts";
import { TerminalEventSource } from "./terminal.ts";

interface WithTerminal extends Serving {
  readonly key: string;
  readonly terminal: FakeTerminal;
  readonly path: string;
}

async function serveTerminal(keepBytes?: number): Promise<WithTerminal> {
  const serving = await serve();
  const key = await serving.client.createSession();
  const terminal = serving.host.openTerminal(key, keepBytes);
  return { ...serving, key, terminal, path: `/sdk/acp/terminals/${encodeURIComponent(terminal.id)}` };
}

function expectContract(name: OperationName, body: unknown): void {
  expect(OPERATIONS[name].response.safeParse(body).error).toBeUndefined();
}

const notFound = { status: 404, body: { success: false, code: "TERMINAL_NOT_FOUND" } };

describe("[A52] terminals", () => {
  it("[A52] are listed while they run, and of one session also when they are finished", async () => {
    const { client, host, key, terminal } = await serveTerminal();
    const other = host.openTerminal(await client.createSession());
    terminal.print("hello");
    terminal.finish({ kind: "code", exitCode: 3 });
    const all = await client.send("GET", "/sdk/acp/terminals");
    expectContract("listTerminals", all.body);
    expect(all.body["terminals"]).toMatchObject([{ id: other.id, lifecycle: { status: "running" } }]);
    const own = await client.send("GET", `/sdk/acp/terminals?session=${encodeURIComponent(key)}`);
    expectContract("listTerminals", own.body);
    expect(own.body["terminals"]).toMatchObject([
      {
        id: terminal.id,
        session_key: key,
        lifecycle: { status: "exited", exit: { kind: "code", exitCode: 3 } },
        output: { endOffset: 5, skippedBytes: 0 },
      },
    ]);
    expect(await client.send("GET", "/sdk/acp/terminals?session=none")).toMatchObject({
      status: 404,
      body: { code: "ACP_SESSION_NOT_FOUND" },
    });
  });

  it("[A52] are read as text, the newest of it up to a limit", async () => {
    const { client, terminal, path } = await serveTerminal();
    terminal.print("one\ntwo\n");
    const whole = await client.send("GET", `${path}/output`);
    expectContract("readTerminal", whole.body);
    expect(whole.body["output"]).toMatchObject({ text: "one\ntwo\n", truncated: false, endOffset: 8 });
    expect((await client.send("GET", `${path}/output?limitBytes=4`)).body["output"]).toMatchObject({
      text: "two\n",
      truncated: true,
    });
    expect((await client.send("GET", `${path}/output?limitBytes=-1`)).status).toBe(400);
    expect(await client.send("GET", "/sdk/acp/terminals/none/output")).toMatchObject(notFound);
  });
});

/** The bytes of all output among some frames; their offsets must follow one another. */
function joinOutput(
  frames: readonly { event: string; id: string | undefined; data: object }[],
  start: number,
): Buffer {
  let offset = start;
  const pieces: Buffer[] = [];
  for (const { event, id, data } of frames) {
    expect(OPERATIONS.streamTerminal.response.safeParse({ type: event, data }).error).toBeUndefined();
    if (event !== "output") continue;
    const output = data as { offset: number; bytes: string };
    const bytes = Buffer.from(output.bytes, "base64");
    expect(output.offset).toBe(offset);
    offset += bytes.length;
    expect(id).toBe(String(offset));
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

const allBytes = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));

describe("[A53] a terminal's stream", () => {
  it("[A53] gives every byte from the first that is kept, then what happens, then its end", async () => {
    const { client, terminal, path } = await serveTerminal();
    terminal.print(allBytes.subarray(0, 60_000));
    const stream = await client.open("GET", `${path}/stream`);
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const first = await stream.next();
    terminal.print(allBytes.subarray(60_000));
    await client.send("POST", `${path}/resize`, { body: { cols: 1000, rows: 50 } });
    terminal.finish({ kind: "code", exitCode: 0 });
    const frames = [first ?? expect.fail(), ...(await stream.rest())];
    expect(joinOutput(frames, 0).equals(allBytes)).toBe(true);
    expect(frames.filter(({ event }) => event !== "output")).toEqual([
      { event: "resized", id: undefined, data: { cols: 200, rows: 50 } },
      {
        event: "exited",
        id: undefined,
        data: { exit: { kind: "code", exitCode: 0 }, endOffset: allBytes.length },
      },
      { event: "close", id: undefined, data: { success: true } },
    ]);
    expect(terminal.feeds.size).toBe(0);
  });

  it("[A53] is resumed at any offset, by the query or by the header, which wins", async () => {
    const { client, terminal, path } = await serveTerminal();
    terminal.print(allBytes);
    terminal.finish({ kind: "code", exitCode: 0 });
    for (const offset of [0, 1, 8191, 8192, 50_001, allBytes.length]) {
      const byQuery = await client.open("GET", `${path}/stream?after=${offset}`);
      expect(joinOutput(await byQuery.rest(), offset).equals(allBytes.subarray(offset))).toBe(true);
      const headers = { "last-event-id": String(offset) };
      const byHeader = await client.open("GET", `${path}/stream?after=7`, { headers });
      expect(joinOutput(await byHeader.rest(), offset).equals(allBytes.subarray(offset))).toBe(true);
    }
  });

  it("[A53] says which bytes are no longer kept", async () => {
    const { client, terminal, path } = await serveTerminal(1000);
    terminal.print(allBytes.subarray(0, 5000));
    terminal.finish({ kind: "signal", signal: "SIGTERM" });
    const [skipped, ...rest] = await (await client.open("GET", `${path}/stream?after=100`)).rest();
    expect(skipped).toEqual({ event: "skipped", id: "4000", data: { offset: 4000, skippedBytes: 3900 } });
    expect(joinOutput(rest, 4000).equals(allBytes.subarray(4000, 5000))).toBe(true);
  });

  it("[A53] waits for output, is followed by many at once, and forgets those who go", async () => {
    const { client, terminal, path } = await serveTerminal();
    const streams = await Promise.all([1, 2, 3].map(() => client.open("GET", `${path}/stream`)));
    const seen = streams.map((stream) => stream.next());
    terminal.print("a");
    expect(await Promise.all(seen)).toMatchObject(
      [1, 2, 3].map(() => ({ data: { offset: 0, bytes: "YQ==" } })),
    );
    for (const stream of streams) stream.abort();
    await vi.waitFor(() => expect(terminal.feeds.size).toBe(0));
  });

  it("[A53] misses nothing that comes while it looks", async () => {
    const { client, terminal, path } = await serveTerminal();
    const stream = await client.open("GET", `${path}/stream`);
    const frames = stream.rest();
    for (let count = 0; count < 500; count += 1) {
      terminal.print(allBytes.subarray(count * 10, count * 10 + 10));
      if (count % 3 === 0) await Promise.resolve();
      if (count % 50 === 0) await new Promise(setImmediate);
    }
    terminal.finish({ kind: "code", exitCode: 0 });
    expect(joinOutput(await frames, 0).equals(allBytes.subarray(0, 5000))).toBe(true);
  });

  it("[A53] asks for no more than a slow reader takes", async () => {
    const { client, terminal, path } = await serveTerminal(64 * 1024 * 1024);
    terminal.print(Buffer.alloc(32 * 1024 * 1024, "x"));
    const read = vi.spyOn(terminal, "bytesFrom");
    const stream = await client.open("GET", `${path}/stream`);
    await stream.next();
    // It comes to rest once the buffers of the two sockets are full.
    let before = -1;
    while (read.mock.calls.length > before) {
      before = read.mock.calls.length;
      await client.send("GET", "/sdk/ping");
      await new Promise(setImmediate);
    }
    expect(before).toBeLessThan(4096);
    terminal.finish({ kind: "code", exitCode: 0 });
    expect((await stream.rest()).at(-1)).toMatchObject({ event: "close" });
  });

  it("[A53] of a feed that fails ends with an error", async () => {
    const { client, host, path, lines } = await serveTerminal();
    const feed = { next: () => Promise.reject(new Error("the secret of the cellar")), close: () => {} };
    vi.spyOn(host.terminals, "follow").mockResolvedValue(feed);
    const frames = await (await client.open("GET", `${path}/stream`)).rest();
    expect(frames).toMatchObject([
      { event: "error", data: { code: "INTERNAL" } },
      { event: "close", data: { success: false } },
    ]);
    expect(lines).toHaveLength(1);
  });

  it("[A53] is refused where there is no such terminal or no such offset", async () => {
    const { client, path } = await serveTerminal();
    expect(await client.send("GET", "/sdk/acp/terminals/none/stream")).toMatchObject(notFound);
    expect((await client.send("GET", `${path}/stream?after=99`)).status).toBe(400);
    expect((await client.send("GET", `${path}/stream?after=x`)).status).toBe(400);
  });
});

describe("[A90] a command in a new terminal", () => {
  it("[A90] is run as it was asked for, for the owner and admin keys alone", async () => {
    const { client, server, host } = await serve();
    const command = { command: "make", args: ["-j"], cwd: "/", env: { A: "b" }, kind: "text", name: "build" };
    const body = { ...command, input: true, paced: true };
    const made = await client.send("POST", "/sdk/acp/terminals", { body });
    expectContract("createTerminal", made.body);
    expect(made.body["terminal"]).toMatchObject({ id: "terminal/1" });
    expect(host.commands).toEqual([{ ...command, size: {}, hasInput: true, isPaced: true }]);
    const statuses = await Promise.all(
      (["terminal", "acp.agent", "admin"] as const).map(async (scope) => {
        const { body: key } = await client.send("POST", "/admin/keys", {
          body: { name: "k", scopes: [scope] },
        });
        const other = new ApiClient(server.url, String(key["secret"]));
        return (await other.send("POST", "/sdk/acp/terminals", { body })).status;
      }),
    );
    expect(statuses).toEqual([403, 403, 200]);
    for (const wrong of [{}, { command: "", kind: "tty" }, { command: "ls", kind: "stdio" }]) {
      expect((await client.send("POST", "/sdk/acp/terminals", { body: wrong })).status).toBe(400);
    }
  });

  it("[A91] gets input by its offset, and is followed at its reader's pace on request", async () => {
    const { client, host, terminal, path } = await serveTerminal();
    const write = vi.spyOn(host.terminals, "write");
    await client.send("POST", `${path}/input`, { body: { text: "é", offset: 4, end: true } });
    expect(write).toHaveBeenCalledWith(terminal.id, Buffer.from("é"), expect.anything(), {
      offset: 4,
      isLast: true,
    });
    terminal.finish({ kind: "code", exitCode: 0 });
    await (await client.open("GET", `${path}/stream?paced=true`)).rest();
    await (await client.open("GET", `${path}/stream`)).rest();
    expect(host.paces).toEqual([true, false]);
    expect((await client.send("GET", `${path}/stream?paced=maybe`)).status).toBe(400);
  });
});

describe("[A54] what a terminal is given", () => {
  it("[A54] is typed as text or as bytes, as they are", async () => {
    const { client, terminal, path } = await serveTerminal();
    const send = (body: object) => client.send("POST", `${path}/input`, { body });
    expect((await send({ text: "é\r" })).body).toEqual({ success: true });
    expect((await send({ bytes: Buffer.from([0, 255, 3]).toString("base64") })).body).toEqual({
      success: true,
    });
    expect(terminal.inputs.map((input) => [...input])).toEqual([
      [0xc3, 0xa9, 13],
      [0, 255, 3],
    ]);
    expect((await send({ text: "a", bytes: "YQ==" })).status).toBe(400);
    expect((await send({})).status).toBe(400);
  });

  it("[A54] is a size, which is reported with its current value, a holder, and an end", async () => {
    const { client, terminal, path } = await serveTerminal();
    const resized = await client.send("POST", `${path}/resize`, { body: { cols: 500, rows: 40 } });
    expectContract("resizeTerminal", resized.body);
    expect(resized.body).toEqual({ success: true, size: { cols: 200, rows: 40 } });
    const taken = await client.send("POST", `${path}/claim`, { body: { kind: "client" } });
    expectContract("claimTerminal", taken.body);
    expect(taken.body).toMatchObject({ success: true, terminal: { session_key: null } });
    expect((await client.send("POST", `${path}/claim`, { body: { kind: "me" } })).status).toBe(400);
    expect((await client.send("POST", `${path}/kill`)).body).toEqual({ success: true });
    expect(terminal.isRunning).toBe(false);
    for (const action of ["input", "resize", "kill"]) {
      const body = action === "input" ? { text: "a" } : { cols: 1, rows: 1 };
      expect(await client.send("POST", `/sdk/acp/terminals/none/${action}`, { body })).toMatchObject(
        notFound,
      );
    }
  });
});

it("[A53] output that comes while the feed looks and finds nothing is read again", async () => {
  const answers: ((reading: TerminalReading) => void)[] = [];
  const next = (): Promise<TerminalReading> =>
    new Promise((resolve) => {
      answers.push(resolve);
    });
  const wake = vi.fn<() => void>();
  const source = new TerminalEventSource({ next, close: () => {} }, wake);
  expect(source.next()).toBeUndefined();
  // The signal: it comes before the answer that does not know of it.
  expect(source.next()).toBeUndefined();
  answers[0]?.({ kind: "nothing" });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  expect(wake).not.toHaveBeenCalled();
  answers[1]?.({ kind: "output", offset: 7, bytes: Buffer.from("hi") });
  await vi.waitFor(() => expect(wake).toHaveBeenCalledTimes(1));
  expect(source.next()).toBe('id: 9\nevent: output\ndata: {"offset":7,"bytes":"aGk="}\n\n');
  expect(source.next()).toBeUndefined();
  // Without a signal, no read is wasted.
  answers[2]?.({ kind: "nothing" });
  await new Promise(setImmediate);
  expect(answers).toHaveLength(3);
});
