// A viewer: takes the snapshot of a channel and the messages about it, as a client of a dialect would.
import type { ChannelKind } from "../../model/channel.ts";
import type { Dialect, ShownChannel } from "../../dialects/dialect.ts";
import {
  advance,
  ChannelProjection,
  type KindedState,
  type LoggedAction,
} from "../../dialects/projection.ts";
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
  overTheWire,
  seedVersion,
  type ReferenceAction,
  type WireFields,
} from "./reference.ts";

const currentReducers: { readonly [Kind in ChannelKind]: ReferenceReducer } = {
  root: reduceWireRoot,
  session: reduceWireSession,
  chat: reduceWireChat,
  terminal: reduceWireTerminal,
};
const seedReducers: { readonly [Kind in ChannelKind]: ReferenceReducer } = {
  root: reduceWireRoot,
  session: reduceSeedSession,
  chat: reduceSeedSession,
  terminal: reduceWireTerminal,
};

/** A channel as the host has it and as a viewer sees it, side by side. */
export class Viewer {
  readonly #dialect: Dialect;
  readonly #projection: ChannelProjection;
  readonly #kind: ChannelKind;
  #model: KindedState;
  #seen: WireFields;
  #serverSeq = 0;

  constructor(dialect: Dialect, start: KindedState, snapshot: ShownChannel) {
    this.#dialect = dialect;
    this.#kind = start.kind;
    this.#model = start;
    this.#projection = new ChannelProjection(dialect, start, 0);
    this.#seen = showState(dialect, snapshot);
  }

  /** The host's own state. */
  get model(): KindedState {
    return this.#model;
  }

  /** What the viewer sees. */
  get seen(): WireFields {
    return this.#seen;
  }

  /** Applies an action as the hub does: one that changes nothing is not told. False then. */
  take(channel: string, action: LoggedAction["action"]): boolean {
    const step = advance(this.#model, action);
    if (!step || step.before === step.after) return false;
    this.#model = { kind: step.kind, state: step.after } as KindedState;
    this.#serverSeq += 1;
    const messages = this.#projection.show({ channel, action, serverSeq: this.#serverSeq });
    for (const { method, params } of messages ?? []) {
      if (method === "action") this.#reduce(fieldsOf(overTheWire(params))["action"] as ReferenceAction);
    }
    return true;
  }

  #reduce(action: ReferenceAction): void {
    const isSeed = this.#dialect.name === "v0_1";
    const reduce = (isSeed ? seedReducers : currentReducers)[this.#kind];
    this.#seen = reduce(this.#seen, action, isSeed ? seedVersion : currentVersion);
  }
}

/** The state that a snapshot gives, after its trip over the wire. */
export function showState(dialect: Dialect, shown: ShownChannel): WireFields {
  return fieldsOf(overTheWire(dialect.showSnapshot("x", 0, shown)?.state));
}
