// Updates per second through our splitter and connection, against the official SDK's client in the same run.
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { Connection, ndjsonFraming } from "../packages/jsonrpc/src/index.ts";

const ROUNDS = 7;
const OUR_UPDATES = 100_000;
const SDK_UPDATES = 10_000;
const UPDATE_BYTES = 400;
const CHUNK_BYTES = 64 * 1024;
const { update: updateMethod } = methods.client.session;

/** A stream of `session/update` lines of 400 bytes, cut as a pipe cuts it. */
function makeChunks(count: number): Uint8Array[] {
  const line = (text: string): string =>
    `${JSON.stringify({
      jsonrpc: "2.0",
      method: updateMethod,
      params: {
        sessionId: "sess_0123456789abcdef",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      },
    })}\n`;
  const pad = UPDATE_BYTES - line("").length;
  const lines = Array.from({ length: count }, (_, index) => line(String(index).padStart(pad, "word ")));
  const bytes = new TextEncoder().encode(lines.join(""));
  const chunkCount = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: chunkCount }, (_, index) =>
    bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES),
  );
}

/** Our side: one key per session, a synchronous handler. */
function measureOurs(chunks: readonly Uint8Array[]): number {
  let seen = 0;
  const connection = new Connection({
    framing: ndjsonFraming(),
    sink: { write: () => true, onDrain: () => undefined },
    notifications: {
      [updateMethod]: () => {
        seen += 1;
      },
    },
    orderKey: (_method, params) => (params as { sessionId: string }).sessionId,
  });
  const start = performance.now();
  for (const chunk of chunks) connection.push(chunk);
  const seconds = (performance.now() - start) / 1000;
  connection.close();
  return assertSeen(seen, OUR_UPDATES) / seconds;
}

/** The SDK's side: its client with the update handler registered first, which is its fastest order. */
async function measureSdk(chunks: readonly Uint8Array[]): Promise<number> {
  let seen = 0;
  let finish!: () => void;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
  });
  const start = performance.now();
  const connection = client({ name: "bench" })
    .onNotification(updateMethod, () => {
      seen += 1;
      if (seen === SDK_UPDATES) finish();
    })
    .connect(ndJsonStream(new WritableStream(), input));
  await done;
  const seconds = (performance.now() - start) / 1000;
  connection.close();
  return assertSeen(seen, SDK_UPDATES) / seconds;
}

function assertSeen(seen: number, expected: number): number {
  if (seen !== expected) throw new Error(`${seen} of ${expected} updates arrived`);
  return seen;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const ourChunks = makeChunks(OUR_UPDATES);
const sdkChunks = makeChunks(SDK_UPDATES);
const ours: number[] = [];
const sdk: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  ours.push(measureOurs(ourChunks));
  sdk.push(await measureSdk(sdkChunks));
}
const updatesPerSecond = Math.round(median(ours));
const sdkUpdatesPerSecond = Math.round(median(sdk));
const updatesVsSdk = Math.round((updatesPerSecond / sdkUpdatesPerSecond) * 10) / 10;
console.log(`ours ${ours.map(Math.round).join(" ")} updates/s`);
console.log(`sdk  ${sdk.map(Math.round).join(" ")} updates/s`);
console.log(JSON.stringify({ updatesPerSecond, sdkUpdatesPerSecond, updatesVsSdk }));
