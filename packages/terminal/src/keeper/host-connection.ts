// The keeper's end of one host's connection: frames to calls of its port, and what runs report to frames.
import type { Socket } from "node:net";
import { toFailure } from "../process/helper/wire.ts";
import type { RunStream } from "../process/port.ts";
import { TerminalError } from "../terminal-error.ts";
import type { FeedSink } from "./feed.ts";
import {
  FRAME,
  FrameError,
  type FrameHandler,
  type FrameHeader,
  decodeJson,
  encodeHeader,
  encodeJson,
} from "./frame.ts";
import { FrameWriter } from "./frame-writer.ts";
import type { AttachedRun, HeldPort } from "./held-port.ts";
import { decodeKey } from "./input-keys.ts";
import type {
  CommandMessage,
  EventMessage,
  HeldDescription,
  RequestMessage,
  RunDescription,
} from "./message.ts";

/** Bytes of each stream that are on their way to a host at most. */
const windowBytes = 512 * 1024;
/** With so much waiting in the socket, runs that flood wait for it to drain. */
const socketBoundBytes = 1024 * 1024;
/** Input that was passed on is reported in steps of this size. */
const takenStepBytes = 16 * 1024;
/** A host sends no more input than this before it hears that some was passed on. */
const maxInputBytes = 4 * 1024 * 1024;

/** A host that does not read the last frame by then is disconnected. */
const farewellBoundMs = 5000;

/** A run by the number that the host gave it. */
interface NumberedRun {
  attached: AttachedRun | undefined;
  /** Credits that came before the start was done. */
  readonly early: Record<RunStream, number>;
  takenOffset: number;
}

/** One attached host. */
export class HostConnection implements FrameHandler {
  readonly hostPid: number;
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  readonly #port: HeldPort;
  readonly #onClose: (graceMs: number | undefined) => Promise<void>;
  readonly #runs = new Map<number, NumberedRun>();

  /** `onClose` is called when the host wants everything ended, `pinMemory` when it is fenced. */
  constructor(
    socket: Socket,
    port: HeldPort,
    hostPid: number,
    onClose: (graceMs: number | undefined) => Promise<void>,
    pinMemory: () => () => void,
  ) {
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
    this.#port = port;
    this.hostPid = hostPid;
    this.#onClose = onClose;
    socket.on("drain", () => port.pump());
    port.onFenced(() => {
      socket.once("close", pinMemory());
      this.#finish(FRAME.fenced);
    });
  }

  part(header: FrameHeader): void {
    throw new FrameError(`unexpected frame type ${header.type}`);
  }

  frame(header: FrameHeader, payload: Buffer): void {
    if (!this.#port.isCurrent) return;
    switch (header.type) {
      case FRAME.request:
        return this.#request(header, decodeJson(payload) as RequestMessage);
      case FRAME.command:
        return this.#command(header.run, decodeJson(payload) as CommandMessage);
      case FRAME.input:
        return this.#input(header, payload);
      case FRAME.credit:
        return this.#credit(header);
      case FRAME.acknowledge: {
        const note = (header.flags & 1) === 1 ? payload.toString("utf8") : undefined;
        return this.#runs.get(header.run)?.attached?.acknowledge(header.stream, header.offset, note);
      }
      default:
        throw new FrameError(`unexpected frame type ${header.type}`);
    }
  }

  /** The connection is gone: its runs wait for the next host. */
  close(): void {
    // Nothing to wait for.
    void this.#port.detach();
  }

  /** The keeper ends. */
  endConnection(): void {
    this.#finish(FRAME.ended);
  }

  #finish(type: number): void {
    this.#send([encodeHeader(type, 0, 0)]);
    this.#socket.end();
    const timer = setTimeout(() => this.#socket.destroy(), farewellBoundMs);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  #request({ run }: FrameHeader, message: RequestMessage): void {
    const { reply } = message;
    this.#perform(run, message).then(
      (value) => this.#send(encodeJson(FRAME.reply, run, { reply, value: value ?? null })),
      (error: unknown) => this.#send(encodeJson(FRAME.reply, run, { reply, failure: toFailure(error) })),
    );
  }

  #perform(run: number, message: RequestMessage): Promise<unknown> {
    switch (message.do) {
      case "start":
        return this.#open(run, (sink) => this.#port.start(message.request, sink, windowBytes));
      case "attach":
        return this.#open(run, (sink) => this.#port.attach(message.id, sink, message.from, windowBytes));
      case "held":
        return this.#held();
      case "isolation":
        return this.#port.isolation();
      case "openSandbox":
        return this.#port.openSandbox(message.spec, message.tag);
      case "end":
        return this.#attached(run).end(message.graceMs);
      case "members":
        return this.#attached(run).members();
      case "interrupt":
        return this.#attached(run).interrupt();
      case "inputTaken":
        return this.#attached(run).inputTaken();
      case "detach":
        return this.#port.detach();
      case "close":
        return this.#onClose(message.graceMs);
      default:
        throw new FrameError("unknown request");
    }
  }

  #command(run: number, message: CommandMessage): void {
    switch (message.do) {
      case "limit":
        return this.#port.limit(message.scopes);
      case "closeSandbox":
        return this.#port.closeSandbox(message.id);
      case "hold":
        return this.#runs.get(run)?.attached?.hold(message.isHeld);
      case "endInput":
        return this.#runs.get(run)?.attached?.endInput();
      case "resize":
        return void this.#runs.get(run)?.attached?.resize(message.size);
      case "release":
        this.#runs.get(run)?.attached?.release();
        return void this.#runs.delete(run);
      default:
        throw new FrameError("unknown command");
    }
  }

  #attached(run: number): AttachedRun {
    const attached = this.#runs.get(run)?.attached;
    if (attached === undefined) throw new FrameError(`unknown run ${run}`);
    return attached;
  }

  async #open(run: number, open: (sink: FeedSink) => Promise<AttachedRun>): Promise<RunDescription> {
    if (this.#runs.has(run)) throw new FrameError(`run ${run} is in use`);
    const numbered: NumberedRun = { attached: undefined, early: { output: 0, error: 0 }, takenOffset: 0 };
    this.#runs.set(run, numbered);
    try {
      const attached = await open(this.#sink(run));
      numbered.attached = attached;
      numbered.takenOffset = attached.takenInputOffset;
      for (const stream of ["output", "error"] as const) {
        if (numbered.early[stream] > 0) attached.grant(stream, numbered.early[stream]);
      }
      const { id, pid, kind, tree, limits, limitBackends, inputOffset, takenInputOffset, hasInput } =
        attached;
      if (hasInput) attached.onDrain(() => this.#taken(run, numbered));
      return { id, pid, kind, tree, limits, limitBackends, inputOffset, takenInputOffset, hasInput };
    } catch (error) {
      this.#runs.delete(run);
      throw error;
    }
  }

  async #held(): Promise<HeldDescription> {
    const { runs, sandboxes } = await this.#port.held();
    return { runs, sandboxes };
  }

  #sink(run: number): FeedSink {
    const event = (message: EventMessage): void => this.#send(encodeJson(FRAME.event, run, message));
    return {
      bytes: (stream, bytes, offset) =>
        this.#send([encodeHeader(FRAME.bytes, bytes.length, run, stream, offset), bytes]),
      outputEnded: () => event({ on: "outputEnded" }),
      exit: (exit) => event({ on: "exit", exit }),
      end: () => event({ on: "end" }),
      isReady: () => this.#socket.writableLength < socketBoundBytes,
    };
  }

  #input({ run, offset, flags }: FrameHeader, payload: Buffer): void {
    const numbered = this.#runs.get(run);
    if (numbered?.attached === undefined) throw new FrameError(`input of run ${run}, which is not attached`);
    const { attached } = numbered;
    if (attached.inputOffset - numbered.takenOffset > maxInputBytes) {
      throw new FrameError(`more than ${maxInputBytes} bytes of input wait for run ${run}`);
    }
    const { piece, bytes } = (flags & 1) === 1 ? decodeKey(payload) : { bytes: payload };
    try {
      // The buffer belongs to the socket; what waits for the command must not change.
      attached.writeAt(offset, Buffer.from(bytes), piece);
    } catch (error) {
      if (!isInputLoss(error)) throw error;
    }
    if (attached.takenInputOffset - numbered.takenOffset >= takenStepBytes) this.#taken(run, numbered);
  }

  #taken(run: number, numbered: NumberedRun): void {
    numbered.takenOffset = numbered.attached?.takenInputOffset ?? 0;
    this.#send([encodeHeader(FRAME.taken, 0, run, "output", numbered.takenOffset)]);
  }

  #credit({ run, stream, offset }: FrameHeader): void {
    const numbered = this.#runs.get(run);
    if (numbered === undefined) return;
    if (numbered.attached === undefined) numbered.early[stream] += offset;
    else numbered.attached.grant(stream, offset);
  }

  #send(parts: readonly Uint8Array[]): void {
    this.#writer.send(parts);
  }
}

/** The command has ended, which the host learns from its exit, or does not read: only its own input is lost. */
function isInputLoss(error: unknown): boolean {
  return error instanceof TerminalError && (error.code === "closed" || error.code === "input_full");
}
