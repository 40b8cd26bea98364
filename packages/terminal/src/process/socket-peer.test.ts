// The other end of local connections, with real sockets and processes.
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { platform } from "./platform.ts";
import type { RunSink } from "./port.ts";
import { type SocketEnds, SocketPeers } from "./socket-peer.ts";
import { Spawner } from "./spawner.ts";

const spawner = new Spawner({ environment: { PATH: process.env["PATH"] } });
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer().listen(0, "::");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});

afterAll(async () => {
  server.close();
  await spawner.close();
});

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): SocketEnds {
  return {
    localAddress: localAddress ?? "",
    localPort: localPort ?? 0,
    remoteAddress: remoteAddress ?? "",
    remotePort: remotePort ?? 0,
  };
}

/** Runs a shell command that connects, until the test has looked at the other end. */
async function connectFrom(line: string, marker: string, host = "127.0.0.1"): Promise<Socket> {
  let output = "";
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_, reject) => void (fail = reject));
  failed.catch(() => undefined);
  const sink: RunSink = {
    bytes: (_stream, bytes) => void (output += Buffer.from(bytes).toString()),
    exit: () => {},
    end: () => fail(new Error(`The command ended before it connected: ${output}`)),
  };
  const connected = once(server, "connection");
  const connection = `exec 3<>/dev/tcp/${host}/${port}; read -r _ <&3`;
  const run = await spawner.start(
    {
      kind: "text",
      command: "bash",
      args: ["-c", line, "bash", connection],
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "" },
      marker,
    },
    sink,
  );
  const [socket] = (await Promise.race([connected, failed])) as [Socket];
  socket.once("close", () => void run.end(0).then(() => run.release()));
  return socket;
}

describe.skipIf(!platform.hasProcFs)("[A626] the process at the other end", () => {
  const peers = new SocketPeers();

  it.each(["127.0.0.1", "::1"])(
    "[A626] is this one, without markers, when it connects to %s itself",
    async (host) => {
      const connected = once(server, "connection");
      const client = connect(port, host);
      const [socket] = (await connected) as [Socket];
      const found = await peers.findSocket(endsOf(socket));
      expect(found).toMatchObject({ uid: process.getuid?.() });
      expect(found && (await peers.findProcess(found))).toMatchObject({ pid: process.pid, markers: [] });
      client.destroy();
      socket.destroy();
      await once(client, "close");
      expect(await peers.findSocket(endsOf(socket))).toBeUndefined();
    },
  );

  it.each([
    ["itself", 'eval "$1"', "127.0.0.1"],
    ["over IPv6", 'eval "$1"', "::1"],
    ["without its environment", 'env -i bash -c "$1"; true', "127.0.0.1"],
    ["with a forged marker", 'HOLDFAST_TERMINAL=forged bash -c "$1"; true', "127.0.0.1"],
    ["in another session", 'setsid -w bash -c "$1"; true', "127.0.0.1"],
    ["as an orphan", '(setsid bash -c "$1" &) ; sleep 60', "127.0.0.1"],
  ])("[A626] has the marker of its command, %s", async (name, line, host) => {
    // One for each: the end of a run ends whatever has its marker.
    const marker = `marker of a command that connects ${name}`;
    const socket = await connectFrom(line, marker, host);
    const found = await peers.findSocket(endsOf(socket));
    const peer = found && (await peers.findProcess(found));
    expect(peer?.markers).toContain(marker);
    expect(peer?.pid).not.toBe(process.pid);
    socket.destroy();
  });

  it("[T703] of many connections at once is found in one search", async () => {
    const absent = { uid: process.getuid?.() ?? 0, inode: "1" };
    const cpuMsOf = async (count: number): Promise<number> => {
      const before = process.cpuUsage();
      const found = await Promise.all(Array.from({ length: count }, () => peers.findProcess(absent)));
      expect(found).toEqual(Array.from({ length: count }, () => undefined));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await cpuMsOf(1);
    const oneMs = await cpuMsOf(1);
    expect(await cpuMsOf(30)).toBeLessThan(6 * oneMs + 10);
  });
});
