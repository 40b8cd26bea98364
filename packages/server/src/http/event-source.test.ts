// Event streams over real HTTP, and their source pulled by hand where chunks are to be seen.
import { makeId } from "@holdfast/ahp";
import { describe, expect, it, vi } from "vitest";
import { serve } from "../testing/serving.ts";
import { SmallHost } from "../testing/small-host.ts";
import { EventParser, type Frame } from "../testing/event-parser.ts";
import { TurnEventSource } from "./event-source.ts";
import { ReadSignal } from "./read-signal.ts";
import { TurnProjection } from "./turn-projection.ts";
import { TurnReader } from "./turn-reader.ts";

const doneFrames = [
  { event: "done", data: { stopReason: "end_turn" } },
  { event: "close", data: { success: true } },
];

/** A turn on a small host, with its source as the server would make it. */
async function openSource(logLimitBytes?: number) {
  const host = new SmallHost(logLimitBytes);
  const { session_key: key } = await host.createSession({ agent_id: "shell" }, { kind: "owner" });
  const signal = new ReadSignal(60_000);
  const streamed = host.streamTurn(key, { message: "hi" }, { kind: "owner" }, signal.notify);
  const projection = new TurnProjection({ turnId: streamed.turnId, isApprovalOpen: () => false });
  const onClosed = vi.fn<() => void>();
  const report = vi.fn<(error: unknown) => string>(() => "log-1");
  const source = new TurnEventSource({
    reader: new TurnReader(streamed),
    projection,
    signal,
    report,
    onClosed,
  });
  return { host, key, turn: host.lastTurn, source, projection, onClosed, report };
}

function parse(chunk: Uint8Array | undefined): Frame[] {
  return new EventParser().push(new TextDecoder().decode(chunk));
}

describe("[A20] the grammar", () => {
  it("[A20] is what the clients' parsers demand, and close is the last word", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const odd = 'line one\nline two\r\n\u2028\u2029\u0085 "quoted" \u{1F600}';
    host.lastTurn.say(odd);
    host.lastTurn.complete();
    const frames = await stream.rest();
    expect(frames).toMatchObject([
      { event: "text_delta", data: { text: odd, stream: "output" } },
      ...doneFrames,
    ]);
  });

  it("[A20] two turns in a row both stream their text", async () => {
    const { client, host } = await serve();
    const key = await client.createSession();
    for (const text of ["first", "second"]) {
      const stream = await client.stream(key);
      host.lastTurn.say(text);
      host.lastTurn.complete();
      expect(await stream.rest()).toMatchObject([{ event: "text_delta", data: { text } }, ...doneFrames]);
    }
  });

  it("[A20] events arrive while the turn runs, and a permission is answered meanwhile", async () => {
    const { client, host } = await serve();
    const key = await client.createSession();
    const stream = await client.stream(key);
    const { lastTurn: turn } = host;
    const call = { turnId: turn.id, toolCallId: makeId("tool call", "call-1") };
    host.openApprovals.add("approval-1");
    turn.tell({
      ...call,
      type: "chat/toolCallStart",
      toolName: "bash",
      displayName: "echo hi",
      toolKind: "execute",
      contributor: { kind: "agent" },
    });
    turn.tell({
      ...call,
      type: "chat/toolCallReady",
      invocationMessage: "echo hi",
      confirmation: {
        kind: "needed",
        approval: {
          id: makeId("approval", "approval-1"),
          action: "execute",
          target: "echo hi",
          options: [{ id: "go", label: "Go", kind: "allow_once" }],
          requestedAt: "2026-01-02T03:04:05.000Z",
        },
      },
    });
    expect(await stream.next()).toMatchObject({ event: "tool_call", data: { status: "running" } });
    const request = await stream.next();
    expect(request).toMatchObject({ event: "permission_request", data: { requestId: "approval-1" } });
    const answer = { body: { requestId: "approval-1", optionId: "go" } };
    const path = `/sdk/acp/session/${key}/permission`;
    expect((await client.send("POST", path, answer)).body).toEqual({ success: true, resolved: true });
    expect(await stream.next()).toMatchObject({ event: "status", data: { tag: "permission_resolved" } });
    expect((await client.send("POST", path, answer)).body).toMatchObject({ resolved: false });
    await client.send("POST", `/sdk/acp/session/${key}/cancel`);
    expect((await stream.rest()).slice(-2)).toMatchObject([
      { event: "done", data: { stopReason: "cancelled" } },
      { event: "close", data: { success: true } },
    ]);
  });
});

describe("[A21] what is refused", () => {
  it("[A21] is refused in JSON, before a stream begins", async () => {
    const { client } = await serve();
    const key = await client.createSession();
    await client.stream(key);
    const path = `/sdk/acp/session/${key}/chat/stream`;
    expect(await client.send("POST", path, { body: { message: "hi" } })).toMatchObject({
      status: 409,
      body: { success: false, code: "ACP_TURN_ACTIVE" },
    });
    const nowhere = "/sdk/acp/session/none/chat/stream";
    expect((await client.send("POST", nowhere, { body: { message: "hi" } })).status).toBe(404);
  });
});

describe("[A22] a slow reader", () => {
  it("[A22] has nothing made for it until it reads", async () => {
    const { turn, source, projection } = await openSource();
    const project = vi.spyOn(projection, "project");
    const reader = source.toStream().getReader();
    for (let count = 0; count < 1000; count += 1) turn.say("x");
    await new Promise(setImmediate);
    expect(project).not.toHaveBeenCalled();
    expect(parse((await reader.read()).value)).toHaveLength(64);
  });

  it("[A22] does not make the host grow, and is told what it missed", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const { lastTurn: turn } = host;
    const text = "x".repeat(16 * 1024);
    turn.say("begin");
    await stream.next();
    const before = await settledMemory();
    // More than any socket's buffers hold, 256 MiB, and never so much at once that an eager reader would lose it.
    for (let round = 0; round < 1024; round += 1) {
      for (let count = 0; count < 16; count += 1) turn.say(text);
      await new Promise(setImmediate);
    }
    expect((await settledMemory()) - before).toBeLessThan(48 * 1024 * 1024);
    expect((await stream.rest()).slice(-2)).toMatchObject([
      { event: "error", data: { code: "EVENTS_LOST" } },
      { event: "close", data: { success: false } },
    ]);
  });
});

describe("[A23] chunks", () => {
  it("[A23] have 64 events at most", async () => {
    const { turn, source } = await openSource();
    const reader = source.toStream().getReader();
    for (let count = 0; count < 200; count += 1) turn.say("x");
    turn.complete();
    const sizes: number[] = [];
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      sizes.push(parse(value).length);
    }
    expect(sizes).toEqual([64, 64, 64, 10]);
  });

  it("[A23] of a long backlog leave others their turns of the loop", async () => {
    const { turn, source } = await openSource(256 * 1024 * 1024);
    const reader = source.toStream().getReader();
    for (let count = 0; count < 50_000; count += 1) turn.say("x");
    turn.complete();
    let turnsOfLoop = 0;
    const others = setInterval(() => {
      turnsOfLoop += 1;
    }, 0);
    while (!(await reader.read()).done);
    clearInterval(others);
    expect(turnsOfLoop).toBeGreaterThan(3);
  });

  it("[A23] keep up with a flood of hundreds of events in each turn of the loop", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const frames = stream.rest();
    for (let round = 0; round < 100; round += 1) {
      for (let count = 0; count < 500; count += 1) host.lastTurn.say("some words ");
      await new Promise(setImmediate);
    }
    host.lastTurn.complete();
    expect((await frames).slice(-2)).toMatchObject(doneFrames);
  });

  it("[A23] with long texts have fewer", async () => {
    const { turn, source } = await openSource();
    const reader = source.toStream().getReader();
    for (let count = 0; count < 10; count += 1) turn.say("x".repeat(40_000));
    expect(parse((await reader.read()).value)).toHaveLength(2);
  });

  it("[A23] are read as the text comes, in whatever pieces", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const texts = Array.from({ length: 5000 }, (_, index) => `${index} \u{1F600}`);
    for (const text of texts) {
      host.lastTurn.say(text);
      if (Number.parseInt(text, 10) % 700 === 0) await new Promise(setImmediate);
    }
    host.lastTurn.complete();
    const frames = await stream.rest();
    expect(frames.slice(0, -2).map(({ data }) => data["text"])).toEqual(texts);
  });
});

describe("[A24] silence", () => {
  it("[A24] is broken by a comment, again and again, and harms nothing", async () => {
    const { client, host } = await serve({ heartbeatMs: 20 });
    const stream = await client.stream(await client.createSession());
    expect(await stream.comment()).toBe("heartbeat");
    host.lastTurn.say("still here");
    expect(await stream.next()).toMatchObject({ event: "text_delta" });
    const heard = stream.comments.length;
    const next = stream.next();
    await vi.waitFor(() => expect(stream.comments.length).toBeGreaterThan(heard));
    host.lastTurn.complete();
    expect(await next).toMatchObject({ event: "done" });
  });
});

describe("[A25] ids", () => {
  it("[A25] are the host's numbers, on the last frame of what happened", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    host.lastTurn.say("one");
    host.lastTurn.say("two");
    host.lastTurn.complete();
    const last = host.hub.lastSeq;
    expect((await stream.rest()).map(({ event, id }) => [event, id])).toEqual([
      ["text_delta", String(last - 2)],
      ["text_delta", String(last - 1)],
      ["done", undefined],
      ["close", String(last)],
    ]);
  });
});

describe("[A26] what cannot go on", () => {
  it("[A26] a stream that fell off the log ends with an error", async () => {
    const { turn, source, onClosed } = await openSource(4096);
    const reader = source.toStream().getReader();
    for (let count = 0; count < 100; count += 1) turn.say("x".repeat(100));
    expect(parse((await reader.read()).value)).toMatchObject([
      { event: "error", data: { code: "EVENTS_LOST", retryable: false } },
      { event: "close", data: { success: false } },
    ]);
    expect((await reader.read()).done).toBe(true);
    expect(onClosed).toHaveBeenCalledTimes(1);
    expect(turn.isActive).toBe(true);
    expect(turn.isForgotten).toBe(true);
  });

  it("[A26] a session that is closed under it ends it too", async () => {
    const { client, host } = await serve();
    const key = await client.createSession();
    const stream = await client.stream(key);
    host.lastTurn.say("last words");
    await client.send("DELETE", `/sdk/acp/session/${key}`);
    expect(await stream.rest()).toMatchObject([
      { event: "text_delta", data: { text: "last words" } },
      { event: "error", data: { code: "ACP_SESSION_NOT_FOUND" } },
      { event: "close", data: { success: false } },
    ]);
  });

  it("[A26] a fault in the host is told with its id in the log", async () => {
    const { turn, source, projection, report } = await openSource();
    vi.spyOn(projection, "project").mockImplementation(() => {
      throw new Error("the secret of the cellar");
    });
    turn.complete();
    const [error, close] = parse((await source.toStream().getReader().read()).value);
    expect(error).toMatchObject({ event: "error", data: { code: "INTERNAL" } });
    expect(error?.data["message"]).toContain("log-1");
    expect(close).toMatchObject({ event: "close", data: { success: false } });
    expect(report).toHaveBeenCalledTimes(1);
  });
});

describe("[A27] a reader who goes away", () => {
  it("[A27] is forgotten, and its turn goes on", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const { lastTurn: turn } = host;
    turn.say("hello");
    await stream.next();
    stream.abort();
    await vi.waitFor(() => expect(turn.isForgotten).toBe(true));
    expect(turn.isActive).toBe(true);
    turn.say("and on");
    turn.complete();
    expect(turn.isActive).toBe(false);
  });

  it("[A27] is forgotten as well when the turn has ended", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    host.lastTurn.complete();
    await stream.rest();
    expect(host.lastTurn.isForgotten).toBe(true);
  });
});

describe("[A28] chat and session", () => {
  it("[A28] are told in the order in which things happened", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const { lastTurn: turn } = host;
    const order: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      if (count % 3 === 0) turn.tellSession({ type: "session/titleChanged", title: `${count}` });
      else turn.say(`${count}`);
      order.push(`${count}`);
    }
    turn.complete();
    const frames = await stream.rest();
    expect(frames.slice(0, -2).map(({ data }) => data["text"])).toEqual(order);
  });
});

/** Bytes in use once what is garbage is gone. */
async function settledMemory(): Promise<number> {
  const { setFlagsFromString } = await import("node:v8");
  const { runInNewContext } = await import("node:vm");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  await new Promise(setImmediate);
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
