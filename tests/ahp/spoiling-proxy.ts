// A proxy in front of a host that spoils frames, so that checks can be seen to fail.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";

/** A JSON-RPC message of any kind. */
export interface Frame {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}

/** Makes frames of one; without a function, frames pass as they are. */
export interface Fault {
  /** One for each connection, so that it can remember what passed. */
  readonly connect: () => {
    readonly toClient?: (frame: Frame) => readonly Frame[];
    readonly toHost?: (frame: Frame) => readonly Frame[];
  };
}

/** A proxy to a host. Its opener closes it. */
export class SpoilingProxy {
  readonly #server: WebSocketServer;
  readonly #hosts = new Set<WebSocket>();
  #fault: Fault | undefined;

  private constructor(server: WebSocketServer, target: string) {
    this.#server = server;
    server.on("connection", (client) => this.#connect(client, target));
  }

  static async open(target: string): Promise<SpoilingProxy> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    return new SpoilingProxy(server, target);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are opened from now on have this fault. */
  plant(fault: Fault | undefined): void {
    this.#fault = fault;
  }

  close(): void {
    for (const host of this.#hosts) host.terminate();
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }

  #connect(client: WebSocket, target: string): void {
    const { toClient = same, toHost = same } = this.#fault?.connect() ?? {};
    const host = new WebSocket(target);
    this.#hosts.add(host);
    const early: Buffer[] = [];
    const forward = (data: Buffer): void => relay(data, toHost, host);
    client.on("message", (data: Buffer) =>
      host.readyState === WebSocket.OPEN ? forward(data) : early.push(data),
    );
    host.on("open", () => early.forEach(forward));
    host.on("message", (data: Buffer) => relay(data, toClient, client));
    host.on("close", () => client.close());
    client.on("close", () => host.terminate());
  }
}

const same = (frame: Frame): readonly Frame[] => [frame];

function relay(data: Buffer, spoil: (frame: Frame) => readonly Frame[], to: WebSocket): void {
  const text = data.toString("utf8");
  // A check sends a frame that is no JSON.
  const frames = text.startsWith('{"')
    ? spoil(JSON.parse(text) as Frame).map((each) => JSON.stringify(each))
    : [text];
  for (const frame of frames) to.send(frame);
}
