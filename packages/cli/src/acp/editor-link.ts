// Life of `holdfast acp`: lines of the editor and messages of the host through the bridge, across restarts of the host.
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { NdjsonSplitter } from "@holdfast/jsonrpc";
import type { HostPlace } from "../link/host-link.ts";
import { Bridge } from "./bridge.ts";
import { HostSocket, RefusedError } from "./host-socket.ts";
import { formatError } from "./message.ts";

export interface EditorLinkParts {
  readonly input: Readable;
  readonly output: Writable;
  /** The query of the host's address. */
  readonly query: string;
  /** Finds the host; starts one only if it may. Rejects when there is none. */
  readonly findHost: (mayStart: boolean) => Promise<HostPlace>;
  /** Reports to the editor's log. */
  readonly warn: (line: string) => void;
  /** How long the host is waited for before one is started for an editor that waits. */
  readonly startAfterMs?: number;
}

/** The longest line of an editor: the host takes no longer message. */
const maxLineBytes = 16 * 1024 * 1024;
const invalidRequest = -32600;
const defaultStartAfterMs = 15_000;
/** How long responses are waited for when the editor's input has ended. */
const answerMs = 5000;
const retry = { firstMs: 50, lastMs: 2000 };
/** Above this, the editor is not read. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Serves one editor until its input ends; rejects when the host turns it down. */
export class EditorLink {
  readonly #parts: EditorLinkParts;
  readonly #bridge: Bridge;
  #socket: HostSocket | undefined;
  #isOver = false;
  /** Whether the editor's input has ended. */
  #hasEnded = false;
  #end: (error?: Error) => void = () => {};

  constructor(parts: EditorLinkParts) {
    this.#parts = parts;
    this.#bridge = new Bridge((text) => this.#write(text), parts.warn);
  }

  async run(): Promise<void> {
    const { findHost } = this.#parts;
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#readEditor();
    try {
      // The first host is looked for, or started, before anything else: without one there is nothing to bridge.
      await this.#connect(await findHost(true));
      await ended;
    } finally {
      this.#isOver = true;
      this.#socket?.close();
    }
  }

  #readEditor(): void {
    const { input } = this.#parts;
    const answer = (head: string, code: number, sentence: string): void => {
      const [, id = "null"] = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(head) ?? [];
      this.#write(formatError(JSON.parse(id), code, sentence));
    };
    const splitter = new NdjsonSplitter(
      {
        message: (text) => this.#bridge.fromEditor(text),
        noise: (text) => this.#bridge.fromEditor(text),
        tooLong: (head) => answer(head, invalidRequest, `A message has at most ${maxLineBytes} bytes.`),
      },
      { maxLineBytes },
    );
    input.on("data", (chunk: Buffer) => splitter.push(chunk));
    input.on("end", () => {
      splitter.end();
      this.#hasEnded = true;
      // Requests that came in one go, as from a script, are still answered; an editor that is gone waits for nothing.
      if (!this.#bridge.isAwaited) return this.#end();
      setTimeout(() => this.#end(), answerMs);
    });
    input.on("error", () => this.#end());
  }

  async #connect(place: HostPlace): Promise<void> {
    const socket = await HostSocket.open(place, this.#parts.query, {
      onMessage: (text) => this.#bridge.fromHost(text),
      onClosed: (isFinal) => this.#lost(socket, isFinal),
    });
    this.#socket = socket;
    await this.#bridge.connected({ send: (text) => this.#send(socket, text) });
  }

  #lost(socket: HostSocket, isFinal: boolean): void {
    if (this.#socket !== socket || this.#isOver) return;
    if (isFinal) return this.#end(new RefusedError("The key of this connection was revoked."));
    this.#socket = undefined;
    this.#bridge.disconnected();
    this.#parts.warn("The connection to the host is lost. Reconnecting.");
    this.#reconnect().catch((error: unknown) => {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Tries again and again; a host is started only for an editor that waits, and not at once: one may be restarting. */
  async #reconnect(): Promise<void> {
    const { findHost, warn, startAfterMs = defaultStartAfterMs } = this.#parts;
    const startMs = performance.now() + startAfterMs;
    let hasSaidWhen = false;
    let waitMs = retry.firstMs;
    while (!this.#isOver) {
      await delay(waitMs);
      const leftMs = startMs - performance.now();
      const mayStart = this.#bridge.isAwaited && leftMs <= 0;
      try {
        if (mayStart) warn("Still no host. Starting one.");
        const place = await findHost(mayStart);
        await this.#connect(place);
        warn(`Connected to the host at ${place.url}.`);
        return;
      } catch (error) {
        if (error instanceof RefusedError) throw error;
        if (mayStart) this.#bridge.giveUp(`No host can be reached: ${messageOf(error)}`);
      }
      if (!hasSaidWhen && this.#bridge.isAwaited && leftMs > 0) {
        hasSaidWhen = true;
        warn(`No host runs. If none comes back within ${Math.ceil(leftMs / 1000)} s, one is started.`);
      }
      waitMs = Math.min(
        waitMs * 2,
        retry.lastMs,
        leftMs > 0 ? Math.max(leftMs, retry.firstMs) : retry.lastMs,
      );
    }
  }

  #send(socket: HostSocket, text: string): void {
    const { input } = this.#parts;
    socket.send(text, () => {
      if (input.isPaused() && socket.waitingBytes < maxWaitingBytes) input.resume();
    });
    if (socket.waitingBytes > maxWaitingBytes) input.pause();
  }

  #write(text: string): void {
    const { output } = this.#parts;
    const isTaken = output.write(`${text}\n`);
    if (this.#hasEnded && !this.#bridge.isAwaited) this.#end();
    if (isTaken) return;
    const socket = this.#socket;
    socket?.pause();
    output.once("drain", () => socket?.resume());
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
