// Shows that a viewer who follows the actions of a channel sees what a new viewer gets in a snapshot.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatAction } from "../model/chat/chat-actions.ts";
import type { ChatState } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import type { RootState } from "../model/root/root.ts";
import type { SessionState } from "../model/session/session.ts";
import type { TerminalState } from "../model/terminal/terminal.ts";
import { defaultChatUri } from "../model/uri.ts";
import { richChatActions } from "../testing/arbitrary/rich-chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { newStates } from "../testing/states.ts";
import { fieldsOf, listOf, type WireFields } from "../testing/wire/reference.ts";
import { TerminalScreen } from "../testing/wire/terminal-screen.ts";
import { showState, Viewer } from "../testing/wire/viewer.ts";
import type { Dialect } from "./dialect.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_10 } from "./v0_10/v0-10.ts";
import { v0_9 } from "./v0_9/v0-9.ts";
import { v1_0 } from "./v1_0/v1-0.ts";

const dialects: readonly Dialect[] = [v1_0, v0_10, v0_9, v0_1];
const runsOf = <Action>(actions: fc.Arbitrary<Action>): fc.Arbitrary<Action[]> =>
  fc.array(actions, { maxLength: 50, size: "max" });

const chatUri = defaultChatUri(newStates.session.resource);
const newChat: ChatState = { ...newStates.chat, resource: chatUri };

describe.each(dialects)("$name", (dialect) => {
  const isSeed = dialect === v0_1;
  const maskFlags = dialect === v0_9 || dialect === v0_10;

  test("[E31] a viewer of the root converges", () => {
    const config = { schema: {}, values: { a: 1 } };
    const start: RootState = { ...newStates.root, config };
    fc.assert(
      fc.property(runsOf(rootActions), (actions) => {
        const viewer = new Viewer(dialect, { kind: "root", state: start }, { kind: "root", state: start });
        for (const action of actions) viewer.take("ahp-root://", action);
        expect(viewer.seen).toEqual(showState(dialect, viewer.model as { kind: "root"; state: RootState }));
      }),
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
          if (isSeed && isBeyondSeed(action, chat)) continue;
          viewer.take(chatUri, action);
          const after = viewer.model.state as ChatState;
          const shown = showState(
            dialect,
            isSeed
              ? { kind: "session", state: newStates.session, chat: after }
              : { kind: "chat", state: after },
          );
          const masks = { hasTruncated, maskFlags };
          expect(comparable(viewer.seen, masks)).toEqual(comparable(shown, masks));
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** The seed loads older turns by a request, and cannot describe a call anew that waits for permission. */
function isBeyondSeed(action: ChatAction, chat: ChatState): boolean {
  if (action.type === "chat/turnsLoaded") return true;
  if (!("toolCallId" in action) || action.type === "chat/toolCallConfirmed") return false;
  if (action.type === "chat/toolCallComplete") return false;
  return (chat.activeTurn?.responseParts ?? []).some(
    (part) =>
      part.kind === "toolCall" &&
      part.toolCall.toolCallId === action.toolCallId &&
      part.toolCall.status === "pending-confirmation",
  );
}

/**
 * What a viewer of a session can know: no version has an action for the activity bits of the status, the settings
 * themselves, the order of folders, a model that is no longer chosen, or a session that is over.
 */
function knowable(seen: WireFields, { lifecycle, runtimeOptions }: SessionState): WireFields {
  const { status, config: _config, workingDirectories, summary, ...rest } = seen;
  const { workingDirectory: _directory, modifiedAt: _modifiedAt, model, ...kept } = fieldsOf(summary);
  const isOver = lifecycle.status === "closed";
  return {
    ...rest,
    ...(isOver && { lifecycle: undefined, creationError: undefined }),
    flags: Number(status) & ~31,
    workingDirectories: [...new Set(listOf(workingDirectories).map(String))].toSorted((a, b) =>
      a < b ? -1 : 1,
    ),
    summary: { ...kept, model: runtimeOptions.model === undefined ? undefined : model },
  };
}

interface Masks {
  readonly hasTruncated: boolean;
  readonly maskFlags: boolean;
}

const READ_AND_ARCHIVED = 96;

/** What a viewer of a chat can know; each exception is named in SPEC rule E33. */
function comparable(seen: WireFields, { hasTruncated, maskFlags }: Masks): unknown {
  const { summary, ...rest } = seen;
  const flat: WireFields = { ...rest, ...fieldsOf(summary) };
  let status = Number(flat["status"]);
  if (maskFlags) status &= ~READ_AND_ARCHIVED;
  // After a cut, a viewer takes a chat for idle even if the turn that is now the last one failed.
  if (hasTruncated && (status & 31) === 2) status -= 1;
  const { modifiedAt: _modifiedAt, title: _title, _meta, ...kept } = flat;
  return {
    ...kept,
    status,
    turns: listOf(flat["turns"]).map(comparableTurn),
    activeTurn: flat["activeTurn"] === undefined ? undefined : comparableTurn(fieldsOf(flat["activeTurn"])),
  };
}

function comparableTurn(turn: WireFields): WireFields {
  const parts = listOf(turn["responseParts"]);
  const kept = parts.filter(
    (part, index) => part["kind"] !== "error" || (turn["state"] === "error" && index === parts.length - 1),
  );
  const { _meta, ...usage } = fieldsOf(turn["usage"]);
  return {
    ...turn,
    usage,
    responseParts: kept.map((part) =>
      part["kind"] === "toolCall" ? comparableCall(fieldsOf(part["toolCall"])) : part,
    ),
  };
}

function comparableCall(call: WireFields): WireFields {
  const {
    displayName: _name,
    toolName: _tool,
    selectedOption: _option,
    partialInput: _partial,
    ...kept
  } = call;
  const { _meta, toolInput, content, edits, ...rest } = kept;
  const isCutOff = rest["status"] === "cancelled" && rest["reason"] === "skipped";
  return {
    ...rest,
    toolInput: isCutOff ? undefined : toolInput,
    content: listOf(content),
    edits: listOf(fieldsOf(edits)["items"]),
  };
}

test("[E31] what the tests call a chat is the default one of the session", () => {
  expect(newChat.resource).toBe(defaultChatUri(makeId("session URI", "ahp-session:/s1")));
});
