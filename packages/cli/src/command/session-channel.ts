// The live state of one session, by its key: what it does just now, and its conversation.
import {
  ROOT_URI,
  defaultChatUri,
  makeId,
  sessionPhase,
  type ChatState,
  type RootState,
  type SessionPhase,
  type SessionState,
  type SessionUri,
} from "@holdfast/ahp";
import type { ChannelHandle } from "@holdfast/ahp/client";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { HostLink } from "../link/host-link.ts";
import { shortSessionName } from "./session-name.ts";

/** Who waits for changes of a session, and whether there will be none any more. */
interface Changes {
  readonly listeners: Set<() => void>;
  isGone: boolean;
}

export class SessionChannel {
  readonly #session: ChannelHandle<"session">;
  readonly #chat: ChannelHandle<"chat">;
  readonly #changes: Changes;

  private constructor(session: ChannelHandle<"session">, chat: ChannelHandle<"chat">, changes: Changes) {
    this.#session = session;
    this.#chat = chat;
    this.#changes = changes;
  }

  /** Follows a session by its key; rejects when the host has none that is open. */
  static async open(link: HostLink, sessionKey: string): Promise<SessionChannel> {
    const client = await link.ahp({ waits: true });
    const root = await client.subscribe(ROOT_URI, "root");
    const uri = findSession(root.state, sessionKey);
    root.close();
    const changes: Changes = { listeners: new Set(), isGone: false };
    const onEvent = ({ type }: { readonly type: string }): void => {
      changes.isGone ||= type === "gone";
      for (const listener of changes.listeners) listener();
    };
    const session = await client.subscribe(uri, "session", { onEvent });
    const chat = await client.subscribe(session.state.defaultChat ?? defaultChatUri(uri), "chat", {
      onEvent,
    });
    return new SessionChannel(session, chat, changes);
  }

  get session(): SessionState {
    return this.#session.state;
  }

  get chat(): ChatState {
    return this.#chat.state;
  }

  get phase(): SessionPhase {
    return sessionPhase(this.#session.state);
  }

  /** Whether there will be no more turns. */
  get isOver(): boolean {
    const { status } = this.#session.state.lifecycle;
    return this.#changes.isGone || status === "closed" || status === "failed";
  }

  /** Waits until the session is as wanted, or over; ends early with the signal. */
  async until(isWanted: () => boolean, signal?: AbortSignal): Promise<void> {
    const isDone = (): boolean => isWanted() || this.isOver || signal?.aborted === true;
    if (isDone()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isDone()) return;
        this.#changes.listeners.delete(look);
        signal?.removeEventListener("abort", look);
        resolve();
      };
      this.#changes.listeners.add(look);
      signal?.addEventListener("abort", look);
    });
  }

  /** Takes a message out of the line that it waits in; false when it does not wait. */
  async withdraw(turnId: string): Promise<boolean> {
    // A message that waits has the name of the turn that it will be.
    const id = makeId("pending message", turnId);
    if (!this.#chat.state.queuedMessages.some((pending) => pending.id === id)) return false;
    const { status } = await this.#chat.dispatch({ type: "chat/pendingMessageRemoved", kind: "queued", id });
    return status === "confirmed";
  }
}

function findSession({ sessions }: RootState, sessionKey: string): SessionUri {
  const session = sessions.find(({ key }) => key === sessionKey);
  if (session !== undefined) return session.resource;
  throw new CommandError(
    "ACP_SESSION_NOT_FOUND",
    `There is no open session ${shortSessionName(sessionKey)}.`,
    {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast ls` lists the sessions that are open.",
    },
  );
}
