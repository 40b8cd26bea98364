// Reads each incoming message and hands it to what it concerns: a handler, an open request, or a refusal.
import { isNestedDeeper, outlineEnvelope, textOfId } from "./envelope.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import { type AnyNotificationHandler, callHandler } from "./methods.ts";
import type { FrameListener, FrameReader, Framing } from "./framing.ts";
import type { IncomingRequests } from "./incoming.ts";
import type { Lanes } from "./lanes.ts";
import type { RepeatedText } from "./repeated-text.ts";
import type { OutgoingRequests } from "./outgoing.ts";
import type { WarningListener } from "./warning.ts";
import type { RpcId } from "./wire.ts";

export interface InboxOptions {
  unparsable: Framing["unparsable"];
  incoming: IncomingRequests;
  outgoing: OutgoingRequests;
  lanes: Lanes;
  notifications: ReadonlyMap<string, AnyNotificationHandler>;
  onUnknownNotification: ((method: string, params: unknown) => unknown) | undefined;
  orderKey: (method: string, params: unknown) => string | undefined;
  cancelMethod: string | undefined;
  nestedLevels: number;
  /** Notifications that repeat themselves but for a text. */
  repeatedText: RepeatedText | undefined;
  warn: WarningListener;
}

/** Members that a parsed message may have, unchecked. */
interface Envelope {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

const WARNING_CHARACTERS = 200;

export class Inbox implements FrameListener {
  readonly #options: InboxOptions;
  #isClosed = false;
  /** Where the message that is being read begins. */
  #offsetOf: () => number = () => 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** The reader knows where messages begin. */
  readFrom(reader: FrameReader): void {
    this.#offsetOf = () => reader.offset;
  }

  /** Takes a request of an earlier connection again, which was not answered. */
  reopen(text: string, offset: number): void {
    const usual = this.#offsetOf;
    this.#offsetOf = () => offset;
    this.message(text, text.length);
    this.#offsetOf = usual;
  }

  /** Ignores what comes from here on, such as the rest of a chunk in the middle of which the connection closed. */
  close(): void {
    this.#isClosed = true;
  }

  /** The hot path: a notification like the last one but for its text, when nothing of its key waits to be handled. */
  taken(bytes: Uint8Array, start: number, end: number): boolean {
    const { repeatedText } = this.#options;
    if (repeatedText?.resembles(bytes, start, end) !== true || this.#isClosed) return false;
    // Nothing is handled between texts that are joined: what holds for the first holds for all.
    const mayJoin = repeatedText.isJoining || (repeatedText.mayJoin && this.#isFree(repeatedText));
    if (mayJoin && repeatedText.join(bytes, start, end)) return true;
    this.flush();
    const text = repeatedText.read(bytes, start, end);
    if (text === undefined || !this.#isFree(repeatedText)) return false;
    this.#handle(repeatedText, text);
    return true;
  }

  /** Handles the texts that were joined: nothing after them has been handled yet. */
  flush(): void {
    const { repeatedText } = this.#options;
    if (repeatedText?.isJoining === true) this.#handle(repeatedText, repeatedText.takeJoined());
  }

  #isFree({ method, params }: RepeatedText): boolean {
    return this.#options.lanes.isFree(this.#options.orderKey(method, params));
  }

  #handle(repeatedText: RepeatedText, text: string): void {
    try {
      repeatedText.handle(text);
    } catch (error) {
      this.#reportFailure(repeatedText.method, error);
    }
  }

  message(text: string, sizeBytes: number): void {
    this.flush();
    if (this.#isClosed) return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#receiveUnparsable(text);
      return;
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      this.#refuse(null, text);
      return;
    }
    const { nestedLevels } = this.#options;
    // Each level takes two characters at least, so short messages need no look.
    if (text.length > 2 * nestedLevels && isNestedDeeper(message, nestedLevels)) {
      this.#refuseDeep(message, text);
      return;
    }
    this.#receive(message, text, sizeBytes);
  }

  noise(text: string): void {
    this.flush();
    if (!this.#isClosed) this.#options.warn({ kind: "noise", text });
  }

  tooLong(head: string, limitBytes: number): void {
    this.flush();
    if (this.#isClosed) return;
    const { incoming, outgoing, warn } = this.#options;
    warn({ kind: "message-too-long", limitBytes, text: startOf(head) });
    const { idText, hasMethod, hasOutcome } = outlineEnvelope(head);
    if (idText === undefined) return;
    // Neither side should wait for ever because of a message that was not read.
    if (hasMethod) {
      const message = `The message is longer than ${limitBytes} bytes`;
      incoming.refuse(idText, new RpcError(ErrorCode.invalidRequest, message));
    } else if (hasOutcome) outgoing.failTooLong(readId(idText), limitBytes);
  }

  #receive(envelope: Envelope, text: string, sizeBytes: number): void {
    const { id, method, params } = envelope;
    if (method === undefined) {
      this.#receiveAnswer(envelope, text, sizeBytes);
      return;
    }
    if (typeof method !== "string" || envelope.jsonrpc !== "2.0") {
      this.#refuse(id, text);
      return;
    }
    if (id === undefined) {
      const { repeatedText } = this.#options;
      if (method === repeatedText?.method) repeatedText.learn(text, params);
      this.#receiveNotification(method, params, sizeBytes);
    } else if (isRpcId(id)) {
      this.#options.incoming.receive({
        id,
        idText: textOfId(id, text),
        method,
        params,
        sizeBytes,
        text,
        offset: this.#offsetOf(),
      });
    } else this.#refuse(null, text);
  }

  #receiveNotification(method: string, params: unknown, sizeBytes: number): void {
    const { incoming, lanes, orderKey, cancelMethod } = this.#options;
    if (method === cancelMethod) {
      incoming.cancel(params);
      return;
    }
    let key: string | undefined;
    try {
      key = orderKey(method, params);
    } catch (error) {
      this.#reportFailure(method, error);
      return;
    }
    lanes.run(key, sizeBytes, () => this.#notify(method, params));
  }

  #notify(method: string, params: unknown): Promise<void> | undefined {
    const { notifications, onUnknownNotification } = this.#options;
    const handler = notifications.get(method);
    return callHandler(
      () => (handler === undefined ? onUnknownNotification?.(method, params) : handler(params)),
      ignoreResult,
      (error) => {
        this.#reportFailure(method, error);
      },
    );
  }

  #reportFailure(method: string, error: unknown): void {
    this.#options.warn({ kind: "handler-failed", method, error });
  }

  #receiveAnswer(envelope: Envelope, text: string, sizeBytes: number): void {
    const { id, result, error } = envelope;
    if (id === undefined && result === undefined && error === undefined) {
      this.#refuse(null, text);
      return;
    }
    // Whatever looks like an answer is never answered: two peers must not bounce errors.
    if (this.#options.outgoing.answer(id, envelope, sizeBytes)) return;
    this.#options.warn({ kind: "unknown-answer", text: startOf(text) });
  }

  #receiveUnparsable(text: string): void {
    const { incoming, unparsable, warn } = this.#options;
    if (unparsable === "skip") {
      warn({ kind: "noise", text: startOf(text) });
      return;
    }
    warn({ kind: "invalid-message", text: startOf(text) });
    incoming.refuse("null", new RpcError(ErrorCode.parseError, "Parse error"));
  }

  /** Neither side waits for a message that was skipped. */
  #refuseDeep({ id, method }: Envelope, text: string): void {
    const { incoming, outgoing, warn, nestedLevels } = this.#options;
    warn({ kind: "message-too-deep", maxLevels: nestedLevels, text: startOf(text) });
    if (id === undefined) return;
    if (method === undefined) return outgoing.failTooDeep(id, nestedLevels);
    const message = `The message is nested deeper than ${nestedLevels} levels`;
    const idText = isRpcId(id) ? textOfId(id, text) : "null";
    incoming.refuse(idText, new RpcError(ErrorCode.invalidRequest, message));
  }

  #refuse(id: unknown, text: string): void {
    const idText = isRpcId(id) ? textOfId(id, text) : "null";
    this.#options.warn({ kind: "invalid-message", text: startOf(text) });
    this.#options.incoming.refuse(idText, new RpcError(ErrorCode.invalidRequest, "Invalid request"));
  }
}

function isRpcId(id: unknown): id is RpcId {
  return typeof id === "string" || typeof id === "number" || id === null;
}

/** The id of a message of which only the beginning was read; undefined for what is no JSON. */
function readId(idText: string): unknown {
  try {
    return JSON.parse(idText);
  } catch {
    // Nobody asked with such an id.
    return undefined;
  }
}

function startOf(text: string): string {
  return text.slice(0, WARNING_CHARACTERS);
}

function ignoreResult(): void {
  // A notification has no answer.
}
