// Shows what the versions before 1.0 lack, and what stands for it there.
import { describe, expect, test } from "vitest";
import type { ChatAction } from "../model/chat/chat.ts";
import { makeId } from "../model/ids.ts";
import { summarizeSession } from "../model/session/session-summary.ts";
import type { SessionState } from "../model/session/session.ts";
import type { TerminalExit, TerminalState } from "../model/terminal/terminal.ts";
import { newStates } from "../testing/states.ts";
import { askingActions, failingActions, storyAfter, storyChat } from "../testing/turn-story.ts";
import { fieldsOf, listOf, overTheWire, type WireFields } from "../testing/wire/reference.ts";
import { showAll, showState, wireActions } from "../testing/wire/viewer.ts";
import type { Dialect } from "./dialect.ts";
import { v0_5_0, v0_5_1, v0_5_2, v0_6, v0_7, v0_8, v0_9, v1_0 } from "./v1_0/v1-0.ts";

const story = [...askingActions, ...failingActions];
const upTo0_8 = [v0_8, v0_7, v0_6, v0_5_2, v0_5_1, v0_5_0];
const upTo0_6 = [v0_6, v0_5_2, v0_5_1, v0_5_0];
const upTo0_5 = [v0_5_2, v0_5_1, v0_5_0];
const at = "2026-01-01T00:00:00.000Z";

describe.each(upTo0_8)("$name", (dialect) => {
  test("[E761] a turn that failed has its error in a field, and no part for it", () => {
    const failed = actionsOf(dialect, story).find(({ type }) => type === "chat/error");
    expect(failed).toMatchObject({ error: { errorType: "agent_exited", message: "The agent has ended." } });
    expect(failed).not.toHaveProperty("part");
    const [turn] = listOf(chatOf(dialect, story)["turns"]);
    expect(turn).toMatchObject({ state: "error", error: { errorType: "agent_exited" } });
    expect(listOf(turn?.["responseParts"]).map(({ kind }) => kind)).not.toContain("error");
  });

  test("[E761] a session that could not be created has the lifecycle creationFailed", () => {
    const error = { code: "x", message: "No." };
    const state: SessionState = { ...newStates.session, lifecycle: { status: "failed", error } };
    expect(showState(dialect, { kind: "session", state })).toMatchObject({ lifecycle: "creationFailed" });
    expect(showState(v0_9, { kind: "session", state })).toMatchObject({ lifecycle: "failed" });
  });

  test.each<[TerminalExit, number]>([
    [{ kind: "code", exitCode: 0 }, 0],
    [{ kind: "signal", signal: "SIGKILL" }, 137],
    [{ kind: "unknown", reason: "restart" }, -1],
  ])("[E761] a terminal that ended with %j has the exit code %s, and no lifecycle", (exit, exitCode) => {
    const running = showState(dialect, { kind: "terminal", state: newStates.terminal, content: [] });
    expect(running).not.toHaveProperty("exitCode");
    const state: TerminalState = {
      ...newStates.terminal,
      lifecycle: { status: "exited", exitedAt: at, exit },
    };
    const ended = showState(dialect, { kind: "terminal", state, content: [] });
    expect(ended).toMatchObject({ exitCode });
    expect(ended).not.toHaveProperty("lifecycle");
    const { resource, title, claim, lifecycle, run } = state;
    const root = { ...newStates.root, terminals: [{ resource, title, claim, lifecycle, run }] };
    expect(listOf(showState(dialect, { kind: "root", state: root })["terminals"])).toMatchObject([
      { resource, exitCode },
    ]);
  });

  test("[E761] the claim of a session names no chat", () => {
    const session = makeId("session URI", "mine:/1");
    const chat = makeId("chat URI", "ahp-chat:/1");
    const state: TerminalState = { ...newStates.terminal, claim: { kind: "session", session, chat } };
    const shown = showState(dialect, { kind: "terminal", state, content: [] });
    expect(shown["claim"]).toEqual({ kind: "session", session });
  });

  test("[E761] a turn that is resumed is truncated and sent again, with its parts", () => {
    const resume: ChatAction = { type: "chat/turnResume", turnId: makeId("turn", "t1") };
    const again = actionsOf(dialect, [...story, resume]).slice(actionsOf(dialect, story).length);
    expect(again.map(({ type }) => type).slice(0, 3)).toEqual([
      "chat/truncated",
      "chat/turnStarted",
      "chat/responsePart",
    ]);
    const hasTimes = dialect === v0_8 || dialect === v0_7 || dialect === v0_6;
    expect("startedAt" in (again[1] ?? {})).toBe(hasTimes);
  });

  test("[E761] missing content has the number -32006", () => {
    expect(dialect.errorNumbers.contentNotFound).toBe(-32006);
    expect(v0_9.errorNumbers.contentNotFound).toBe(-32008);
  });
});

test("[E761] a viewer that fetches older turns still can after a turn was sent again as the first one", () => {
  const failed = storyAfter(...story);
  const state = { ...failed, turnsNextCursor: "older" };
  const resume: ChatAction = { type: "chat/turnResume", turnId: makeId("turn", "t1") };
  const shown = showAll(v0_8, storyChat.resource, { kind: "chat", state }, [resume]);
  expect(wireActions(shown).slice(0, 2)).toEqual([
    { type: "chat/truncated" },
    { type: "chat/turnsLoaded", turns: [], turnsNextCursor: "older" },
  ]);
});

describe("folders, PTYs and results came with 0.7", () => {
  const state: SessionState = { ...newStates.session, workingDirectories: ["file:///a", "file:///b"] };
  const workingDirectories = state.workingDirectories;

  test.each(upTo0_6)("[E762] $name has the first folder, and no action for others", (dialect) => {
    const shown = showState(dialect, { kind: "session", state });
    expect(shown).toMatchObject({ workingDirectory: "file:///a" });
    expect(shown).not.toHaveProperty("workingDirectories");
    const summary = overTheWire(dialect.showSummary(summarizeSession(state)));
    expect(summary).toMatchObject({ workingDirectory: "file:///a" });
    expect(summary).not.toHaveProperty("workingDirectories");
    const actions = [{ type: "session/workingDirectoriesChanged", workingDirectories: [] } as const];
    expect(showAll(dialect, state.resource, { kind: "session", state }, actions)).toEqual([]);
  });

  test.each([v0_8, v0_7])("[E762] $name has them all", (dialect) => {
    expect(showState(dialect, { kind: "session", state })).toMatchObject({ workingDirectories });
  });

  test.each(upTo0_6)("[E762] $name cannot say that a terminal has no PTY: its text has CR LF", (dialect) => {
    const plain: TerminalState = { ...newStates.terminal, run: "text" };
    const content = [{ kind: "output", text: "a\nb\r\n" }] as const;
    const shown = showState(dialect, { kind: "terminal", state: plain, content });
    expect(shown).not.toHaveProperty("isPty");
    expect(shown["content"]).toEqual([{ type: "unclassified", value: "a\r\nb\r\n" }]);
    const later = showState(v0_7, { kind: "terminal", state: plain, content });
    expect(later).toMatchObject({ isPty: false, content: [{ value: "a\nb\r\n" }] });
  });
});

describe("times and questions as parts came with 0.6", () => {
  const asking = story.slice(0, -1);

  test.each(upTo0_5)("[E762] turns of $name have neither a start nor a duration", (dialect) => {
    for (const action of actionsOf(dialect, story)) {
      expect(action).not.toHaveProperty("startedAt");
      expect(action).not.toHaveProperty("duration");
    }
    const [turn] = listOf(chatOf(dialect, story)["turns"]);
    expect(turn).not.toHaveProperty("startedAt");
    expect(turn).not.toHaveProperty("duration");
    expect(actionsOf(v0_6, story).at(-1)).toBeDefined();
    expect(listOf(chatOf(v0_6, story)["turns"])[0]).toMatchObject({ duration: 12 });
  });

  test.each(upTo0_5)("[E762] questions of $name are a list of the chat while they are open", (dialect) => {
    const chat = chatOf(dialect, asking);
    expect(chat["inputRequests"]).toEqual([{ id: "q1", message: "Which?" }]);
    expect(kindsOf(chat["activeTurn"])).not.toContain("inputRequest");
    expect(chatOf(dialect, story)).not.toHaveProperty("inputRequests");
  });

  test("[E762] only in 0.5.2 an answered question is a part of its turn", () => {
    const answered: ChatAction = {
      type: "chat/inputCompleted",
      requestId: makeId("input request", "q1"),
      response: "accept",
      by: { kind: "host" },
    };
    const partsOf = (dialect: Dialect): readonly unknown[] =>
      kindsOf(chatOf(dialect, [...asking, answered])["activeTurn"]);
    expect(partsOf(v0_5_2)).toContain("inputRequest");
    expect(partsOf(v0_5_1)).not.toContain("inputRequest");
    expect(partsOf(v0_5_0)).not.toContain("inputRequest");
  });
});

test("[E762] 0.5.0 has older turns as a result, no cursor, and no list of what waits in its chats", () => {
  const page = { chat: storyChat.resource, turns: storyAfter(...story).turns, nextCursor: "t0" };
  const shown = v0_5_0.showTurns(page, 7);
  expect(shown.messages).toEqual([]);
  expect(overTheWire(shown.result)).toMatchObject({ turns: [{ id: "t1" }], hasMore: true });
  expect(v0_5_1.showTurns(page, 7)).toMatchObject({ messages: [{ method: "action" }], result: {} });
  const state = { ...storyAfter(...story), turnsNextCursor: "t0" };
  expect(showState(v0_5_0, { kind: "chat", state })).not.toHaveProperty("turnsNextCursor");
  expect(showState(v0_5_1, { kind: "chat", state })).toMatchObject({ turnsNextCursor: "t0" });
  const id = makeId("input request", "q");
  const request = { id, requestedAt: at, questions: [] };
  const waiting: SessionState = {
    ...newStates.session,
    inputNeeded: [{ kind: "chatInput", id, chat: storyChat.resource, request }],
  };
  expect(showState(v0_5_0, { kind: "session", state: waiting })).not.toHaveProperty("inputNeeded");
  expect(showState(v0_5_1, { kind: "session", state: waiting })).toHaveProperty("inputNeeded");
});

test("[E762] a request of 0.5.0 names the turn before which it wants others", () => {
  const read = v0_5_0.readRequest("fetchTurns", { channel: storyChat.resource, before: "t5", limit: 3 });
  expect(read).toEqual({ ok: true, value: { channel: storyChat.resource, cursor: "t5", limit: 3 } });
});

test.each([v1_0, ...upTo0_8])("[E26] $name gets no action that it does not know", (dialect) => {
  const later: readonly ChatAction[] = [
    { type: "chat/isReadChanged", isRead: false },
    { type: "chat/isArchivedChanged", isArchived: true },
    { type: "chat/turnsLoaded", turns: [] },
  ];
  const types = new Set(actionsOf(dialect, later).map(({ type }) => type));
  expect(types.has("chat/isArchivedChanged")).toBe(dialect === v1_0);
  expect(types.has("chat/turnsLoaded")).toBe(dialect !== v0_5_0);
});

function actionsOf(dialect: Dialect, actions: readonly ChatAction[]): readonly WireFields[] {
  const shown = showAll(dialect, storyChat.resource, { kind: "chat", state: storyChat }, actions);
  return wireActions(shown).map(fieldsOf);
}

function chatOf(dialect: Dialect, actions: readonly ChatAction[]): WireFields {
  return showState(dialect, { kind: "chat", state: storyAfter(...actions) });
}

function kindsOf(turn: unknown): readonly unknown[] {
  return listOf(fieldsOf(turn)["responseParts"]).map(({ kind }) => kind);
}
