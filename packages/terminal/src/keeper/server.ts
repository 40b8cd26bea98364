// The keeper's socket: it accepts one host, and programs that want its status or its end.
import { once } from "node:events";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { type Server, type Socket, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { toFailure } from "../process/helper/wire.ts";
import { TerminalError } from "../terminal-error.ts";
import { FRAME, FrameError, type FrameHandler, FrameReader, decodeJson, encodeJson } from "./frame.ts";
import type { HeldRuns } from "./held-runs.ts";
import { HostConnection } from "./host-connection.ts";
import { isSameKey, writeKey } from "./key.ts";
import { type Hello, type KeeperStatus, PROTOCOL_VERSION, type Welcome } from "./message.ts";
import type { KeeperPlace } from "./place.ts";

/** A connection that has not said what it wants by then is closed. */
const helloBoundMs = 5000;
/** A host that does not read the last bytes is waited for no longer than this. */
const closeBoundMs = 5000;
/** Connections beyond this are closed: one host, and a few that ask for the status. */
const maxConnections = 64;
/** How often the socket is looked for: cleaners of temporary folders remove what is in use. */
const lookMs = 1000;

/** How a keeper serves. */
export interface ServerParts {
  readonly place: KeeperPlace;
  readonly runs: HeldRuns;
  /** The secret that every connection begins with. */
  readonly key: string;
  readonly version: string;
  /** The process that forks for the keeper. */
  readonly helperPid: () => number | undefined;
  readonly protocol?: number | undefined;
  readonly log: (message: string) => void;
  /** Called when the keeper has ended everything at somebody's request. */
  readonly onEnded: () => void;
  /** Called when the home was removed and no host is attached. */
  readonly onHomeGone: () => void;
}

/** Listens for as long as the keeper lives. */
export class KeeperServer {
  readonly #parts: ServerParts;
  readonly #protocol: number;
  readonly #startedAtMs = Date.now();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #host: HostConnection | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#protocol = parts.protocol ?? PROTOCOL_VERSION;
  }

  /** Whether a host is connected. */
  get hasHost(): boolean {
    return this.#host !== undefined;
  }

  async listen(): Promise<void> {
    await this.#listenNow();
    this.#watch = setInterval(() => void this.#look(), lookMs);
    this.#watch.unref();
  }

  /** Removes the socket; nobody can connect any more. */
  stopListening(): void {
    clearInterval(this.#watch);
    this.#server?.close();
    this.#server = undefined;
  }

  /** Ends every connection; resolves when what was sent has arrived, or after a moment. */
  async close(): Promise<void> {
    this.stopListening();
    const closed = Promise.all([...this.#sockets].map((socket) => once(socket, "close")));
    this.#host?.endConnection();
    for (const socket of this.#sockets) socket.end();
    await Promise.race([closed, sleep(closeBoundMs)]);
  }

  async #listenNow(): Promise<void> {
    const { socket } = this.#parts.place;
    rmSync(socket, { force: true });
    const server = createServer((connection) => this.#accept(connection));
    server.maxConnections = maxConnections;
    // Nobody else may connect between the moment that it is made and the moment that its mode is set.
    const before = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(socket, resolve);
      });
    } finally {
      process.umask(before);
    }
    chmodSync(socket, 0o600);
    this.#server = server;
  }

  /** A socket or a key that was deleted is made again; connections are not affected. */
  async #look(): Promise<void> {
    const { place, key, onHomeGone } = this.#parts;
    if (existsSync(place.socket) && existsSync(place.key)) return;
    // No host will ever find it again.
    if (!existsSync(place.home) && !this.hasHost) return onHomeGone();
    // The lock is gone as well: somebody removes the home just now, and a new socket would be in the way.
    if (!existsSync(place.lock)) return;
    try {
      if (!existsSync(place.key)) writeKey(place.key, key);
      if (existsSync(place.socket)) return;
      this.#server?.close();
      await this.#listenNow();
      this.#parts.log("the socket was deleted, and has been made again");
    } catch (error) {
      // The folder is gone as well: the next look tries again.
      this.#parts.log(`no socket or key: ${String(error)}`);
    }
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const helloTimeout = setTimeout(() => socket.destroy(), helloBoundMs);
    let handler: FrameHandler | undefined;
    const reader = new FrameReader({
      part: (header, bytes, offset) => requireHello(handler).part(header, bytes, offset),
      frame: (header, payload) => {
        if (handler !== undefined) return handler.frame(header, payload);
        if (header.type !== FRAME.hello) throw new FrameError(`frame type ${header.type} before a hello`);
        clearTimeout(helloTimeout);
        handler = this.#welcome(socket, decodeJson(payload) as Hello);
      },
    });
    socket.on("data", (chunk) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.#refuse(socket, error);
      }
    });
    // A host that was killed; its runs wait for the next.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(helloTimeout);
      this.#sockets.delete(socket);
      if (handler instanceof HostConnection) this.#leave(handler);
    });
  }

  #leave(host: HostConnection): void {
    host.close();
    if (this.#host !== host) return;
    this.#host = undefined;
    // The last hosts of a keeper that ends may have removed its home by now.
    if (this.#server !== undefined) this.#parts.log(`host ${host.hostPid} has left`);
  }

  #welcome(socket: Socket, hello: Hello): FrameHandler {
    this.#requireKey(hello);
    switch (hello.purpose) {
      case "status":
        void this.#sendStatus(socket);
        return ignoring;
      case "end":
        void this.#end(hello.graceMs).then(() => this.#write(socket, FRAME.welcome, {}));
        return ignoring;
      case "host":
        return this.#welcomeHost(socket, hello);
      default:
        throw new FrameError("unknown purpose");
    }
  }

  /** Landlock lets sandboxed commands connect to any socket, but not read the key (K733). */
  #requireKey({ key }: Hello): void {
    if (isSameKey(this.#parts.key, key)) return;
    const { place, version } = this.#parts;
    throw new TerminalError(
      "denied",
      `The keeper of this home (version ${version}, PID ${process.pid}) accepts only programs that send the key in ` +
        `${place.key}, which earlier versions do not. Use version ${version}, or end the keeper with everything ` +
        `that it holds: kill ${process.pid}`,
    );
  }

  #welcomeHost(socket: Socket, { protocol, home, pid }: Hello): FrameHandler {
    const { place, runs, version, helperPid, log } = this.#parts;
    if (home !== place.home) {
      throw new TerminalError("invalid_request", `This keeper belongs to ${place.home}`, { field: "home" });
    }
    if (protocol !== this.#protocol) {
      throw new TerminalError("keeper_version", `keeper ${version} speaks protocol ${this.#protocol}`);
    }
    const port = runs.takeOver();
    log(`host ${pid} has taken over, epoch ${port.epoch}`);
    const host = new HostConnection(
      socket,
      port,
      pid,
      (graceMs) => this.#end(graceMs),
      () => runs.pinMemory(),
    );
    this.#host = host;
    const welcome: Welcome = {
      protocol: this.#protocol,
      version,
      pid: process.pid,
      epoch: port.epoch,
      keysInput: true,
      helperPid: helperPid(),
    };
    this.#write(socket, FRAME.welcome, welcome);
    return host;
  }

  async #sendStatus(socket: Socket): Promise<void> {
    const { runs, version } = this.#parts;
    const status: KeeperStatus = {
      protocol: this.#protocol,
      version,
      pid: process.pid,
      epoch: runs.epoch,
      hostPid: this.#host?.hostPid,
      startedAtMs: this.#startedAtMs,
      memoryBytes: runs.memoryBytes,
      residentBytes: process.memoryUsage.rss(),
      runs: await runs.listRuns(),
      sandboxes: runs.listSandboxes().map(({ sandbox, tag }) => ({ id: sandbox.id, tag })),
    };
    this.#reply(socket, FRAME.welcome, status);
  }

  async #end(graceMs: number | undefined): Promise<void> {
    this.#parts.log("asked to end");
    await this.#parts.runs.close(graceMs);
    setImmediate(() => this.#parts.onEnded());
  }

  #write(socket: Socket, type: number, value: unknown): void {
    if (socket.destroyed) return;
    for (const part of encodeJson(type, 0, value)) socket.write(part);
  }

  #reply(socket: Socket, type: number, value: unknown): void {
    this.#write(socket, type, value);
    socket.end();
  }

  /** Says why, and closes: what follows malformed bytes cannot be understood. */
  #refuse(socket: Socket, error: unknown): void {
    if (socket.destroyed || socket.writableEnded) return;
    this.#parts.log(`connection refused: ${String(error)}`);
    const failure =
      error instanceof FrameError ? { code: "invalid_request", message: error.message } : toFailure(error);
    this.#reply(socket, FRAME.refused, {
      failure,
      protocol: this.#protocol,
      version: this.#parts.version,
      pid: process.pid,
    });
    socket.on("finish", () => socket.destroy());
  }
}

/** For connections that have nothing more to say. */
const ignoring: FrameHandler = { part: () => {}, frame: () => {} };

function requireHello(handler: FrameHandler | undefined): FrameHandler {
  if (handler === undefined) throw new FrameError("bytes before a hello");
  return handler;
}
