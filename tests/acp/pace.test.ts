// ACP clients that send more than the host can handle at once: they wait, and others do not.
import { expect, it } from "vitest";
import { useServedHosts, type ServedHost } from "../ahp/served-host.ts";
import { RawEditor } from "./raw-editor.ts";

const serve = useServedHosts();

async function connect(host: ServedHost): Promise<RawEditor> {
  const editor = await RawEditor.open(`${host.server.url}/acp?agent=mine`, { "x-api-key": host.token });
  await editor.initialize();
  return editor;
}

function post(host: ServedHost, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${host.server.url}/acp`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": host.token, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

/** How long a request of the app API takes. */
async function measure(host: ServedHost): Promise<number> {
  const startMs = performance.now();
  expect((await host.fetch("/sdk/acp/agents")).status).toBe(200);
  return performance.now() - startMs;
}

it("[B50] a client that sends thousands of requests at once delays no other, and none of them fails", async () => {
  const host = await serve({ script: {} });
  const flooder = await connect(host);
  const idleMs: number[] = [];
  for (let run = 0; run < 5; run += 1) idleMs.push(await measure(host));
  const count = 3000;
  for (let id = 0; id < count; id += 1) flooder.send({ id: `f${id}`, method: "session/list", params: {} });
  const isOfFlood = ({ id }: { id?: unknown }): boolean => String(id).startsWith("f");
  const busyMs = await measure(host);
  const answered = flooder.messages.filter(isOfFlood).length;
  expect(answered).toBeLessThan(count / 2);
  expect(busyMs).toBeLessThan(250 + 10 * Math.max(...idleMs));
  await flooder.answer(`f${count - 1}`);
  const answers = flooder.messages.filter(isOfFlood);
  expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, id) => `f${id}`));
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
});

it("[B50] a client that does not read its responses is not listened to until it does", async () => {
  const host = await serve({ script: {} });
  const [silent, other] = [await connect(host), await connect(host)];
  silent.socket.pause();
  // The error repeats the method, so the responses are as long as the requests.
  const method = "x".repeat(60_000);
  const most = 1000;
  let [count, isTaken] = [0, true];
  let probe = answerTimes(other, 20);
  while (isTaken && count < most) {
    const text = JSON.stringify({ jsonrpc: "2.0", id: `s${count}`, method });
    const sent = new Promise<boolean>((resolve) => {
      silent.socket.send(text, () => resolve(true));
    });
    isTaken = await Promise.race([sent, probe]);
    if (!isTaken) {
      // The last one began before this message: it says nothing about it.
      probe = answerTimes(other, 20);
      isTaken = await Promise.race([sent, probe]);
    }
    count += 1;
  }
  expect(count).toBeLessThan(most);
  silent.socket.resume();
  await silent.answer(`s${count - 1}`);
  expect(silent.messages.filter(({ error }) => error?.code === -32601)).toHaveLength(count);
  expect(silent.closeCode).toBeUndefined();
});

/** Done when the host has answered another client so many times. */
async function answerTimes(editor: RawEditor, times: number): Promise<false> {
  for (let run = 0; run < times; run += 1) await editor.request("session/list");
  return false;
}

it("[B50] requests that come at once over HTTP are all answered, in order", async () => {
  const host = await serve({ script: {} });
  const opened = await post(host, { id: "first", method: "initialize", params: { protocolVersion: 1 } });
  const connection = { "acp-connection-id": opened.headers.get("acp-connection-id") ?? "" };
  const count = 300;
  const sent = Array.from({ length: count }, (_, id) =>
    post(host, { id, method: "session/list", params: {} }, connection),
  );
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([202]));
  const stream = await fetch(`${host.server.url}/acp`, {
    headers: { accept: "text/event-stream", "x-api-key": host.token, ...connection },
  });
  let text = "";
  for await (const piece of stream.body ?? []) {
    text += Buffer.from(piece).toString("utf8");
    if (text.includes(`id: ${count}\n`) && text.endsWith("\n\n")) break;
  }
  expect(text.match(/"sessions":\[\]/g)).toHaveLength(count);
});
