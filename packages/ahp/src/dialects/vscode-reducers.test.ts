// Compares with VS Code's published reducers of AHP 0.9, which `npm run test:reducers` downloads: what we send gives their
// clients our state, and our reference reducers do as theirs do.
import path from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatState } from "../model/chat/chat.ts";
import type { Action, ChannelKind } from "../model/channel.ts";
import type { RootState } from "../model/root/root.ts";
import type { SessionState } from "../model/session/session.ts";
import type { TerminalState } from "../model/terminal/terminal.ts";
import { defaultChatUri } from "../model/uri.ts";
import { richChatActions } from "../testing/arbitrary/rich-chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { newStates } from "../testing/states.ts";
import { TerminalScreen } from "../testing/wire/channels.ts";
import { comparable, knowable } from "../testing/wire/comparable.ts";
import { overTheWire, type ReferenceAction, type WireFields } from "../testing/wire/reference.ts";
import { type ReducersByKind, Viewer, showState } from "../testing/wire/viewer.ts";
import { VSCODE_MISSING, vscodeFolder } from "../testing/wire/vscode-types.ts";
import type { ShownChannel } from "./dialect.ts";
import type { StateByKind } from "./projection.ts";
import { v0_9 } from "./v1_0/v1-0.ts";

const numRuns = process.env["HOLDFAST_LONG"] === undefined ? 60 : 300;
const runsOf = <Kind>(actions: fc.Arbitrary<Kind>): fc.Arbitrary<Kind[]> =>
  fc.array(actions, { maxLength: 50, size: "max" });
const chatUri = defaultChatUri(newStates.session.resource);
const newChat: ChatState = { ...newStates.chat, resource: chatUri };

type TheirReducer = (state: WireFields, action: ReferenceAction, log: (line: string) => void) => WireFields;

/** Their reducers; an action that they do not know is an error. */
async function theirs(): Promise<ReducersByKind> {
  const reducerOf = async (kind: ChannelKind): Promise<ReducersByKind[ChannelKind]> => {
    const file = pathToFileURL(path.join(vscodeFolder, `protocol/channels-${kind}/reducer.js`)).href;
    const module = (await import(/* @vite-ignore */ file)) as Readonly<Record<string, TheirReducer>>;
    const reduce = module[`${kind}Reducer`];
    if (reduce === undefined) throw new Error(`${file} has no ${kind}Reducer`);
    const fail = (line: string): void => {
      if (line.startsWith("Unhandled action type")) throw new Error(line);
    };
    return (state, action) => overTheWire(reduce(state, action, fail)) as WireFields;
  };
  const [root, session, chat, terminal] = await Promise.all([
    reducerOf("root"),
    reducerOf("session"),
    reducerOf("chat"),
    reducerOf("terminal"),
  ]);
  return { root, session, chat, terminal };
}

/** Two viewers of one channel, with their reducers and with ours. */
class Pair {
  readonly theirs: Viewer;
  readonly ours: Viewer;

  constructor(start: StateByKind, shown: ShownChannel, reducers: ReducersByKind) {
    this.theirs = new Viewer(v0_9, start, shown, reducers);
    this.ours = new Viewer(v0_9, start, shown);
  }

  take(channel: string, action: Action): boolean {
    this.ours.take(channel, action);
    const isTaken = this.theirs.take(channel, action);
    expect(withoutTimes(this.theirs.seen)).toEqual(withoutTimes(this.ours.seen));
    return isTaken;
  }
}

/** Their reducers take the time of a chat's last change from its turns; no dialect relies on it. */
function withoutTimes({ modifiedAt: _modifiedAt, ...seen }: WireFields): WireFields {
  return seen;
}

test("[E812] with VS Code's reducers, a viewer of the root has our state", async ({ skip }) => {
  if (VSCODE_MISSING !== undefined) return skip(VSCODE_MISSING);
  const reducers = await theirs();
  const start: RootState = { ...newStates.root, config: { schema: {}, values: { a: 1 } } };
  fc.assert(
    fc.property(runsOf(rootActions), (actions) => {
      const pair = new Pair({ kind: "root", state: start }, { kind: "root", state: start }, reducers);
      for (const action of actions) pair.take("ahp-root://", action);
      const state = pair.theirs.model.state as RootState;
      expect(pair.theirs.seen).toEqual(showState(v0_9, { kind: "root", state }));
    }),
    { numRuns },
  );
});

test("[E812] with VS Code's reducers, a viewer of a session has our state", async ({ skip }) => {
  if (VSCODE_MISSING !== undefined) return skip(VSCODE_MISSING);
  const reducers = await theirs();
  const start = newStates.session;
  fc.assert(
    fc.property(runsOf(sessionActions), (actions) => {
      const pair = new Pair(
        { kind: "session", state: start },
        { kind: "session", state: start, chat: undefined },
        reducers,
      );
      for (const action of actions) pair.take(start.resource, action);
      const state = pair.theirs.model.state as SessionState;
      const shown = showState(v0_9, { kind: "session", state, chat: undefined });
      expect(knowable(pair.theirs.seen, state)).toEqual(knowable(shown, state));
    }),
    { numRuns },
  );
});

test("[E812] with VS Code's reducers, a viewer of a chat has our state", async ({ skip }) => {
  if (VSCODE_MISSING !== undefined) return skip(VSCODE_MISSING);
  const reducers = await theirs();
  fc.assert(
    fc.property(runsOf(richChatActions), (actions) => {
      const pair = new Pair({ kind: "chat", state: newChat }, { kind: "chat", state: newChat }, reducers);
      const hasTruncated = actions.some(({ type }) => type === "chat/truncated");
      const masks = { dialect: v0_9, hasTruncated, maskFlags: true };
      for (const action of actions) {
        // Viewers keep the text that later snapshots leave out (E241), and the turns (E420).
        if (action.type === "chat/textOmitted" || action.type === "chat/turnsOmitted") continue;
        pair.take(chatUri, action);
        const state = pair.theirs.model.state as ChatState;
        const shown = showState(v0_9, { kind: "chat", state });
        expect(comparable(pair.theirs.seen, masks)).toEqual(comparable(shown, masks));
      }
    }),
    { numRuns },
  );
});

test("[E812] with VS Code's reducers, a viewer of a terminal has our state", async ({ skip }) => {
  if (VSCODE_MISSING !== undefined) return skip(VSCODE_MISSING);
  const reducers = await theirs();
  const start = newStates.terminal;
  fc.assert(
    fc.property(runsOf(terminalActions), (actions) => {
      const screen = new TerminalScreen();
      const pair = new Pair(
        { kind: "terminal", state: start },
        { kind: "terminal", state: start, content: [] },
        reducers,
      );
      for (const action of actions) {
        const isKnown = action.type === "terminal/commandExecuted" && screen.knows(action.commandId);
        if (!isKnown && pair.take(start.resource, action)) screen.take(action);
      }
      const state = pair.theirs.model.state as TerminalState;
      const shown = showState(v0_9, { kind: "terminal", state, content: screen.parts });
      expect(pair.theirs.seen).toEqual(shown);
    }),
    { numRuns },
  );
});
