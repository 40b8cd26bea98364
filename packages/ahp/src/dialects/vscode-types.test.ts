// Shows that what clients of 0.9 are sent has VS Code's published types, which `npm run test:reducers` downloads.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Action } from "../model/channel.ts";
import { richChatActions } from "../testing/arbitrary/rich-chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { newStates } from "../testing/states.ts";
import { askingActions, failingActions, storyChat } from "../testing/turn-story.ts";
import { showAll, showState, wireActions } from "../testing/wire/viewer.ts";
import { typeProblems, type TypedValue, VSCODE_MISSING } from "../testing/wire/vscode-types.ts";
import type { ShownChannel } from "./dialect.ts";
import { advance, type StateByKind } from "./projection.ts";
import { v0_9 } from "./v1_0/v1-0.ts";

const stateTypes = {
  root: "RootState",
  session: "SessionState",
  chat: "ChatState",
  terminal: "TerminalState",
} as const;

const channels: readonly (readonly [uri: string, start: StateByKind, actions: fc.Arbitrary<Action>])[] = [
  ["ahp-root://", { kind: "root", state: newStates.root }, rootActions],
  [newStates.session.resource, { kind: "session", state: newStates.session }, sessionActions],
  [storyChat.resource, { kind: "chat", state: storyChat }, richChatActions],
  [newStates.terminal.resource, { kind: "terminal", state: newStates.terminal }, terminalActions],
];

/** Sequences of actions, all compiled at once. */
const sequences = process.env["HOLDFAST_LONG"] === undefined ? 30 : 300;

test.for(channels)(
  "[E34] every action and state of 0.9 on %s has VS Code's type",
  ([uri, start, arbitrary], { skip }) => {
    skip(VSCODE_MISSING !== undefined, VSCODE_MISSING);
    const runs = fc.sample(fc.array(arbitrary, { maxLength: 30, size: "max" }), sequences);
    const values = runs.flatMap((actions) => shownValues(uri, start, actions));
    expect(values.length).toBeGreaterThan(sequences);
    expect(typeProblems(values)).toEqual([]);
  },
);

test("[E34] the actions of an ordinary turn have VS Code's types, and a wrong one is noticed", ({ skip }) => {
  skip(VSCODE_MISSING !== undefined, VSCODE_MISSING);
  const start: StateByKind = { kind: "chat", state: storyChat };
  const values = shownValues(storyChat.resource, start, [...askingActions, ...failingActions]);
  expect(typeProblems(values)).toEqual([]);
  const wrong = { type: "chat/turnComplete", turnId: 3, duration: 1 };
  expect(typeProblems([{ type: "StateAction", value: wrong }]).join("\n")).toContain("'turnId'");
});

function shownValues(uri: string, start: StateByKind, actions: readonly Action[]): TypedValue[] {
  const shown = wireActions(showAll(v0_9, uri, start, actions));
  let current = start;
  for (const action of actions) {
    const step = advance(current, action);
    if (step) current = { kind: step.kind, state: step.after } as StateByKind;
  }
  const channel: ShownChannel = current.kind === "terminal" ? { ...current, content: [] } : current;
  const state = { type: stateTypes[current.kind], value: showState(v0_9, channel) };
  return [...shown.map((value) => ({ type: "StateAction", value })), state];
}
