// Output of the terminals that a session's tool calls show, forwarded to one editor at its pace.
import { StringDecoder } from "node:string_decoder";
import type { TerminalUri } from "@holdfast/ahp";
import {
  incompleteTailBytes,
  terminalIdOf,
  type Hub,
  type TerminalReader,
  type TerminalReading,
} from "@holdfast/core";
import type { TerminalCursor } from "./params.ts";
import { exitMembers, plainText, type SessionUpdate, skippedLine } from "./tool-call.ts";

export interface AttachedTerminalsParts {
  readonly hub: Pick<Hub, "state">;
  readonly follow: (id: string, after: number | undefined, onReadable: () => void) => Promise<TerminalReader>;
  /** Whether the editor shows terminals by reference; otherwise it also gets their text as content. */
  readonly byReference: boolean;
  /** Sends an update, with how far the terminal's output was sent; done when the editor takes more. */
  readonly send: (update: SessionUpdate, terminalId: string, cursor: TerminalCursor) => Promise<void>;
  readonly contentOf: (toolCallId: string) => object[] | undefined;
  /** Called when there is something to forward. */
  readonly onReadable: () => void;
}

interface Shown {
  readonly terminalId: string;
  readonly uri: TerminalUri;
  readonly toolCallId: string;
  reader: Promise<TerminalReader>;
  /** The next byte to send. */
  offset: number;
  /** What comes before this byte is read for the text alone: the editor has it. */
  readonly knownUntil: number;
  readonly knownDecoder: StringDecoder;
  /** The first bytes of a character whose rest has not come. */
  incomplete: Uint8Array;
  /** The end of the output, for editors that show text. */
  text: string;
  /** When the text was last sent; 0 before the first time. */
  textSentMs: number;
  isTextStale: boolean;
  hasExited: boolean;
}

/** Further behind than this, the editor gets the end of the output. */
const maxBehindBytes = 1024 * 1024;
const keptBytes = 256 * 1024;
/** Text is sent as a whole each time, so it is short while the command runs, and not sent often. */
const maxTextLength = 64 * 1024;
const maxLiveTextLength = 8 * 1024;
const textEveryMs = 1000;

/** The terminals of one session on one connection. Its owner closes it. */
export class AttachedTerminals {
  readonly #parts: AttachedTerminalsParts;
  readonly #shown = new Map<string, Shown>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: AttachedTerminalsParts) {
    this.#parts = parts;
  }

  /** Begins to follow a terminal, after what the editor has of it. */
  show(uri: TerminalUri, toolCallId: string, after: TerminalCursor | undefined): void {
    const terminalId = terminalIdOf(uri);
    if (this.#shown.has(terminalId) || this.#isClosed || after === "exited") return;
    const offset = after ?? 0;
    // Text replaces what the editor shows, so it needs what came before (B51).
    const from = this.#parts.byReference ? offset : Math.max(0, offset - maxTextLength);
    this.#shown.set(terminalId, {
      terminalId,
      uri,
      toolCallId,
      reader: this.#open(terminalId, from),
      offset,
      knownUntil: offset,
      knownDecoder: new StringDecoder(),
      incomplete: new Uint8Array(),
      text: "",
      textSentMs: 0,
      isTextStale: false,
      hasExited: false,
    });
    this.#parts.onReadable();
  }

  /** The end of a terminal's output, without what only a screen understands; undefined for one that is not followed. */
  textOf(terminalId: string): string | undefined {
    const shown = this.#shown.get(terminalId);
    if (shown === undefined) return undefined;
    return plainText(shown.hasExited ? shown.text : shown.text.slice(-maxLiveTextLength));
  }

  /** Forwards all there is; done when the editor has it. Says whether there was anything. */
  async forward(): Promise<boolean> {
    let hasSent = false;
    for (const shown of this.#shown.values()) {
      while (!this.#isClosed && !shown.hasExited && (await this.#forwardNext(shown))) hasSent = true;
      await this.#sendText(shown);
    }
    return hasSent;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const shown of this.#shown.values()) closeReader(shown.reader);
  }

  #open(terminalId: string, offset: number): Promise<TerminalReader> {
    const opened = this.#parts.follow(terminalId, offset, this.#parts.onReadable);
    opened.then(this.#parts.onReadable, this.#parts.onReadable);
    return opened;
  }

  async #forwardNext(shown: Shown): Promise<boolean> {
    this.#catchUp(shown);
    const reading = await this.#read(shown);
    if (this.#isClosed) return false;
    switch (reading.kind) {
      case "output":
        await this.#sendOutput(shown, reading);
        return true;
      case "skipped":
        await this.#skip(shown, reading);
        return true;
      case "resized":
        return true;
      case "exited":
        await this.#sendExit(shown, exitMembers(reading.exit));
        return false;
      case "end":
        await this.#sendExit(shown, { exit_code: null, signal: null });
        return false;
      case "nothing":
        return false;
    }
  }

  async #read(shown: Shown): Promise<TerminalReading> {
    try {
      return await (await shown.reader).next();
    } catch {
      // The terminal is gone, with its session: nothing of it will come.
      return { kind: "end" };
    }
  }

  /** A flood that the editor does not keep up with is left out but for its end. */
  #catchUp(shown: Shown): void {
    const { endOffset = 0 } = this.#parts.hub.state(shown.uri, "terminal")?.output ?? {};
    if (endOffset - shown.offset <= maxBehindBytes) return;
    const from = endOffset - keptBytes;
    const skipped = skippedLine(from - shown.offset);
    closeReader(shown.reader);
    shown.reader = this.#open(shown.terminalId, from);
    shown.offset = from;
    shown.incomplete = Buffer.from(skipped);
  }

  async #skip(
    shown: Shown,
    { offset, skippedBytes }: { offset: number; skippedBytes: number },
  ): Promise<void> {
    if (offset <= shown.knownUntil) return addText(shown, skippedLine(skippedBytes));
    const unsentBytes = Math.min(skippedBytes, offset - shown.offset);
    shown.offset = offset;
    await this.#sendData(shown, skippedLine(unsentBytes));
  }

  async #sendOutput(shown: Shown, { offset, bytes }: { offset: number; bytes: Uint8Array }): Promise<void> {
    const known = Math.min(bytes.length, Math.max(0, shown.knownUntil - offset));
    if (known > 0) {
      const text = shown.knownDecoder.write(bytes.subarray(0, known));
      // The first byte may be in the middle of a character.
      addText(shown, shown.text === "" ? text.replace(/^\uFFFD+/, "") : text);
      if (known === bytes.length) return;
    }
    const whole = Buffer.concat([shown.incomplete, bytes.subarray(known)]);
    const end = whole.length - incompleteTailBytes(whole);
    shown.incomplete = whole.subarray(end);
    shown.offset = offset + bytes.length - shown.incomplete.length;
    if (end > 0) await this.#sendData(shown, whole.toString("utf8", 0, end));
  }

  async #sendData(shown: Shown, data: string): Promise<void> {
    const { terminalId, toolCallId } = shown;
    addText(shown, data);
    const meta = { terminal_output: { terminal_id: terminalId, data } };
    const update = { sessionUpdate: "tool_call_update", toolCallId, _meta: meta };
    await this.#parts.send(update, terminalId, shown.offset);
  }

  async #sendExit(shown: Shown, exit: object): Promise<void> {
    const { terminalId, toolCallId } = shown;
    closeReader(shown.reader);
    shown.hasExited = true;
    const content = this.#parts.byReference ? undefined : this.#parts.contentOf(toolCallId);
    shown.isTextStale = false;
    const meta = { terminal_exit: { terminal_id: terminalId, ...exit } };
    const update = {
      sessionUpdate: "tool_call_update",
      toolCallId,
      ...(content && { content }),
      _meta: meta,
    };
    await this.#parts.send(update, terminalId, "exited");
  }

  /** Replaces the text that the editor shows, at most once a second. */
  async #sendText(shown: Shown): Promise<void> {
    if (this.#parts.byReference || !shown.isTextStale || this.#isClosed) return;
    const waitMs = shown.textSentMs + textEveryMs - performance.now();
    if (waitMs > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#parts.onReadable, waitMs);
      this.#timer.unref();
      return;
    }
    const content = this.#parts.contentOf(shown.toolCallId);
    shown.isTextStale = false;
    shown.textSentMs = performance.now();
    if (content === undefined) return;
    const update = { sessionUpdate: "tool_call_update", toolCallId: shown.toolCallId, content };
    await this.#parts.send(update, shown.terminalId, shown.offset);
  }
}

function addText(shown: Shown, text: string): void {
  shown.text = (shown.text + text).slice(-maxTextLength);
  shown.isTextStale = true;
}

function closeReader(reader: Promise<TerminalReader>): void {
  reader.then(
    (opened) => opened.close(),
    // It was never opened.
    () => undefined,
  );
}
