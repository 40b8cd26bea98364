// The host itself, killed again and again under load: everything it published is kept, and no number is given twice.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { readFrames } from "./event-reader.ts";
import { startRealHost, type RealHost } from "./real-host.ts";

const kills = process.env["HOLDFAST_LONG"] === undefined ? 2 : 50;
const sessions = 4;
/** Within this time the agents come back and stream. */
const longestMs = 900;

async function call(host: RealHost, method: string, route: string, body?: object): Promise<Response> {
  return fetch(`${host.url}/sdk/acp${route}`, {
    method,
    headers: { "content-type": "application/json", "x-api-key": host.token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function openSession(host: RealHost): Promise<string> {
  const wish = { agent_id: "shell", cwd: host.project, approvalPolicy: "approve-all" };
  const { session } = (await (await call(host, "POST", "/session", wish)).json()) as {
    session: { session_key: string };
  };
  return encodeURIComponent(session.session_key);
}

/** Events of one turn that a client received. */
interface ReceivedTurn {
  readonly key: string;
  readonly turnId: string;
  readonly frames: Map<number, string>;
}

/** Streams a turn until the host dies; notes every frame with a number. */
async function stream(host: RealHost, key: string): Promise<ReceivedTurn> {
  const frames = new Map<number, string>();
  const request = { message: "/flood 60000 40" };
  const response = await call(host, "POST", `/session/${key}/chat/stream`, request).catch(() => undefined);
  const turnId = response?.headers.get("x-holdfast-turn-id") ?? "";
  let last = 0;
  if (response?.ok === true) {
    for await (const { id, text } of readFrames(response)) {
      if (id === undefined) continue;
      expect(id).toBeGreaterThan(last);
      last = id;
      frames.set(id, text);
    }
  }
  return { key, turnId, frames };
}

async function history(host: RealHost, { key, turnId }: ReceivedTurn): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  const response = await call(host, "GET", `/session/${key}/events?turn=${turnId}`);
  expect(response.status).toBe(200);
  for await (const { id, text } of readFrames(response)) if (id !== undefined) found.set(id, text);
  return found;
}

it(
  `[R8] a host killed ${kills} times in mid-turn loses nothing that it published, and gives no number twice`,
  {
    timeout: 60_000 + kills * 15_000,
  },
  async () => {
    let host = await startRealHost({ environment: { HOLDFAST_SHELL_TEST_COMMANDS: "1" } });
    const keys: string[] = [];
    for (let index = 0; index < sessions; index += 1) keys.push(await openSession(host));
    const given = new Set<number>();
    for (let kill = 0; kill < kills; kill += 1) {
      const streaming = keys.map((key) => stream(host, key));
      await sleep(200 + Math.random() * longestMs);
      host = await host.restart();
      for (const turn of await Promise.all(streaming)) {
        if (turn.turnId === "") continue;
        const kept = await history(host, turn);
        const lost = [...turn.frames].filter(([id, text]) => kept.get(id) !== text);
        expect(lost.slice(0, 3), `${lost.length} of ${turn.frames.size} are lost`).toEqual([]);
        expect([...kept.keys()].filter((id) => given.has(id))).toEqual([]);
        for (const id of kept.keys()) given.add(id);
      }
      const { sessions: listed } = (await (await call(host, "GET", "/sessions")).json()) as {
        sessions: { state: string }[];
      };
      expect(listed.map(({ state }) => state)).toEqual(keys.map(() => "stale"));
    }
    expect(given.size).toBeGreaterThan(kills * sessions);
    await host.close();
  },
);
