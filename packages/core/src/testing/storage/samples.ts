// Channels and actions with which storages are tested: a session with a chat and a terminal, on a hub that is kept.
import {
  type Action,
  type ChatUri,
  type PartId,
  type SessionUri,
  type TerminalClaim,
  type TerminalUri,
  type TurnId,
  chatUri,
  makeId,
  newChatState,
  newSessionState,
  newTerminalState,
  sessionUri,
  terminalUri,
} from "@holdfast/ahp";
import fc from "fast-check";
import { Hub } from "../../channel/hub.ts";
import type { Storage } from "../../ports.ts";

/** A moment, some seconds after the start of all samples. */
export function momentAt(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
}

/** A hub that a storage keeps. */
export function openHub({ journal, sequence }: Storage): Hub {
  return new Hub({
    journal,
    sequence,
    onFault: () => {
      // `settled` rejects as well, and that is what tests look at.
    },
  });
}

/** The URIs of a session and what belongs to it. */
interface SampleSession {
  readonly session: SessionUri;
  readonly chat: ChatUri;
  readonly terminal: TerminalUri;
}

/** Opens a session with a chat and a terminal; its activity is at `seconds`. */
export function openSession(hub: Hub, name: string, seconds = 0): SampleSession {
  const session = sessionUri(makeId("session", name));
  const chat = chatUri(makeId("chat", name));
  const terminal = terminalUri(makeId("terminal", name));
  const at = momentAt(seconds);
  const key = makeId("session key", `agent:shell:acp:${name}`);
  const provider = makeId("agent", "shell");
  const owner = { kind: "person" } as const;
  hub.open(
    session,
    "session",
    newSessionState({ resource: session, key, provider, owner, title: name, at, workingDirectories: [] }),
  );
  hub.open(chat, "chat", newChatState({ resource: chat, title: name, at }));
  hub.dispatch(session, {
    type: "session/chatAdded",
    chat: {
      resource: chat,
      title: name,
      modifiedAt: at,
      isRead: true,
      isArchived: false,
      phase: { status: "idle" },
    },
  });
  hub.dispatch(session, { type: "session/ready", at, backendId: `backend ${name}` });
  const claim: TerminalClaim = { kind: "session", session, chat };
  hub.open(terminal, "terminal", newTerminalState({ resource: terminal, run: "text", title: "make", claim }));
  return { session, chat, terminal };
}

/** One turn: a message, an answer in pieces, and its end. */
export function turnActions(number: number, pieces: readonly string[]): Action[] {
  const turnId = makeId("turn", `turn ${number}`);
  const partId = makeId("part", `part ${number}`);
  return [
    startTurn(turnId, `Question ${number}`),
    { type: "chat/responsePart", turnId, part: { kind: "markdown", id: partId, content: "" } },
    ...pieces.map((content): Action => ({ type: "chat/delta", turnId, partId, content })),
    {
      type: "chat/turnComplete",
      turnId,
      endedAt: momentAt(number),
      durationMs: 1,
      stopReason: "end_turn",
    },
  ];
}

function startTurn(turnId: TurnId, text: string): Action {
  return {
    type: "chat/turnStarted",
    turnId,
    startedAt: momentAt(0),
    message: { text, origin: { kind: "user" } },
  };
}

const turnId = makeId("turn", "t");
const partId = makeId("part", "p");
/** Halves of characters, too: a piece of text may end anywhere. */
const texts = fc.string({
  unit: fc.constantFrom("a", "é", "\ud83d", "\ude00", "\u0000", '"', "\n"),
  maxLength: 30,
});

/** Actions of a chat, most of them pieces of text, some of them transient; a `ChatPlace` says of which turn and part. */
export const chatActions: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: texts.map((content): Action => ({ type: "chat/delta", turnId, partId, content })),
  },
  { weight: 3, arbitrary: texts.map((text) => startTurn(turnId, text)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom("markdown" as const, "reasoning" as const).map((kind): Action => ({
      type: "chat/responsePart",
      turnId,
      part: { kind, id: partId, content: "" },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Action>({
      type: "chat/turnComplete",
      turnId,
      endedAt: momentAt(9),
      durationMs: 5,
      stopReason: "end_turn",
    }),
  },
  texts.map((title): Action => ({ type: "chat/titleChanged", title })),
  texts.map((activity): Action => ({ type: "chat/activityChanged", activity })),
  texts.map((text): Action => ({ type: "chat/draftChanged", draft: { text, origin: { kind: "user" } } })),
);

/** The state of a chat, so that drawn actions fit: a turn is begun once, and text goes to the newest part. */
export class ChatPlace {
  #turns = 0;
  #parts = 0;
  #textType: "chat/delta" | "chat/reasoning" = "chat/delta";

  /** The action in the turn and part that come now. */
  fit(action: Action): Action {
    const turn = { turnId: makeId("turn", `turn ${this.#turns}`) };
    switch (action.type) {
      case "chat/turnStarted":
        return { ...action, ...turn };
      case "chat/turnComplete":
        this.#turns += 1;
        return { ...action, ...turn };
      case "chat/responsePart": {
        const { part } = action;
        if (part.kind !== "markdown" && part.kind !== "reasoning") return action;
        this.#parts += 1;
        this.#textType = part.kind === "markdown" ? "chat/delta" : "chat/reasoning";
        return { ...action, ...turn, part: { ...part, id: this.#partId } };
      }
      case "chat/delta":
        return { ...action, ...turn, type: this.#textType, partId: this.#partId };
      default:
        return action;
    }
  }

  get #partId(): PartId {
    return makeId("part", `part ${this.#parts}`);
  }
}

/** Actions of a session. */
export const sessionActions: fc.Arbitrary<Action> = fc.oneof(
  texts.map((title): Action => ({ type: "session/titleChanged", title })),
  fc.nat(60).map((seconds): Action => ({ type: "session/ready", at: momentAt(seconds) })),
  texts.map((activity): Action => ({ type: "session/activityChanged", activity })),
  fc.constant<Action>({ type: "session/stale", at: momentAt(1), cause: "evicted" }),
);

/** Actions of a terminal. */
export const terminalActions: fc.Arbitrary<Action> = fc.oneof(
  fc.nat(100).map((offset): Action => ({ type: "terminal/data", data: "x", offset, endOffset: offset + 1 })),
  fc
    .tuple(texts, fc.constantFrom("person" as const, "program" as const))
    .map(([title, source]): Action => ({ type: "terminal/titleChanged", title, source })),
  fc.nat(200).map((cols): Action => ({ type: "terminal/resized", cols, rows: 24 })),
);

export function dispatchAll(hub: Hub, uri: string, actions: readonly Action[]): void {
  for (const action of actions) hub.dispatch(uri, action);
}

export function auditEntry(seconds: number, session: string): Parameters<Storage["audit"]["append"]>[0] {
  return {
    at: momentAt(seconds),
    session,
    what: "command",
    subject: "make",
    by: "policy",
    decision: "allowed",
  };
}
