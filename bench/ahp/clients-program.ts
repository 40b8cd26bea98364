// Clients in a separate process: they count the bytes they receive, wait for the last word, and type.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { serve } from "../terminal/isolated.ts";
import { LAST_WORD } from "./flood.ts";

interface Address {
  readonly url: string;
  /** What to follow; a plain server has one thing only and is not asked. */
  readonly channel?: string;
  /** The version of AHP; absent: 1.0.0. */
  readonly version?: string;
}

interface Heard {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What came of a flood. */
export interface Received {
  /** Of all clients together. */
  readonly bytes: number;
}

const keyPauseMs = 15;
const lastWord = Buffer.from(LAST_WORD);
let reading: Promise<Received> | undefined;
const open: WebSocket[] = [];
let echoes = 0;
let floods = 0;

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  open.push(socket);
  await once(socket, "open");
  return socket;
}

/** Sends one request; other messages meanwhile go to their listeners. */
function ask(socket: WebSocket, id: number, method: string, params: object): Promise<void> {
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("message", function listen(data: Buffer) {
      if (data.length > 1024 * 1024) return;
      const heard = JSON.parse(data.toString()) as Heard;
      if (heard.id !== id) return;
      socket.off("message", listen);
      if (heard.error === undefined) resolve();
      else reject(new Error(JSON.stringify(heard.error)));
    });
  });
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return answered;
}

async function greet(
  socket: WebSocket,
  clientId: string,
  { channel, version = "1.0.0" }: Pick<Address, "channel" | "version"> = {},
): Promise<void> {
  await ask(socket, 1, "initialize", { channel: "ahp-root://", protocolVersions: [version], clientId });
  if (channel !== undefined) await ask(socket, 2, "subscribe", { channel });
}

/** Counts until the last word. */
function readAll(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    socket.on("message", (data: Buffer) => {
      bytes += data.length;
      if (data.includes(lastWord)) resolve(bytes);
    });
  });
}

async function measureKey(viewer: WebSocket, key: number, type: (word: string) => void): Promise<number> {
  const word = `k${key}k`;
  const seen = new Promise<number>((resolve) => {
    viewer.on("message", function listen(data: Buffer) {
      if (!data.includes(word)) return;
      viewer.off("message", listen);
      resolve(performance.now());
    });
  });
  const startedMs = performance.now();
  type(word);
  return (await seen) - startedMs;
}

/** Types a number of keys, each when the one before was seen. */
async function measureKeys(viewer: WebSocket, keys: number, type: (text: string) => void): Promise<number[]> {
  const latencies: number[] = [];
  for (let key = 1; key <= keys; key += 1) {
    latencies.push(await measureKey(viewer, key, type));
    await sleep(keyPauseMs);
    // An ever growing line would be redrawn for ever.
    if (key % 10 !== 0) continue;
    type("\u0015");
    await sleep(keyPauseMs);
  }
  return latencies;
}

/** The questions that the benchmark asks. */
const program = serve({
  /** Types a command into a new shell; gives its terminal. It lasts until `finish`. */
  runInShell: async ({ url, version, command }: Address & { readonly command: string }): Promise<string> => {
    const holder = await connect(url);
    floods += 1;
    const channel = `ahp-terminal:/flood-${floods}`;
    await greet(holder, "holder", version === undefined ? {} : { version });
    await ask(holder, 3, "createTerminal", {
      channel,
      claim: { kind: "client", clientId: "holder" },
      cwd: "file:///",
    });
    const action = { type: "terminal/input", data: `${command}\r` };
    const params = { channel, clientSeq: 1, action };
    holder.send(JSON.stringify({ jsonrpc: "2.0", method: "dispatchAction", params }));
    return channel;
  },
  /** Has so many clients come and read; answers when all follow. */
  watch: async ({ url, channel, version, count }: Address & { readonly count: number }): Promise<void> => {
    const sockets = await Promise.all(Array.from({ length: count }, () => connect(url)));
    if (channel !== undefined) {
      const address = { channel, ...(version !== undefined && { version }) };
      await Promise.all(sockets.map((socket, index) => greet(socket, `reader-${index}`, address)));
    }
    reading = Promise.all(sockets.map(readAll)).then((all) => ({
      bytes: all.reduce((sum, bytes) => sum + bytes, 0),
    }));
  },
  /** Answers when all have read the last word. */
  finish: async (_nothing: undefined): Promise<Received> => {
    const received = (await reading) ?? { bytes: 0 };
    for (const socket of open.splice(0)) socket.terminate();
    return received;
  },
  /** Has a client come that never reads. */
  ignore: async ({ url, channel }: Address): Promise<void> => {
    const socket = await connect(url);
    await greet(socket, "never-reads", channel === undefined ? {} : { channel });
    socket.pause();
  },
  /** Types into a terminal as one client and watches it as another, until stopped or for a number of keys. */
  type: async ({ url, version, keys }: Address & { readonly keys: number }): Promise<number[]> => {
    const spoken = version === undefined ? {} : { version };
    const typist = await connect(url);
    const viewer = await connect(url);
    echoes += 1;
    const channel = `ahp-terminal:/echo-${echoes}`;
    await greet(typist, "typist", spoken);
    const claim = { kind: "client", clientId: "typist" };
    await ask(typist, 3, "createTerminal", { channel, claim, cwd: "file:///" });
    await greet(viewer, "viewer", { ...spoken, channel });
    let clientSeq = 0;
    const latencies = await measureKeys(viewer, keys, (data) => {
      clientSeq += 1;
      const params = { channel, clientSeq, action: { type: "terminal/input", data } };
      typist.send(JSON.stringify({ jsonrpc: "2.0", method: "dispatchAction", params }));
    });
    await ask(typist, 4, "disposeTerminal", { channel });
    typist.terminate();
    viewer.terminate();
    return latencies;
  },
  /** The same with the plain server, whose echo terminal is shared by the clients of `/echo`. */
  typePlain: async ({ url, keys }: { readonly url: string; readonly keys: number }): Promise<number[]> => {
    const typist = await connect(`${url}/echo`);
    const viewer = await connect(`${url}/echo`);
    const latencies = await measureKeys(viewer, keys, (text) => typist.send(text));
    typist.terminate();
    viewer.terminate();
    return latencies;
  },
});

/** Requests that the program handles. */
export type ClientsProgram = typeof program;
