// Turns that are followed: resumed after a cut, all turns of a session in order, by many readers at once.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { EventParser, type Frame } from "../testing/api-client.ts";
import { serve, type Serving } from "../testing/serving.ts";
import { playTurn } from "../testing/turn-script.ts";

interface Followed extends Serving {
  readonly key: string;
  /** The bytes of a stream; they end with the stream, or after so many. */
  read(query?: string, limitBytes?: number): Promise<Buffer>;
}

async function serveSession(options = {}): Promise<Followed> {
  const serving = await serve(options);
  const key = await serving.client.createSession({ approvalPolicy: "approve-reads" });
  const url = `${serving.server.url}/sdk/acp/session/${encodeURIComponent(key)}/events`;
  return {
    ...serving,
    key,
    async read(query = "", limitBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
      const abort = new AbortController();
      const headers = { "x-api-key": serving.token };
      const response = await fetch(url + query, { headers, signal: abort.signal });
      if (response.status !== 200) throw new Error(await response.text());
      const bytes = await readBytes(response, limitBytes);
      abort.abort();
      return bytes;
    },
  };
}

async function readBytes({ body }: Response, limitBytes: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  const chunks: AsyncIterable<Uint8Array> | null = body;
  if (limitBytes === 0) return bytes;
  for await (const chunk of chunks ?? []) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= limitBytes) break;
  }
  return bytes.subarray(0, Math.min(bytes.length, limitBytes));
}

/** The bytes up to the end of the last whole frame with an id, and that id. */
function upToLastId(bytes: Buffer): { known: Buffer; id: string | undefined } {
  const text = bytes.toString("latin1");
  let end = 0;
  let id: string | undefined;
  for (const frame of text.matchAll(/(?:.+\n)*?id: (\d+)\n(?:.+\n)*\n/g)) {
    end = frame.index + frame[0].length;
    id = frame[1];
  }
  return { known: bytes.subarray(0, end), id };
}

/** A turn that was played to its end, as its first reader saw it. */
async function playWhole({ client, host, key }: Followed, message = "hi"): Promise<Buffer> {
  const stream = await client.stream(key, message);
  const played = playTurn(host, key, host.lastTurn);
  const bytes = await stream.bytes();
  await played;
  return bytes;
}

function parse(bytes: Buffer): Frame[] {
  const parser = new EventParser();
  const frames = parser.push(bytes.toString());
  parser.end();
  return frames;
}

describe("[A46] a stream that is cut", () => {
  it("[A46] ten times anywhere and resumed each time gives the bytes of the uncut one, while its turn runs and after", async () => {
    const sizes = fc.array(fc.nat(2500), { minLength: 10, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (cuts, isLive) => {
        const followed = await serveSession();
        const { host, key, client } = followed;
        const stream = await client.stream(key);
        const turn = host.lastTurn;
        const uncut = stream.bytes();
        const played = playTurn(host, key, turn);
        if (!isLive) await played;
        let seen = Buffer.alloc(0);
        let id: string | undefined;
        for (const limitBytes of [...cuts, Number.POSITIVE_INFINITY]) {
          const query = `?turn=${turn.id}${id === undefined ? "" : `&after=${id}`}`;
          const cut = upToLastId(await followed.read(query, limitBytes));
          seen = Buffer.concat([seen, cut.known]);
          id = cut.id ?? id;
        }
        expect(seen.toString()).toBe((await uncut).toString());
        expect(id).toBe(String(host.hub.lastSeq));
        await followed.server.close();
      }),
      { numRuns: 12 },
    );
  });

  it("[A46] after any of its ids gives exactly what came after it, and nothing after the last", async () => {
    const followed = await serveSession();
    const whole = await playWhole(followed);
    const frames = parse(whole);
    expect(frames.length).toBeGreaterThan(70);
    const kinds = new Set(frames.map(({ event, data }) => data["tag"] ?? event));
    for (const kind of ["permission_request", "permission_resolved", "plan", "session_info_update", "done"]) {
      expect(kinds).toContain(kind);
    }
    const { id: turn } = followed.host.lastTurn;
    expect(frames.filter(({ id }) => id === undefined)).toEqual([]);
    for (const { id } of frames) {
      const place = whole.indexOf(`id: ${id}\n`);
      const rest = whole.subarray(whole.indexOf("\n\n", place) + 2);
      expect((await followed.read(`?after=${id}&turn=${turn}`)).toString()).toBe(rest.toString());
    }
  });

  it("[A46] is resumed by the header as by the query, and the header wins", async () => {
    const followed = await serveSession();
    const { client, key, host } = followed;
    const ids = parse(await playWhole(followed)).flatMap(({ id }) => id ?? []);
    const path = `/sdk/acp/session/${key}/events?turn=${host.lastTurn.id}`;
    const headers = { "last-event-id": ids.at(-3) ?? "" };
    for (const query of ["", "&after=0"]) {
      const stream = await client.open("GET", path + query, { headers });
      expect((await stream.rest()).flatMap(({ id }) => id ?? [])).toEqual(ids.slice(-2));
    }
  });
});

describe("[A45] the name of a turn", () => {
  it("[A45] is in the headers of its streams before the first event", async () => {
    const { client, key, host, read } = await serveSession();
    const stream = await client.stream(key);
    const { id } = host.lastTurn;
    expect(stream.headers.get("x-holdfast-turn-id")).toBe(id);
    const again = await client.follow(key, `?turn=${id}`);
    expect(again.headers.get("x-holdfast-turn-id")).toBe(id);
    host.lastTurn.complete();
    expect(await again.rest()).toEqual(await stream.rest());
    const all = await client.follow(key);
    expect(all.headers.has("x-holdfast-turn-id")).toBe(false);
    await expect(read("?turn=another")).rejects.toThrow("NOT_FOUND");
  });
});

describe("[A47] a session that is followed", () => {
  it("[A47] reports its turns one after another, each with its beginning and its end, and ends when none runs", async () => {
    const followed = await serveSession();
    const { client, host, key } = followed;
    const first = parse(await playWhole(followed, "one"));
    followed.host.lastTurn.dispatchToSession({ type: "session/titleChanged", title: "Between turns" });
    const second = parse(await playWhole(followed, "two"));
    await client.stream(key, "three");
    const { lastTurn: turn } = host;
    turn.say("still at it");
    const stream = await client.follow(key);
    const start = (index: number, text: string): object => ({
      event: "status",
      id: String(host.turns[index]?.startSeq),
      data: {
        tag: "turn_started",
        text,
        turnId: host.turns[index]?.id,
        startedAt: "2026-01-02T03:04:05.000Z",
      },
    });
    const past = [start(0, "one"), ...first, start(1, "two"), ...second, start(2, "three")];
    const frames: (Frame | undefined)[] = [];
    for (let count = 0; count <= past.length; count += 1) frames.push(await stream.next());
    expect(frames.slice(0, -1)).toEqual(past);
    expect(frames.at(-1)).toMatchObject({ event: "text_delta", data: { text: "still at it" } });
    turn.complete();
    expect(await stream.rest()).toMatchObject([{ event: "done" }, { event: "close" }]);
  });

  it("[A47] after any of its ids gives exactly what came after it", async () => {
    const followed = await serveSession();
    await playWhole(followed, "one");
    await playWhole(followed, "two");
    const whole = await followed.read();
    const ids = parse(whole).flatMap(({ id }) => id ?? []);
    for (const id of ids.filter((_, index) => index % 5 === 0 || index > ids.length - 3)) {
      const place = whole.indexOf(`id: ${id}\n`);
      const rest = whole.subarray(whole.indexOf("\n\n", place) + 2);
      expect((await followed.read(`?after=${id}`)).toString()).toBe(rest.toString());
    }
  });

  it("[A47] in which nothing happened, or nothing since, ends at once", async () => {
    const followed = await serveSession();
    expect(parse(await followed.read())).toEqual([]);
    await playWhole(followed);
    const { lastTurn, hub } = followed.host;
    expect(parse(await followed.read(`?after=${hub.lastSeq}`))).toEqual([]);
    expect(parse(await followed.read(`?after=${hub.lastSeq}&turn=${lastTurn.id}`))).toEqual([]);
  });

  it("[A47] continues with the turn that begins while another is being reported", async () => {
    const { client, host, key } = await serveSession();
    await client.stream(key, "one");
    const stream = await client.follow(key);
    expect(await stream.next()).toMatchObject({ data: { tag: "turn_started", text: "one" } });
    // Both happen before the follower gets to read: it never sees the host idle.
    host.lastTurn.complete();
    host.streamTurn(key, { message: "two" }, { kind: "owner" }, () => {});
    host.lastTurn.complete();
    expect((await stream.rest()).map(({ event, data }) => data["tag"] ?? event)).toEqual([
      "done",
      "close",
      "turn_started",
      "done",
      "close",
    ]);
  });

  it("[A47] that is closed ends with it: in mid-turn with an error", async () => {
    const { client, host, key } = await serveSession();
    await client.stream(key, "one");
    const stream = await client.follow(key);
    await stream.next();
    await host.closeSession(key, undefined, { kind: "owner" });
    expect(await stream.rest()).toMatchObject([
      { event: "error", data: { code: "ACP_SESSION_NOT_FOUND" } },
      { event: "close", data: { success: false } },
    ]);
  });
});

describe("[A49] events that are gone", () => {
  it("[A49] are refused with 410 where a reader wants to resume from before them", async () => {
    const { client, host, key } = await serveSession({ logLimitBytes: 4096 });
    await client.stream(key);
    for (let count = 0; count < 100; count += 1) host.lastTurn.say("x".repeat(100));
    const path = `/sdk/acp/session/${key}/events?turn=${host.lastTurn.id}`;
    expect(await client.send("GET", path)).toMatchObject({
      status: 410,
      body: { success: false, code: "EVENTS_LOST" },
    });
  });

  it("[A49] end a stream that was too slow for them", async () => {
    const { client, host, key } = await serveSession({ logLimitBytes: 4096 });
    await client.stream(key);
    const stream = await client.follow(key);
    await stream.next();
    for (let count = 0; count < 100; count += 1) host.lastTurn.say("x".repeat(100));
    expect(await stream.rest()).toMatchObject([
      { event: "error", data: { code: "EVENTS_LOST" } },
      { event: "close", data: { success: false } },
    ]);
  });
});

describe("[A50] many readers", () => {
  it("[A50] see the same bytes, however late they come and however slow one of them is", async () => {
    const followed = await serveSession();
    const { client, host, key } = followed;
    const first = await client.stream(key);
    const { lastTurn: turn } = host;
    const stalled = await client.follow(key, `?turn=${turn.id}`);
    const early = Array.from({ length: 20 }, () => followed.read(`?turn=${turn.id}`));
    const played = playTurn(host, key, turn);
    const whole = (await first.bytes()).toString();
    await played;
    const late = Array.from({ length: 5 }, () => followed.read(`?turn=${turn.id}`));
    for (const bytes of await Promise.all([...early, ...late])) expect(bytes.toString()).toBe(whole);
    expect((await stalled.bytes()).toString()).toBe(whole);
  });

  it("[A50] that leave are forgotten, and the turn continues", async () => {
    const { client, host, key } = await serveSession();
    await client.stream(key);
    const { lastTurn: turn } = host;
    const follow = vi.spyOn(host, "followSession");
    const stream = await client.follow(key);
    await stream.next();
    stream.abort();
    const feeds = follow.mock.results[0]?.value as ReturnType<typeof host.followSession>;
    await vi.waitFor(() =>
      expect([feeds.chat.read(0).kind, feeds.session.read(0).kind]).toEqual(["closed", "closed"]),
    );
    expect(turn.isActive).toBe(true);
  });

  it("[A55] get no stream for HEAD, which has nothing to show", async () => {
    const { server, token, key, client } = await serveSession();
    const init = { method: "HEAD", headers: { "x-api-key": token } };
    expect((await fetch(`${server.url}/sdk/acp/session/${key}/events`, init)).status).toBe(405);
    expect((await client.send("GET", `/sdk/acp/session/${key}`)).status).toBe(200);
  });
});

describe("[A44] a message that is repeated under its name", () => {
  it("[A44] is the same turn, from its beginning", async () => {
    const { client, host, key } = await serveSession();
    const headers = { "idempotency-key": "once" };
    const stream = await client.stream(key, "hi", headers);
    host.lastTurn.say("hello");
    const again = await client.stream(key, "hi", headers);
    host.lastTurn.complete();
    const late = await client.stream(key, "hi", headers);
    const frames = await stream.rest();
    expect(frames).toHaveLength(3);
    for (const each of [again, late]) {
      expect(await each.rest()).toEqual(frames);
      expect(each.headers.get("x-holdfast-turn-id")).toBe(host.lastTurn.id);
    }
    expect(host.prompts).toEqual([{ message: "hi", idempotencyKey: "once" }]);
  });

  it("[A44] is not another message", async () => {
    const { client, host, key } = await serveSession();
    const headers = { "idempotency-key": "once" };
    const send = (path: string, message: string) =>
      client.send("POST", `/sdk/acp/session/${key}/${path}`, { body: { message }, headers });
    expect((await send("chat", "hi")).body).toMatchObject({ response: { text: "You said: hi" } });
    expect((await send("chat", "hi")).body).toMatchObject({ response: { text: "You said: hi" } });
    expect(host.prompts).toHaveLength(1);
    for (const path of ["chat", "chat/stream"]) {
      expect(await send(path, "ho")).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } });
    }
  });

  it("[A44] needs a name that is one", async () => {
    const { client, key, host } = await serveSession();
    const headers = { "idempotency-key": "two words" };
    for (const path of ["chat", "chat/stream"]) {
      expect(
        await client.send("POST", `/sdk/acp/session/${key}/${path}`, { body: { message: "hi" }, headers }),
      ).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
    }
    expect(host.prompts).toEqual([]);
  });
});
