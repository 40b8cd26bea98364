// A viewer: takes the snapshot of a channel and the messages about it, as a client of a dialect would.
import type { Dialect, DialectName, ShownChannel, WireMessage } from "../../dialects/dialect.ts";
import {
  ChannelProjection,
  advance,
  type StateByKind,
  type LoggedAction,
} from "../../dialects/projection.ts";
import type { Action, ChannelKind } from "../../model/channel.ts";
import {
  reduceSeedSession,
  reduceWireChat,
  reduceWireRoot,
  reduceWireSession,
  reduceWireTerminal,
  type ReferenceReducer,
} from "./channels.ts";
import {
  currentVersion,
  fieldsOf,
  fixtureVersion,
  overTheWire,
  seedVersion,
  version0_5,
  version0_5_2,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "./reference.ts";

/** A client's reducers. */
export type ReducersByKind = { readonly [Kind in ChannelKind]: ReferenceReducer };

const currentReducers: ReducersByKind = {
  root: reduceWireRoot,
  session: reduceWireSession,
  chat: reduceWireChat,
  terminal: reduceWireTerminal,
};
const seedReducers: ReducersByKind = {
  root: reduceWireRoot,
  session: reduceSeedSession,
  chat: reduceSeedSession,
  terminal: reduceWireTerminal,
};

/** The version whose reducers the clients of a dialect have. */
const versions: { readonly [Name in Exclude<DialectName, "holdfast">]: ReferenceVersion } = {
  v1_0: currentVersion,
  v0_10: currentVersion,
  v0_9: currentVersion,
  v0_8: fixtureVersion,
  v0_7: fixtureVersion,
  v0_6: fixtureVersion,
  v0_5_2: version0_5_2,
  v0_5_1: version0_5,
  v0_5_0: version0_5,
  v0_1: seedVersion,
};

/** A channel as the host has it and as a viewer sees it, side by side. */
export class Viewer {
  readonly #dialect: Dialect;
  readonly #projection: ChannelProjection;
  readonly #kind: ChannelKind;
  #model: StateByKind;
  #seen: WireFields;
  readonly #reduceAs: ReducersByKind | undefined;
  #serverSeq = 0;

  /** Reduces as the reference reducers of the dialect's version do, or as others. */
  constructor(dialect: Dialect, start: StateByKind, snapshot: ShownChannel, reduceAs?: ReducersByKind) {
    this.#reduceAs = reduceAs;
    this.#dialect = dialect;
    this.#kind = start.kind;
    this.#model = start;
    this.#projection = new ChannelProjection(dialect, start, 0);
    this.#seen = showState(dialect, snapshot);
  }

  /** The host's own state. */
  get model(): StateByKind {
    return this.#model;
  }

  /** The channel as the viewer sees it. */
  get seen(): WireFields {
    return this.#seen;
  }

  /** Applies an action as the hub does; returns false for one that changes nothing, which is not sent. */
  take(channel: string, action: LoggedAction["action"]): boolean {
    const step = advance(this.#model, action);
    if (!step || step.before === step.after) return false;
    this.#model = { kind: step.kind, state: step.after } as StateByKind;
    this.#serverSeq += 1;
    const messages = this.#projection.show({ channel, action, serverSeq: this.#serverSeq });
    for (const { method, params } of messages ?? []) {
      if (method === "action") this.#reduce(fieldsOf(overTheWire(params))["action"] as ReferenceAction);
    }
    return true;
  }

  #reduce(action: ReferenceAction): void {
    const { name } = this.#dialect;
    if (name === "holdfast") throw new Error("The reference reducers are those of AHP.");
    const reducers = this.#reduceAs ?? (name === "v0_1" ? seedReducers : currentReducers);
    const reduce = reducers[this.#kind];
    this.#seen = reduce(this.#seen, action, versions[name]);
  }
}

/** The state that a snapshot gives, after its trip over the wire. */
export function showState(dialect: Dialect, shown: ShownChannel): WireFields {
  return fieldsOf(overTheWire(dialect.showSnapshot("x", 0, shown)?.state));
}

/** A message after its trip over the wire. */
interface ShownMessage {
  readonly method: string;
  readonly params: { readonly [field: string]: unknown };
}

/** All messages for some actions on a channel, one after the other. */
export function showAll(
  dialect: Dialect,
  channel: string,
  start: StateByKind,
  actions: readonly Action[],
): readonly ShownMessage[] {
  const projection = new ChannelProjection(dialect, start, 0);
  return actions.flatMap((action, index) => {
    const messages = projection.show({ channel, action, serverSeq: index + 1 }) ?? [];
    return messages.map(arrived);
  });
}

/** The actions among the messages. */
export function wireActions(messages: readonly ShownMessage[]): readonly unknown[] {
  return messages.filter(({ method }) => method === "action").map(({ params }) => params["action"]);
}

function arrived({ method, params }: WireMessage): ShownMessage {
  return { method, params: overTheWire(params) as ShownMessage["params"] };
}
