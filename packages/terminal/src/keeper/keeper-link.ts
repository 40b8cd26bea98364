// A host's connection to its keeper: frames in and out, requests and their replies.
import { type Socket, connect } from "node:net";
import { fromFailure } from "../process/helper/wire.ts";
import { TerminalError } from "../terminal-error.ts";
import { FRAME, type FrameHeader, FrameReader, decodeJson, encodeHeader, encodeJson } from "./frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import { type KeyedPiece, encodeKey } from "./input-keys.ts";
import type {
  CommandMessage,
  EventMessage,
  Hello,
  Refused,
  ReplyMessage,
  RequestName,
  Requests,
  Welcome,
} from "./message.ts";
import type { RunStream } from "../process/port.ts";

/** One buffer for a process: bytes are handled before the next read can begin. */
let shared: Buffer | undefined;
const readBytes = 256 * 1024;

/** Receives what the keeper says of one run. */
export interface LinkedRun {
  bytes(stream: RunStream, bytes: Uint8Array, offset: number): void;
  event(event: EventMessage): void;
  /** Input up to this offset was passed on. */
  taken(offset: number): void;
}

/** How a connection ended. */
export type LinkEnd = "fenced" | "lost" | "ended" | "closed";

/** Receives what happens to a connection besides its frames. */
export interface LinkEvents {
  /** Called once, after every pending request was rejected. */
  readonly ended: (end: LinkEnd) => void;
  /** A receiver of a run's events has thrown; the connection continues. */
  readonly fault: (error: unknown) => void;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Connects and says hello; the first frame of the response. Rejects with the system's error when nobody listens. */
export function openLink(
  path: string,
  hello: Hello,
): Promise<{ socket: Socket; reader: LinkReader; type: number; payload: unknown }> {
  return new Promise((resolve, reject) => {
    const reader = new LinkReader((header, payload) => {
      const value = payload.length === 0 ? undefined : decodeJson(payload);
      resolve({ socket, reader, type: header.type, payload: value });
    });
    shared ??= Buffer.allocUnsafeSlow(readBytes);
    const buffer = shared;
    const socket = connect({
      path,
      onread: {
        buffer,
        callback: (length) => {
          reader.push(buffer.subarray(0, length), socket);
          return true;
        },
      },
    });
    socket.on("error", reject);
    socket.once("close", () => reject(new TerminalError("lost", "The keeper closed the connection")));
    socket.once("connect", () => {
      for (const part of encodeJson(FRAME.hello, 0, hello)) socket.write(part);
    });
  });
}

/** Frames of a connection: the first is the response to the hello, those after it wait for `listen`. */
export class LinkReader {
  readonly #early: { readonly header: FrameHeader; readonly payload: Buffer }[] = [];
  readonly #reader: FrameReader;
  #onFrame: (header: FrameHeader, payload: Buffer) => void;
  #onPart: (header: FrameHeader, bytes: Buffer, offset: number) => void = () => {};

  constructor(onFirst: (header: FrameHeader, payload: Buffer) => void) {
    this.#onFrame = (header, payload) => {
      // It may be that the host is fenced already: the frame that says so comes in the same piece.
      this.#onFrame = (later, bytes) => void this.#early.push({ header: later, payload: Buffer.from(bytes) });
      onFirst(header, payload);
    };
    this.#reader = new FrameReader({
      frame: (header, payload) => this.#onFrame(header, payload),
      part: (header, bytes, offset) => this.#onPart(header, bytes, offset),
    });
  }

  /** Passes on the frames that have come, and those that will. */
  listen(
    onFrame: (header: FrameHeader, payload: Buffer) => void,
    onPart: (header: FrameHeader, bytes: Buffer, offset: number) => void,
  ): void {
    this.#onFrame = onFrame;
    this.#onPart = onPart;
    for (const { header, payload } of this.#early.splice(0)) onFrame(header, payload);
  }

  push(chunk: Buffer, socket: Socket): void {
    try {
      this.#reader.push(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
  }
}

/** An accepted host's connection. It ends once: by the next host, by the keeper's death, or by the host itself. */
export class KeeperLink {
  readonly welcome: Welcome;
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  readonly #runs = new Map<number, LinkedRun>();
  readonly #pending = new Map<number, Pending>();
  readonly #events: LinkEvents;
  #nextNumber = 1;
  #end: LinkEnd | undefined;

  private constructor(socket: Socket, reader: LinkReader, welcome: Welcome, events: LinkEvents) {
    this.welcome = welcome;
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
    this.#events = events;
    socket.on("close", () => this.#finish("lost"));
    reader.listen(
      (header, payload) => this.#frame(header, payload),
      ({ run, stream }, bytes, offset) => this.#notify(run, (each) => each.bytes(stream, bytes, offset)),
    );
    if (socket.closed) this.#finish("lost");
  }

  /** Connects as the host. */
  static async open(path: string, hello: Hello, events: LinkEvents): Promise<KeeperLink> {
    const { socket, reader, type, payload } = await openLink(path, hello);
    if (type === FRAME.welcome) return new KeeperLink(socket, reader, payload as Welcome, events);
    socket.destroy();
    if (type !== FRAME.refused) {
      throw new TerminalError("keeper_version", `Unknown response ${type} of the keeper`);
    }
    throw explainRefusal(payload as Refused & Partial<Welcome>);
  }

  /** How the connection ended; undefined while it lives. */
  get end(): LinkEnd | undefined {
    return this.#end;
  }

  /** A number for a run, and the receiver of its events. */
  add(run: LinkedRun): number {
    const number = this.#nextNumber++;
    this.#runs.set(number, run);
    return number;
  }

  remove(run: number): void {
    this.#runs.delete(run);
  }

  request<Name extends RequestName>(
    name: Name,
    params: Requests[Name]["params"],
    run = 0,
  ): Promise<Requests[Name]["result"]> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) throw endError(this.#end);
      const reply = this.#nextNumber++;
      this.#pending.set(reply, { resolve, reject });
      this.#send(encodeJson(FRAME.request, run, { ...params, do: name, reply }));
    });
  }

  command(message: CommandMessage, run = 0): void {
    this.#send(encodeJson(FRAME.command, run, message));
  }

  /** A keeper that does not read keys gets the bytes alone. */
  input(run: number, offset: number, bytes: Uint8Array, piece?: KeyedPiece): void {
    if (piece === undefined || this.welcome.keysInput !== true) {
      return this.#send([encodeHeader(FRAME.input, bytes.length, run, "output", offset), bytes]);
    }
    const key = encodeKey(piece);
    const sizeBytes = key.length + bytes.length;
    return this.#send([encodeHeader(FRAME.input, sizeBytes, run, "output", offset, 1), key, bytes]);
  }

  credit(run: number, stream: RunStream, bytes: number): void {
    this.#send([encodeHeader(FRAME.credit, 0, run, stream, bytes)]);
  }

  acknowledge(run: number, stream: RunStream, offset: number, note: string | undefined): void {
    if (note === undefined) return this.#send([encodeHeader(FRAME.acknowledge, 0, run, stream, offset)]);
    const payload = Buffer.from(note, "utf8");
    this.#send([encodeHeader(FRAME.acknowledge, payload.length, run, stream, offset, 1), payload]);
  }

  /** Resolves when the connection is closed, by whichever side. */
  untilClosed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve();
      else this.#socket.once("close", () => resolve());
    });
  }

  /** Ends the connection; resolves when it is closed. */
  close(): Promise<void> {
    this.#finish("closed");
    this.#socket.end();
    return this.untilClosed();
  }

  #frame(header: FrameHeader, payload: Buffer): void {
    switch (header.type) {
      case FRAME.event: {
        const event = decodeJson(payload) as EventMessage;
        return this.#notify(header.run, (run) => run.event(event));
      }
      case FRAME.taken:
        return this.#notify(header.run, (run) => run.taken(header.offset));
      case FRAME.reply:
        return this.#reply(decodeJson(payload) as ReplyMessage);
      case FRAME.fenced:
        this.#finish("fenced");
        return void this.#socket.destroy();
      case FRAME.ended:
        this.#finish("ended");
        return void this.#socket.destroy();
      case FRAME.refused:
        return void this.#socket.destroy();
    }
  }

  /** The fault of one receiver is not the keeper's: the others get theirs. */
  #notify(number: number, call: (run: LinkedRun) => void): void {
    const run = this.#runs.get(number);
    if (run === undefined) return;
    try {
      call(run);
    } catch (error) {
      this.#events.fault(error);
    }
  }

  #reply(message: ReplyMessage): void {
    const pending = this.#pending.get(message.reply);
    this.#pending.delete(message.reply);
    if ("failure" in message) pending?.reject(fromFailure(message.failure));
    else pending?.resolve(message.value);
  }

  #finish(end: LinkEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (const pending of this.#pending.values()) pending.reject(endError(end));
    this.#pending.clear();
    this.#runs.clear();
    this.#events.ended(end);
  }

  #send(parts: readonly Uint8Array[]): void {
    if (this.#end === undefined) this.#writer.send(parts);
  }
}

/** The error of a call on a connection that has ended. */
export function endError(end: LinkEnd): TerminalError {
  switch (end) {
    case "fenced":
      return new TerminalError("fenced", "Another host has taken over; this one must stop");
    case "lost":
      return new TerminalError("lost", "The keeper died");
    case "ended":
      return new TerminalError("lost", "The keeper has ended");
    case "closed":
      return new TerminalError("closed", "The process port is closed");
  }
}

/** The error of a connection that the keeper does not accept. */
export function explainRefusal({ failure, version, pid }: Refused & Partial<Welcome>): TerminalError {
  if (failure.code !== "keeper_version") return fromFailure(failure);
  return new TerminalError(
    "keeper_version",
    `The keeper of this home (version ${version}, PID ${pid}) speaks a protocol that this version does not. ` +
      "Run `holdfast stop --all`, which ends what it runs, and start again; or start version " +
      `${version}, which can use it.`,
  );
}
