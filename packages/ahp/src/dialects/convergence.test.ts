// Shows that a viewer that follows the actions of a channel sees the same as a new viewer gets in a snapshot.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatAction, ChatState } from "../model/chat/chat.ts";
import { findToolCall } from "../model/chat/turn.ts";
import { makeId } from "../model/ids.ts";
import type { RootState } from "../model/root/root.ts";
import type { SessionState } from "../model/session/session.ts";
import type { TerminalState } from "../model/terminal/terminal.ts";
import { defaultChatUri } from "../model/uri.ts";
import { richChatActions } from "../testing/arbitrary/rich-chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { newStates } from "../testing/states.ts";
import { comparable, comparableTurn, knowable } from "../testing/wire/comparable.ts";
import { listOf, type WireFields } from "../testing/wire/reference.ts";
import { TerminalScreen } from "../testing/wire/channels.ts";
import { Viewer, showState } from "../testing/wire/viewer.ts";
import type { Dialect } from "./dialect.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_10, v0_5_0, v0_5_1, v0_5_2, v0_6, v0_7, v0_8, v0_9, v1_0 } from "./v1_0/v1-0.ts";

const dialects: readonly Dialect[] = [v1_0, v0_10, v0_9, v0_8, v0_7, v0_6, v0_5_2, v0_5_1, v0_5_0, v0_1];
/** Versions that cannot describe again a call that waits for permission. */
const oldest: ReadonlySet<Dialect> = new Set([v0_5_2, v0_5_1, v0_5_0, v0_1]);
/** Of a property, for each dialect. */
const numRuns = process.env["HOLDFAST_LONG"] === undefined ? 15 : 150;
const runsOf = <Action>(actions: fc.Arbitrary<Action>, minLength = 0): fc.Arbitrary<Action[]> =>
  fc.array(actions, { minLength, maxLength: 50, size: "max" });

const chatUri = defaultChatUri(newStates.session.resource);
const newChat: ChatState = { ...newStates.chat, resource: chatUri };

describe.each(dialects)("$name", (dialect) => {
  const isSeed = dialect === v0_1;
  // Only 1.0 and the seed have actions for the flags of a chat.
  const maskFlags = dialect !== v1_0 && !isSeed;

  test("[E31] a viewer of the root converges", () => {
    const config = { schema: {}, values: { a: 1 } };
    const start: RootState = { ...newStates.root, config };
    fc.assert(
      fc.property(runsOf(rootActions), (actions) => {
        const viewer = new Viewer(dialect, { kind: "root", state: start }, { kind: "root", state: start });
        for (const action of actions) viewer.take("ahp-root://", action);
        expect(viewer.seen).toEqual(showState(dialect, viewer.model as { kind: "root"; state: RootState }));
      }),
      { numRuns },
    );
  });

  test("[E31] a viewer of a terminal converges, output, commands and all", () => {
    const start = newStates.terminal;
    fc.assert(
      fc.property(runsOf(terminalActions), (actions) => {
        const screen = new TerminalScreen();
        const viewer = new Viewer(
          dialect,
          { kind: "terminal", state: start },
          { kind: "terminal", state: start, content: [] },
        );
        for (const action of actions) {
          const isKnownCommand = action.type === "terminal/commandExecuted" && screen.knows(action.commandId);
          if (!isKnownCommand && viewer.take(start.resource, action)) screen.take(action);
        }
        const state = viewer.model.state as TerminalState;
        expect(viewer.seen).toEqual(showState(dialect, { kind: "terminal", state, content: screen.parts }));
      }),
      { numRuns },
    );
  });

  test("[E32] a viewer of a session converges, but for what the version has no action for", () => {
    const start = newStates.session;
    fc.assert(
      fc.property(runsOf(sessionActions), (actions) => {
        const chat = isSeed ? newChat : undefined;
        const viewer = new Viewer(
          dialect,
          { kind: "session", state: start },
          { kind: "session", state: start, chat },
        );
        for (const action of actions) viewer.take(start.resource, action);
        const state = viewer.model.state as SessionState;
        const shown = showState(dialect, { kind: "session", state, chat });
        expect(knowable(viewer.seen, state)).toEqual(knowable(shown, state));
      }),
      { numRuns },
    );
  });

  test("[E33] a viewer of a chat converges, but for what the version has no action for", () => {
    fc.assert(
      fc.property(runsOf(richChatActions), (actions) => {
        const shownStart = isSeed
          ? ({ kind: "session", state: newStates.session, chat: newChat } as const)
          : ({ kind: "chat", state: newChat } as const);
        const viewer = new Viewer(dialect, { kind: "chat", state: newChat }, shownStart);
        const hasTruncated = actions.some(({ type }) => type === "chat/truncated");
        for (const action of actions) {
          const chat = viewer.model.state as ChatState;
          if (isBeyond(dialect, action, chat)) continue;
          // Viewers keep the text that later snapshots leave out (E241), and the turns (E420).
          if (action.type === "chat/textOmitted" || action.type === "chat/turnsOmitted") continue;
          viewer.take(chatUri, action);
          const after = viewer.model.state as ChatState;
          const shown = showState(
            dialect,
            isSeed
              ? { kind: "session", state: newStates.session, chat: after }
              : { kind: "chat", state: after },
          );
          const masks = { dialect, hasTruncated, maskFlags };
          expect(comparable(viewer.seen, masks)).toEqual(comparable(shown, masks));
        }
      }),
      { numRuns },
    );
  });

  test("[E420] a viewer keeps the turns that are omitted later, and has all that a snapshot has", () => {
    let omissions = 0;
    const actionsWithoutLoading = richChatActions.filter(({ type }) => type !== "chat/turnsLoaded");
    fc.assert(
      // Enough for the turns of which the oldest are omitted.
      fc.property(runsOf(actionsWithoutLoading, 25), (actions) => {
        const shownStart = isSeed
          ? ({ kind: "session", state: newStates.session, chat: newChat } as const)
          : ({ kind: "chat", state: newChat } as const);
        const viewer = new Viewer(dialect, { kind: "chat", state: newChat }, shownStart);
        const chat = (): ChatState => viewer.model.state as ChatState;
        for (const action of longChat(actions, chat)) {
          if (action.type === "chat/textOmitted" || action.type === "chat/truncated") continue;
          if (isBeyond(dialect, action, chat())) continue;
          const seenBefore = listOf(viewer.seen["turns"]).length;
          const isTaken = viewer.take(chatUri, action);
          if (action.type === "chat/turnsOmitted") {
            expect(listOf(viewer.seen["turns"])).toHaveLength(seenBefore);
            if (isTaken) omissions += 1;
          }
          const after = chat();
          const shown = showState(
            dialect,
            isSeed
              ? { kind: "session", state: newStates.session, chat: after }
              : { kind: "chat", state: after },
          );
          const seen = listOf(viewer.seen["turns"]);
          const seenTurns = seen.slice(seen.length - after.turns.length);
          const comparableTurns = (turns: readonly WireFields[]): readonly WireFields[] =>
            turns.map((turn) => comparableTurn(turn, dialect));
          expect(comparableTurns(seenTurns)).toEqual(comparableTurns(listOf(shown["turns"])));
          if (dialect === v1_0) expect(shown["turnsNextCursor"]).toBe(after.turnsNextCursor);
        }
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    );
    expect(omissions).toBeGreaterThan(0);
  });
});

/** The actions as those of turns of five each, which may be resumed; then all turns but the two newest are omitted. */
function* longChat(actions: readonly ChatAction[], chat: () => ChatState): Generator<ChatAction> {
  const at = "2026-01-01T00:00:00.000Z";
  const error = { code: "x", message: "It failed." };
  const message = { text: "Go", origin: { kind: "user" } } as const;
  for (const [index, action] of actions.entries()) {
    const turnId = makeId("turn", `turn ${Math.floor(index / 5)}`);
    if (index % 5 === 0) yield { type: "chat/turnStarted", turnId, startedAt: at, message };
    yield "turnId" in action ? { ...action, turnId } : action;
    if (index % 5 !== 4) continue;
    yield { type: "chat/error", turnId, endedAt: at, durationMs: 1, error, resumable: true };
    const firstTurnId = chat().turns.at(-2)?.id;
    if (firstTurnId !== undefined) yield { type: "chat/turnsOmitted", firstTurnId };
    if (action.type === "chat/isReadChanged") yield { type: "chat/turnResume", turnId };
    yield { type: "chat/turnCancelled", turnId, endedAt: at, durationMs: 1, by: { kind: "host" } };
  }
}

/** Some versions load older turns by a request, and cannot describe again a call that waits for permission. */
function isBeyond(dialect: Dialect, action: ChatAction, chat: ChatState): boolean {
  if (!oldest.has(dialect)) return false;
  if (action.type === "chat/turnsLoaded") return dialect === v0_1 || dialect === v0_5_0;
  if (!("toolCallId" in action) || action.type === "chat/toolCallConfirmed") return false;
  if (action.type === "chat/toolCallComplete") return false;
  return findToolCall(chat.activeTurn, action.toolCallId)?.status === "pending-confirmation";
}

test("[E31] what the tests call a chat is the default one of the session", () => {
  expect(newChat.resource).toBe(defaultChatUri(makeId("session URI", "ahp-session:/s1")));
});
