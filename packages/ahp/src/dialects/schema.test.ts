// Shows that what viewers are sent has the shape that AHP's own schemas give it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Action } from "../model/channel.ts";
import { richChatActions } from "../testing/arbitrary/rich-chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { FIXTURES_MISSING } from "../testing/fixtures.ts";
import { showAll, showState, wireActions } from "../testing/wire/viewer.ts";
import { newStates } from "../testing/states.ts";
import { askingActions, failingActions, storyChat } from "../testing/turn-story.ts";
import { fieldsOf } from "../testing/wire/reference.ts";
import { SchemaFile, actionName } from "../testing/wire/schema.ts";
import type { Dialect, ShownChannel } from "./dialect.ts";
import { advance, type StateByKind } from "./projection.ts";
import { v0_1 } from "./v0_1/v0-1.ts";
import { v0_6, v0_9, v1_0 } from "./v1_0/v1-0.ts";

/** Actions that 0.9 and 1.0 changed since the newest schemas there are. */
const changedSince = new Set(["ChatErrorAction"]);

const channels: readonly (readonly [uri: string, start: StateByKind, actions: fc.Arbitrary<Action>])[] = [
  ["ahp-root://", { kind: "root", state: newStates.root }, rootActions],
  [newStates.session.resource, { kind: "session", state: newStates.session }, sessionActions],
  [storyChat.resource, { kind: "chat", state: storyChat }, richChatActions],
  [newStates.terminal.resource, { kind: "terminal", state: newStates.terminal }, terminalActions],
];

describeSchemas("0.1.0", v0_1);
describeSchemas("0.6.0", v0_6);
describeSchemas("0.6.0", v0_9);
describeSchemas("0.6.0", v1_0);

function describeSchemas(version: string, dialect: Dialect): void {
  const actionFile = SchemaFile.read(version, "actions");
  const stateFile = SchemaFile.read(version, "state");
  const why = actionFile && stateFile ? "" : ` (${FIXTURES_MISSING})`;
  describe(`${dialect.name} and the schemas of AHP ${version}${why}`, () => {
    test.for(channels)(
      "[E34] every action and state on %s has its shape",
      ([uri, start, arbitrary], { skip }) => {
        if (!actionFile || !stateFile) return skip(FIXTURES_MISSING);
        fc.assert(
          fc.property(fc.array(arbitrary, { maxLength: 30, size: "max" }), (actions) => {
            const shown = wireActions(showAll(dialect, uri, start, actions)).map(fieldsOf);
            const found = shown.flatMap((action) => {
              const name = actionName(String(action["type"]));
              return dialect !== v0_6 && changedSince.has(name) ? [] : actionFile.problems(name, action);
            });
            expect(found).toEqual([]);
            expect(stateProblems(stateFile, dialect, stateAfter(start, actions))).toEqual([]);
          }),
          { numRuns: 60 },
        );
      },
    );

    test("[E34] the actions of an ordinary turn are among those that the version defines", ({ skip }) => {
      if (!actionFile) return skip(FIXTURES_MISSING);
      const start: StateByKind = { kind: "chat", state: storyChat };
      const story = [...askingActions, ...failingActions];
      const shown = wireActions(showAll(dialect, storyChat.resource, start, story)).map(fieldsOf);
      const names = shown.map(({ type }) => actionName(String(type)));
      expect(names.filter((name) => !actionFile.has(name))).toEqual([]);
    });
  });
}

function stateAfter(start: StateByKind, actions: readonly Action[]): StateByKind {
  let current = start;
  for (const action of actions) {
    const step = advance(current, action);
    if (step) current = { kind: step.kind, state: step.after } as StateByKind;
  }
  return current;
}

function stateProblems(file: SchemaFile, dialect: Dialect, current: StateByKind): readonly string[] {
  if (dialect === v0_1 && current.kind === "chat") {
    const chat = current.state;
    const state = showState(dialect, { kind: "session", state: newStates.session, chat });
    return file.problems("SessionState", state);
  }
  const names = { root: "RootState", session: "SessionState", chat: "ChatState", terminal: "TerminalState" };
  const shown: ShownChannel = current.kind === "terminal" ? { ...current, content: [] } : current;
  const problems = file.problems(names[current.kind], showState(dialect, shown));
  return dialect === v0_6 ? problems : problems.filter((problem) => !isNewer(problem));
}

/** Since 0.9 a session that could not be made has failed, and a failure is a part of its turn. */
function isNewer(problem: string): boolean {
  return problem.includes(".lifecycle: failed") || /responseParts\.\d+: fits none/.test(problem);
}
