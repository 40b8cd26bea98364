// Streams that break: a cut stream gives the events of the whole, and one that cannot be resumed says so.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AcpStreamEvent } from "./acp-agent.ts";
import { Holdfast } from "./holdfast.ts";
import { startTurnServer, type ChooseCut, type WireEvent } from "./testing/cut-stream.ts";
import { answerJson, beginEvents, startTestServer, write, type TestServer } from "./testing/test-server.ts";

const key = "agent:shell:acp:550e8400-e29b-41d4-a716-446655440000";
const retry = { baseDelayMs: 1, maxDelayMs: 5 };

function clientOf({ url }: TestServer, options = {}): Holdfast {
  return new Holdfast({ baseUrl: url, apiKey: "key", retry, ...options });
}

async function collect(events: AsyncIterable<AcpStreamEvent>): Promise<string> {
  const lines: string[] = [];
  for await (const event of events) lines.push(JSON.stringify(event));
  return lines.join("\n");
}

/** The fault that the stream reports, if any. */
async function failureOf(events: AsyncIterable<AcpStreamEvent>): Promise<unknown> {
  return collect(events).then(
    (text) => expect.fail(`the stream came to its end: ${text}`),
    (error: unknown) => error,
  );
}

/** A turn as the host's log makes it: entries of one to three events, only the last with an id. */
const entry = fc.array(
  fc.record({
    type: fc.constantFrom("text_delta", "tool_call", "status", "something_new"),
    // Few values, so that an event often looks like the one before it.
    data: fc.record({ text: fc.constantFrom("", "a", "é€😀", "\n\r\u2028", "x".repeat(300)) }),
  }),
  { minLength: 1, maxLength: 3 },
);

const turn = fc.array(entry, { maxLength: 12 }).map((entries): WireEvent[] => {
  const end = [
    { type: "done", data: { stopReason: "end_turn" } },
    { type: "close", data: { success: true } },
  ];
  return [...entries, end].flatMap((events, index) =>
    events.map((event, place) =>
      place === events.length - 1 ? { ...event, id: String(100 + index * 3) } : event,
    ),
  );
});

function expected(events: readonly WireEvent[]): string {
  return events.map(({ type, data }) => JSON.stringify({ type, data })).join("\n");
}

/** Cuts the first connections at these places, which are fractions of what would be sent. */
function cutAt(places: readonly number[]): ChooseCut {
  const left = [...places];
  return (totalBytes) => {
    const place = left.shift();
    return place === undefined ? undefined : Math.floor(place * totalBytes);
  };
}

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

const threeEvents: WireEvent[] = [
  { type: "text_delta", data: { text: "a", stream: "output" }, id: "1" },
  { type: "done", data: { stopReason: "end_turn" } },
  { type: "close", data: { success: true }, id: "2" },
];

describe("[X14] a stream that is cut", () => {
  it("[X14] ten times anywhere gives the same events as one uncut, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(turn, fc.array(fraction, { minLength: 10, maxLength: 10 }), async (events, places) => {
        const whole = await startTurnServer(events, () => undefined);
        const cut = await startTurnServer(events, cutAt(places), { "x-holdfast-turn-id": "turn-1" });
        const uncut = await collect(clientOf(whole).acpAgent.streamChat(key, "go"));
        expect(uncut).toBe(expected(events));
        expect(await collect(clientOf(cut).acpAgent.streamChat(key, "go"))).toBe(uncut);
        // Each cut was met, unless the close was read before the connection was cut after it.
        expect(cut.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
        whole.stop();
        cut.stop();
      }),
      { numRuns: process.env["HOLDFAST_LONG"] === undefined ? 15 : 40 },
    );
  });

  it("[X14] asks for the events after the last id, of the same turn", async () => {
    const server = await startTurnServer(threeEvents, cutAt([0.7]), { "x-holdfast-turn-id": "turn-1" });
    const stream = clientOf(server).acpAgent.streamChat(key, "go");
    expect(await collect(stream)).toBe(expected(threeEvents));
    const again = server.requests.at(-1);
    expect(again).toMatchObject({ method: "GET", headers: { "last-event-id": "1" } });
    expect(again?.path).toBe(`/sdk/acp/session/${encodeURIComponent(key)}/events`);
    expect(Object.fromEntries(again?.query ?? [])).toEqual({ after: "1", turn: "turn-1" });
    expect(stream).toMatchObject({ lastEventId: "2", turnId: "turn-1" });
  });

  it("[X14] is resumed by its turn when not even one id had come", async () => {
    const server = await startTurnServer(threeEvents, cutAt([0, 0.2]), { "x-holdfast-turn-id": "turn-1" });
    expect(await collect(clientOf(server).acpAgent.streamChat(key, "go"))).toBe(expected(threeEvents));
    expect(Object.fromEntries(server.requests.at(-1)?.query ?? [])).toEqual({ turn: "turn-1" });
  });

  it("[X14] is resumed when its connection is ended in good order but too early", async () => {
    const server = await startTestServer((request, response) => {
      beginEvents(response);
      const isAgain = request.query.has("after");
      response.end(isAgain ? `id: 2\nevent: close\ndata: {}\n\n` : `id: 1\nevent: done\ndata: {}\n\n`);
    });
    expect(await collect(clientOf(server).acpAgent.streamChat(key, "go"))).toBe(
      `{"type":"done","data":{}}\n{"type":"close","data":{}}`,
    );
  });

  it("[X14] an event that differs when it is sent again is given", async () => {
    const server = await startTestServer(async (request, response) => {
      beginEvents(response);
      if (request.query.has("after")) {
        response.end(`event: error\ndata: {"b":2}\n\nid: 2\nevent: close\ndata: {}\n\n`);
        return;
      }
      await write(response, `id: 1\nevent: status\ndata: {}\n\nevent: status\ndata: {"a":1}\n\n`);
      response.destroy();
    });
    expect(await collect(clientOf(server).acpAgent.streamChat(key, "go"))).toBe(
      [
        `{"type":"status","data":{}}`,
        `{"type":"status","data":{"a":1}}`,
        `{"type":"error","data":{"b":2}}`,
        `{"type":"close","data":{}}`,
      ].join("\n"),
    );
  });
});

describe("[X15] taking a stream up", () => {
  it("[X15] outlasts a host that is stopping or not there", async () => {
    const server = await startTurnServer(threeEvents, cutAt([0.7]));
    const { port } = new URL(server.url);
    const stream = clientOf(server, {
      retry: { attempts: 1000, baseDelayMs: 1, maxDelayMs: 2 },
    }).acpAgent.streamChat(key, "go");
    expect(await stream.next()).toMatchObject({ value: { type: "text_delta" } });
    server.stop();
    let refusals = 0;
    const later = stream.next();
    await startTestServer(
      (_request, response) => {
        refusals += 1;
        if (refusals < 3) return answerJson(response, { error: "Later", code: "HOST_STOPPING" }, 503);
        beginEvents(response);
        response.end(`event: done\ndata: {}\n\nid: 2\nevent: close\ndata: {}\n\n`);
      },
      { port: Number(port) },
    );
    expect(await later).toMatchObject({ value: { type: "done" } });
    expect(refusals).toBe(3);
  });

  it("[X15] a host that restarts is asked as often as it said, whatever the schedule", async () => {
    let requests = 0;
    const server = await startTestServer((_request, response) => {
      requests += 1;
      if (requests > 1 && requests < 5) {
        return answerJson(response, { error: "Later", code: "HOST_STOPPING" }, 503);
      }
      beginEvents(response);
      if (requests === 5) {
        response.end(`event: done\ndata: {}\n\nid: 2\nevent: close\ndata: {}\n\n`);
        return;
      }
      response.write(`id: 1\nevent: text_delta\ndata: {}\n\nretry: 5\n\n`, () => response.destroy());
    });
    const slow = { attempts: 1, baseDelayMs: 60_000, maxDelayMs: 60_000 };
    const types: string[] = [];
    const stream = clientOf(server, { retry: slow }).acpAgent.streamChat(key, "go");
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(["text_delta", "done", "close"]);
    expect(requests).toBe(5);
  });

  it("[X15, X510] is given up after so many attempts in a row that bring nothing", async () => {
    const server = await startTurnServer(threeEvents, (totalBytes) => Math.floor(totalBytes * 0.3), {
      "x-holdfast-turn-id": "turn-1",
    });
    let disconnections = 0;
    const { acpAgent } = clientOf(server, { retry: { ...retry, attempts: 4 } });
    const onDisconnect = (): void => void (disconnections += 1);
    const stream = acpAgent.streamChat(key, "go", undefined, { onDisconnect });
    expect(await failureOf(stream)).toMatchObject({
      name: "HoldfastError",
      code: "STREAM_BROKEN",
      message: "Lost the connection to the host; 4 reconnection attempts failed.",
    });
    expect(disconnections).toBe(5);
    expect(server.requests.filter(({ path }) => path.endsWith("/events"))).toHaveLength(4);
  });

  it("[X15] is given up at once when the host refuses, with its reason", async () => {
    const server = await startTestServer(async (request, response) => {
      if (request.method === "GET") {
        return answerJson(response, { error: "Gone", code: "ACP_SESSION_NOT_FOUND" }, 404);
      }
      beginEvents(response);
      await write(response, `id: 1\nevent: status\ndata: {}\n\n`);
      response.destroy();
    });
    const failure = await failureOf(clientOf(server).acpAgent.streamChat(key, "go"));
    expect(failure).toMatchObject({
      code: "STREAM_BROKEN",
      cause: { code: "ACP_SESSION_NOT_FOUND", status: 404 },
    });
    expect(server.requests.filter(({ path }) => path.endsWith("/events"))).toHaveLength(1);
  });

  it("[X15] is not tried with a host that gives neither ids nor a turn, and nothing is sent twice", async () => {
    const bare = threeEvents.map(({ type, data }) => ({ type, data }));
    const server = await startTurnServer(bare, cutAt([0.6]));
    expect(await failureOf(clientOf(server).acpAgent.streamChat(key, "go"))).toMatchObject({
      code: "STREAM_BROKEN",
    });
    expect(server.requests.filter(({ path }) => path !== "/sdk/auth/token")).toHaveLength(1);
  });

  it("[X15] a connection that says nothing for too long counts as broken", async () => {
    const server = await startTestServer(async (request, response) => {
      beginEvents(response);
      if (request.query.has("after")) response.end(`id: 2\nevent: close\ndata: {}\n\n`);
      else await write(response, `id: 1\nevent: status\ndata: {}\n\n`);
    });
    const client = clientOf(server, { retry: { ...retry, maxSilenceMs: 30 } });
    expect(await collect(client.acpAgent.streamChat(key, "go"))).toBe(
      `{"type":"status","data":{}}\n{"type":"close","data":{}}`,
    );
  });

  it("[X15] waits longer each time, up to a bound, and never the same", async () => {
    const { Retry } = await import("./event-stream.ts");
    const waits = new Retry({ baseDelayMs: 100, maxDelayMs: 1000 });
    expect([0, 1, 2, 3, 4, 60].map((attempt) => waits.delayMs(attempt, () => 1))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
    expect(waits.delayMs(0, () => 0)).toBe(50);
  });
});

describe("[X13] the events of a stream", () => {
  it("[X13] are given under the names of their lines, unknown ones too, and nothing after close", async () => {
    const server = await startTestServer((_request, response) => {
      beginEvents(response);
      response.end(
        `id: 0\n\ndata: {"no":"name"}\n\nevent: new_thing\ndata: {"a":1}\n\nevent: close\ndata: {"success":true}\n\nevent: status\ndata: {}\n\n`,
      );
    });
    expect(await collect(clientOf(server).acpAgent.streamChat(key, "go"))).toBe(
      `{"type":"new_thing","data":{"a":1}}\n{"type":"close","data":{"success":true}}`,
    );
  });

  it("[X13] whose data is not JSON are an error, not a gap", async () => {
    const server = await startTestServer((_request, response) => {
      beginEvents(response);
      response.end(`id: 1\nevent: status\ndata: {\n\n`);
    });
    expect(await failureOf(clientOf(server).acpAgent.streamChat(key, "go"))).toMatchObject({
      code: "INVALID_RESPONSE",
    });
  });

  it("[X13] a turn that is refused is an error before the first event", async () => {
    const server = await startTestServer((_request, response) =>
      answerJson(response, { success: false, error: "A turn is running.", code: "ACP_TURN_ACTIVE" }, 409),
    );
    const failure = await failureOf(clientOf(server).acpAgent.streamChat(key, "go"));
    expect(failure).toMatchObject({ code: "ACP_TURN_ACTIVE", status: 409, message: "A turn is running." });
  });

  it("[X13] of a session are its history and the turn that runs, and an end where no turn is open is the end", async () => {
    const server = await startTestServer(async (request, response) => {
      beginEvents(response);
      if (request.query.get("after") === "2") return void response.end();
      const frames = `id: 1\nevent: done\ndata: {}\n\nid: 2\nevent: close\ndata: {}\n\n`;
      if (request.query.has("after")) response.end(frames.slice(frames.indexOf("id: 2")));
      else {
        await write(response, frames.slice(0, frames.indexOf("id: 2")));
        response.end();
      }
    });
    const { acpAgent } = clientOf(server);
    expect(await collect(acpAgent.streamEvents(key))).toBe(
      `{"type":"done","data":{}}\n{"type":"close","data":{}}`,
    );
    expect(await collect(acpAgent.streamEvents(key, { after: "2" }))).toBe("");
  });
});

describe("[X7] closing a stream", () => {
  async function startSilentServer(): Promise<TestServer & { gone: Promise<void> }> {
    let reportGone = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      reportGone = resolve;
    });
    const server = await startTestServer(async (_request, response) => {
      beginEvents(response);
      response.once("close", reportGone);
      await write(response, `id: 1\nevent: status\ndata: {}\n\n`);
    });
    return { ...server, gone };
  }

  it("[X7] a break closes its connection", async () => {
    const server = await startSilentServer();
    for await (const event of clientOf(server).acpAgent.streamChat(key, "go")) {
      expect(event.type).toBe("status");
      break;
    }
    await server.gone;
  });

  it("[X7] also while an event is awaited", async () => {
    const server = await startSilentServer();
    const stream = clientOf(server).acpAgent.streamChat(key, "go");
    await stream.next();
    const pending = stream.next();
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    await server.gone;
  });

  it("[X7] an abort rejects with its reason and closes the connection", async () => {
    const server = await startSilentServer();
    const controller = new AbortController();
    const reason = new Error("enough");
    const stream = clientOf(server).acpAgent.streamChat(key, "go", undefined, { signal: controller.signal });
    await stream.next();
    const pending = stream.next();
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await server.gone;
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("[X7] an abort ends the wait for the next attempt", async () => {
    const server = await startTurnServer(threeEvents, cutAt([0.7]));
    const controller = new AbortController();
    const client = clientOf(server, { retry: { baseDelayMs: 600_000, maxDelayMs: 600_000 } });
    const stream = client.acpAgent.streamChat(key, "go", undefined, { signal: controller.signal });
    await stream.next();
    const pending = stream.next();
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: "AbortError" });
  });

  it("[X7] a signal that is aborted already sends nothing", async () => {
    const server = await startSilentServer();
    const { acpAgent } = clientOf(server);
    const signal = AbortSignal.abort(new Error("never"));
    await expect(acpAgent.streamChat(key, "go", undefined, { signal }).next()).rejects.toThrow("never");
    expect(server.requests).toEqual([]);
  });
});
