// The chat of a session: in memory while it is in use, found again among what is kept when it is not.
import { createHash } from "node:crypto";
import {
  type ChatState,
  type ChatUri,
  type RequestMark,
  type Turn,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { Storage } from "../ports.ts";

/** How many of the newest turns are looked through for a message that is sent again. */
const maxRepeatDistance = 1000;

/** Where a message is found that is sent again. */
export interface RepeatedRequest {
  readonly turnId: TurnId;
  readonly place: "running" | "waiting" | "ended";
}

/** The chat of one session. */
export class SessionChat {
  readonly uri: ChatUri;
  readonly #hub: Hub;
  readonly #storage: Storage;
  readonly #onLoaded: () => void;
  #isClosed = false;

  /** `onLoaded` is told when it is brought into memory, so that somebody lets go of it again. */
  constructor(uri: ChatUri, hub: Hub, storage: Storage, onLoaded: () => void) {
    this.uri = uri;
    this.#hub = hub;
    this.#storage = storage;
    this.#onLoaded = onLoaded;
  }

  /** Its state, brought into memory if it is not there. */
  get state(): ChatState {
    this.load();
    const state = this.#hub.state(this.uri, "chat");
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** Brings it into memory. */
  load(): void {
    if (this.#isClosed || this.#hub.has(this.uri)) return;
    const stored = this.#storage.loadChannel(this.uri);
    if (stored?.kind !== "chat" || !stored.isOpen) return;
    this.#hub.restore(this.uri, "chat", stored.state);
    // A chat in which something waits is not let go of: what waits here waited in a host that was killed.
    for (const { id } of stored.state.queuedMessages) {
      this.#hub.dispatch(this.uri, { type: "chat/pendingMessageRemoved", kind: "queued", id });
    }
    this.#onLoaded();
  }

  /** Lets go of what is kept anyway, if nobody reads it; gives whether it is out of memory. */
  rest(): boolean {
    return !this.#hub.has(this.uri) || this.#hub.unload(this.uri);
  }

  /** Closes its channel, in memory or not; it does not come back. */
  close(): void {
    this.load();
    this.#isClosed = true;
    if (this.#hub.has(this.uri)) this.#hub.close(this.uri);
  }

  /** A turn that has ended. */
  endedTurn(turnId: TurnId): Turn | undefined {
    return this.state.turns.findLast(({ id }) => id === turnId);
  }

  /** The turn that a message is or was, if it was sent before under the same name. */
  findRepeated({ key, digest }: RequestMark): RepeatedRequest | undefined {
    const { activeTurn, queuedMessages, turns } = this.state;
    const check = (mark: RequestMark | undefined): boolean => {
      if (mark?.key !== key) return false;
      if (mark.digest !== digest) throw new HostError("IDEMPOTENCY_CONFLICT");
      return true;
    };
    if (activeTurn !== undefined && check(activeTurn.message.request)) {
      return { turnId: activeTurn.id, place: "running" };
    }
    const waiting = queuedMessages.find(({ message }) => check(message.request));
    // A message that waits has the name of the turn that it will be.
    if (waiting !== undefined) return { turnId: makeId("turn", waiting.id), place: "waiting" };
    const ended = turns.slice(-maxRepeatDistance).findLast(({ message }) => check(message.request));
    return ended === undefined ? undefined : { turnId: ended.id, place: "ended" };
  }
}

/** The mark of a message that its sender may send again. */
export function markRequest(key: string, { message, attachments = [] }: ChatRequest): RequestMark {
  const digest = createHash("sha256")
    .update(JSON.stringify([message, attachments]))
    .digest("base64url");
  return { key, digest };
}
