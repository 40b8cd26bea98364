// Event streams over real HTTP, and their source read by hand where single chunks matter.
import { describe, expect, it, vi } from "vitest";
import { EventParser, type Frame } from "../testing/api-client.ts";
import { serve } from "../testing/serving.ts";
import { FakeHost } from "../testing/fake-host.ts";
import type { Chunk } from "./event-stream.ts";
import { TurnProjection } from "./turn-projection.ts";
import { SharedChunks, TurnEventSource } from "./turn-source.ts";

const doneFrames = [
  { event: "done", data: { stopReason: "end_turn" } },
  { event: "close", data: { success: true } },
];

/** A turn on a fake host, with its source as the server would make it. */
async function openSource(logLimitBytes?: number) {
  const host = new FakeHost(logLimitBytes);
  const { session_key: key } = await host.createSession({ agent_id: "shell" }, { kind: "owner" });
  const streamed = host.streamTurn(key, { message: "hi" }, { kind: "owner" }, () => {});
  const chunks = new SharedChunks();
  const follow = (feeds = streamed): TurnEventSource =>
    new TurnEventSource({
      logs: feeds,
      projection: new TurnProjection(streamed.turnId),
      chunks,
    });
  return { host, key, turn: host.lastTurn, source: follow(), follow };
}

function parse(chunk: Chunk | undefined): Frame[] {
  return new EventParser().push(String(typeof chunk === "string" ? chunk : Buffer.from(chunk ?? [])));
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
    host.lastTurn.ask("1");
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
  it("[A22] does not make the host grow, and learns what it missed", async () => {
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
  it("[A23] have 256 events at most", async () => {
    const { turn, source } = await openSource();
    for (let count = 0; count < 600; count += 1) turn.say("x");
    turn.complete();
    const sizes: number[] = [];
    while (!source.isOver) sizes.push(parse(source.next()).length);
    expect(sizes).toEqual([256, 256, 90]);
    expect(source.next()).toBeUndefined();
  });

  it("[A56] of text alone are made once for all who read them at the same place", async () => {
    const { host, key, turn, source, follow } = await openSource();
    const other = host.followSession(key, { turnId: turn.id }, { kind: "owner" }, () => {});
    const second = follow({ ...other, turnId: turn.id });
    turn.say("a part");
    for (let count = 0; count < 800; count += 1) turn.say("x");
    // The first one also reports the new part.
    const [first, ...rest] = [1, 2, 3].map(() => [source.next(), second.next()]);
    expect(first?.[1]).toEqual(first?.[0]);
    for (const [mine, theirs] of rest) {
      expect(mine).toBeInstanceOf(Uint8Array);
      expect(theirs).toBe(mine);
    }
    const shorter = parse(second.next());
    turn.say("y");
    expect(parse(source.next())).toHaveLength(shorter.length + 1);
  });

  it("[A23] keep up with a flood of hundreds of events in each tick", async () => {
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
    for (let count = 0; count < 10; count += 1) turn.say("x".repeat(40_000));
    expect(parse(source.next())).toHaveLength(2);
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
  it("[A25] are on every frame: the host's number on the last one of an entry, its place in the entry on those before", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    host.lastTurn.say("one");
    host.lastTurn.say("two");
    host.lastTurn.complete();
    const last = host.hub.lastSeq;
    expect((await stream.rest()).map(({ event, id }) => [event, id])).toEqual([
      ["text_delta", String(last - 2)],
      ["text_delta", String(last - 1)],
      ["done", `${last}.1`],
      ["close", String(last)],
    ]);
  });
});

describe("[A26] what cannot continue", () => {
  it("[A26] a stream that fell off the log ends with an error", async () => {
    const { turn, source } = await openSource(4096);
    for (let count = 0; count < 100; count += 1) turn.say("x".repeat(100));
    expect(parse(source.next())).toMatchObject([
      { event: "error", data: { code: "EVENTS_LOST" } },
      { event: "close", data: { success: false } },
    ]);
    expect(source.isOver).toBe(true);
    expect(turn.isActive).toBe(true);
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

  it("[A26] an internal error is reported with its id in the log", async () => {
    const { client, host, lines } = await serve();
    const stream = await client.stream(await client.createSession());
    vi.spyOn(host.lastTurn.streamed.chat, "peek").mockImplementation(() => {
      throw new Error("the secret of the cellar");
    });
    host.lastTurn.complete();
    const [error, close] = await stream.rest();
    expect(error).toMatchObject({ event: "error", data: { code: "INTERNAL" } });
    expect(error?.data["message"]).toContain(lines[0]?.facts?.["logId"]);
    expect(JSON.stringify(error)).not.toContain("secret");
    expect(close).toMatchObject({ event: "close", data: { success: false } });
  });
});

describe("[A27] a reader that goes away", () => {
  it("[A27] is forgotten, and its turn continues", async () => {
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
  it("[A28] are reported in the order in which things happened", async () => {
    const { client, host } = await serve();
    const stream = await client.stream(await client.createSession());
    const { lastTurn: turn } = host;
    const order: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      if (count % 3 === 0) turn.dispatchToSession({ type: "session/titleChanged", title: `${count}` });
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
