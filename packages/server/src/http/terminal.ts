// Operations on terminals, and the events of a terminal's stream.
import type { TerminalReader, TerminalReading } from "@holdfast/core";
import { formatEvent, success, type TerminalEvent } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import { type Chunk, type ChunkSource, EventStream, ReadSignal, type StreamOptions } from "./event-stream.ts";
import type { Handlers } from "./operation-routes.ts";

type TerminalOperation =
  | "createTerminal"
  | "listTerminals"
  | "readTerminal"
  | "streamTerminal"
  | "writeTerminal"
  | "resizeTerminal"
  | "claimTerminal"
  | "interruptTerminal"
  | "killTerminal";

export function terminalHandlers(host: HostPort, options: StreamOptions): Pick<Handlers, TerminalOperation> {
  return {
    createTerminal: async ({ body }, { caller }) => {
      const { cols, rows, input: hasInput, paced: isPaced, ...command } = body;
      const request = { ...command, size: { cols, rows }, hasInput, isPaced };
      return success({ terminal: await host.terminals.create(request, caller) });
    },
    listTerminals: ({ query }, { caller }) =>
      success({ terminals: host.terminals.list(caller, query.session) }),
    readTerminal: async ({ params, query }, { caller }) =>
      success({ output: await host.terminals.read(params.id, query.limitBytes, caller) }),
    streamTerminal: async ({ params, query, headers }, { caller }) => {
      const signal = new ReadSignal();
      const after = headers["last-event-id"] ?? query.after;
      const feed = await host.terminals.follow(params.id, after, caller, signal.notify, query.paced);
      return new EventStream({ source: new TerminalEventSource(feed, signal.notify), signal }, options);
    },
    writeTerminal: async ({ params, body }, { caller }) => {
      const { text, bytes = "", offset, end: isLast } = body;
      const input = text === undefined ? Buffer.from(bytes, "base64") : Buffer.from(text);
      await host.terminals.write(params.id, input, caller, { offset, isLast });
      return success({});
    },
    resizeTerminal: async ({ params, body }, { caller }) =>
      success({ size: await host.terminals.resize(params.id, body, caller) }),
    claimTerminal: async ({ params, body }, { caller }) =>
      success({ terminal: await host.terminals.claim(params.id, body, caller) }),
    interruptTerminal: async ({ params }, { caller }) => {
      await host.terminals.interrupt(params.id, caller);
      return success({});
    },
    killTerminal: async ({ params }, { caller }) => {
      await host.terminals.kill(params.id, caller);
      return success({});
    },
  };
}

type SourceState =
  /** Nothing was asked for; the next read asks. */
  | { readonly kind: "idle" }
  /** The feed is looking; `again` when there may be more than it saw as it began to look. */
  | { readonly kind: "asking"; readonly again: boolean }
  | { readonly kind: "ready"; readonly reading: TerminalReading }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "over" };

/** The source of one terminal's stream. It reads one piece of the feed at a time, and only when its reader has capacity. */
export class TerminalEventSource implements ChunkSource {
  readonly #feed: TerminalReader;
  readonly #wake: () => void;
  #state: SourceState = { kind: "idle" };

  /** `wake` is called when the feed has given something that was asked for. */
  constructor(feed: TerminalReader, wake: () => void) {
    this.#feed = feed;
    this.#wake = wake;
  }

  get isOver(): boolean {
    return this.#state.kind === "over";
  }

  next(): Chunk | undefined {
    switch (this.#state.kind) {
      case "idle":
        this.#ask();
        return undefined;
      case "asking":
        this.#state = { kind: "asking", again: true };
        return undefined;
      case "ready":
        return this.#write(this.#state.reading);
      case "failed":
        throw this.#state.error;
      case "over":
        return undefined;
    }
  }

  close(): void {
    this.#feed.close();
  }

  #ask(): void {
    this.#state = { kind: "asking", again: false };
    this.#feed.next().then(
      (reading) => this.#take(reading),
      (error: unknown) => {
        this.#state = { kind: "failed", error };
        this.#wake();
      },
    );
  }

  #take(reading: TerminalReading): void {
    const isToAskAgain = this.#state.kind === "asking" && this.#state.again;
    if (reading.kind === "nothing") {
      this.#state = { kind: "idle" };
      if (isToAskAgain) this.#ask();
      return;
    }
    this.#state = { kind: "ready", reading };
    this.#wake();
  }

  #write(reading: TerminalReading): string {
    this.#state = { kind: reading.kind === "end" ? "over" : "idle" };
    switch (reading.kind) {
      case "output": {
        const { offset, bytes, stream } = reading;
        // The id is the offset to resume from: that of the byte after these (A53).
        const data = { offset, bytes: encodeBase64(bytes), ...(stream !== undefined && { stream }) };
        return format({ type: "output", data }, offset + bytes.length);
      }
      case "skipped": {
        const { offset, skippedBytes } = reading;
        return format({ type: "skipped", data: { offset, skippedBytes } }, offset);
      }
      case "resized":
        return format({ type: "resized", data: { cols: reading.cols, rows: reading.rows } });
      case "exited":
        return format({ type: "exited", data: { exit: reading.exit, endOffset: reading.endOffset } });
      case "end":
        return format({ type: "close", data: { success: true } });
      case "nothing":
        return "";
    }
  }
}

function format(event: TerminalEvent, id?: number): string {
  return formatEvent(event, id === undefined ? undefined : String(id));
}

function encodeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}
