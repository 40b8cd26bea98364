// `ttyd` with one WebSocket client that counts what it is sent.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { cpuMsOf, isInstalled } from "../installed.ts";
import type { Peer, PeerRun } from "../peer.ts";
import type { Workload } from "../workloads.ts";

const program = "ttyd";
/** The first byte of a message with output in it. */
const outputMessage = "0".charCodeAt(0);
const binaryOpcode = 2;
const closeOpcode = 8;

/** ttyd, or the reason why there is none. */
export function makeTtyd(): Peer | string {
  if (!isInstalled(program)) return `${program} is not installed`;
  return { name: program, channels: ["pty"], isSlow: true, run, close: () => Promise.resolve() };
}

async function run({ file, args }: Workload): Promise<PeerRun> {
  const server = spawn(program, ["--once", "--interface", "lo", "--port", "0", file, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const pid = server.pid ?? 0;
  try {
    const port = await readPort(server.stderr);
    const cpuBefore = cpuMsOf(pid);
    const startedMs = performance.now();
    const socket = await connect(port);
    const bytes = await countOutput(socket);
    const elapsedMs = performance.now() - startedMs;
    const cpuMs = cpuMsOf(pid) - cpuBefore;
    socket.destroy();
    return { bytes, elapsedMs, cpuMs };
  } finally {
    server.kill();
    await exited;
  }
}

function readPort(log: Readable): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    log.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      const port = /port: (\d+)/i.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    log.once("end", () => reject(new Error(`ttyd did not start: ${text.trim()}`)));
  });
}

function connect(port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
      "Sec-WebSocket-Protocol": "tty",
    };
    const upgrade = request({ host: "127.0.0.1", port, path: "/ws", headers });
    upgrade.once("error", reject);
    upgrade.once("upgrade", (_response, socket, head) => {
      socket.unshift(head);
      // The command starts when the client has said who it is and how large its screen is.
      socket.write(clientFrame(JSON.stringify({ AuthToken: "", columns: 80, rows: 24 })));
      resolve(socket);
    });
    upgrade.end();
  });
}

/** A binary message of less than 126 bytes, with a mask of zeros, which leaves it as it is. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x80 | binaryOpcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

/** Counts the output until the server closes the connection. */
function countOutput(socket: Duplex): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    let waiting: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      for (let frame = readFrame(waiting); frame !== undefined; frame = readFrame(waiting)) {
        if (frame.opcode === closeOpcode) resolve(bytes);
        else if (frame.payload[0] === outputMessage) bytes += frame.payload.length - 1;
        waiting = waiting.subarray(frame.end);
      }
    });
    socket.once("close", () => resolve(bytes));
    socket.once("error", () => resolve(bytes));
  });
}

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly end: number;
}

/** The first whole frame in the bytes; a server's frames have no mask. */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return undefined;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = start + length;
  if (bytes.length < end) return undefined;
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: bytes.subarray(start, end), end };
}
