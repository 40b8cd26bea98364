// Properties that hold for every channel whatever happens to it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatActions } from "../testing/arbitrary/chat.ts";
import { rootActions, terminalActions } from "../testing/arbitrary/root-and-terminal.ts";
import { sessionActions } from "../testing/arbitrary/session.ts";
import { deepFreeze, newStates } from "../testing/states.ts";
import {
  channelModels,
  type ChannelActions,
  type ChannelKind,
  type ChannelModel,
  type ChannelStates,
} from "./channel.ts";
import type { Checked } from "./shape.ts";

const actionsByKind: { readonly [Kind in ChannelKind]: fc.Arbitrary<ChannelActions[Kind]> } = {
  root: rootActions,
  session: sessionActions,
  chat: chatActions,
  terminal: terminalActions,
};

describeChannel("root", channelModels.root);
describeChannel("session", channelModels.session);
describeChannel("chat", channelModels.chat);
describeChannel("terminal", channelModels.terminal);

function describeChannel<Kind extends ChannelKind>(kind: Kind, model: ChannelModel<Kind>): void {
  const fresh: ChannelStates[Kind] = deepFreeze(newStates[kind]);
  const runs = fc.array<ChannelActions[Kind]>(actionsByKind[kind], { maxLength: 60, size: "max" });
  const reduceAll = (
    state: ChannelStates[Kind],
    actions: readonly ChannelActions[Kind][],
  ): ChannelStates[Kind] => actions.reduce((current, action) => model.reduce(current, action), state);

  describe(`a channel of the kind ${kind}`, () => {
    test("[M2] no run of actions throws, writes to a state, or leaves the shape of the model", () => {
      fc.assert(
        fc.property(runs, (actions) => {
          let state = fresh;
          for (const action of actions) state = deepFreeze(model.reduce(state, deepFreeze(action)));
          expect(model.checkState(state)).toEqual({ ok: true, value: state });
        }),
      );
    });

    test("[M7] a log that was stored and read back gives the same state, from the start or from any snapshot", () => {
      fc.assert(
        fc.property(runs, fc.nat(), (actions, cut) => {
          const live = reduceAll(fresh, actions);
          const log = actions.map((action) => valid(model.checkAction(JSON.parse(JSON.stringify(action)))));
          expect(plain(reduceAll(fresh, log))).toEqual(plain(live));

          const position = cut % (actions.length + 1);
          const snapshot = JSON.stringify(reduceAll(fresh, log.slice(0, position)));
          const restored = valid(model.checkState(JSON.parse(snapshot)));
          expect(plain(reduceAll(restored, log.slice(position)))).toEqual(plain(live));
        }),
      );
    });

    test("[M6] joining adjacent actions changes nothing", () => {
      fc.assert(
        fc.property(runs, (actions) => {
          expect(reduceAll(fresh, joinAdjacent(model, actions))).toEqual(reduceAll(fresh, actions));
        }),
      );
    });

    test("[M2] an action of another channel or of a newer model changes nothing", () => {
      fc.assert(
        fc.property(foreignTo(kind), (action) => {
          // The type checker would not let such an action through; a log of a newer host does.
          const unknown = action as ChannelActions[Kind];
          expect(model.reduce(fresh, unknown)).toBe(fresh);
        }),
      );
    });
  });
}

/** A state as it is stored and sent: the parts of a running turn are a plain list there. */
function plain(state: object): unknown {
  return JSON.parse(JSON.stringify(state));
}

function joinAdjacent<Kind extends ChannelKind>(
  model: ChannelModel<Kind>,
  actions: readonly ChannelActions[Kind][],
): ChannelActions[Kind][] {
  const joined: ChannelActions[Kind][] = [];
  for (const action of actions) {
    const last = joined.at(-1);
    const both = last && model.merge(last, action);
    joined.splice(both ? -1 : joined.length, 1, both ?? action);
  }
  return joined;
}

function foreignTo(kind: ChannelKind): fc.Arbitrary<object> {
  const invented = [
    { type: `${kind}/inventedLater`, turnId: "turn-1" },
    { type: "otherwise" },
    { type: "toString" },
  ];
  const others = Object.entries<fc.Arbitrary<object>>(actionsByKind).filter(([other]) => other !== kind);
  return fc.oneof(fc.constantFrom(...invented), ...others.map(([, actions]) => actions));
}

function valid<Value>(checked: Checked<Value>): Value {
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}
