// Follows one channel for one dialect: keeps the model's state beside the log, so that each entry can be shown.
import {
  channelModels,
  type Action,
  type ChannelActions,
  type ChannelKind,
  type ChannelModel,
  type ChannelStates,
} from "../model/channel.ts";
import type { Dialect, ShownEntry, Step, StepOf, WireMessage } from "./dialect.ts";

/** An entry of a channel's log. */
export interface LoggedAction extends ShownEntry {
  readonly action: Action;
}

/** A kind with a state of that kind. */
export type StateByKind = {
  readonly [Kind in ChannelKind]: { readonly kind: Kind; readonly state: ChannelStates[Kind] };
}[ChannelKind];

/**
 * Shows the entries of one channel, each once and in their order; the caller keeps the messages for all viewers.
 * It costs one reduction for each entry, and no memory but what changed since it began: states share their parts.
 */
export class ChannelProjection {
  /** For a cache that knows projections by their name and identity. */
  readonly name: string;
  readonly #dialect: Dialect;
  #current: StateByKind;
  #seq: number;

  /** Begins at a state and the number of the last action in it. */
  constructor(dialect: Dialect, start: StateByKind, seq: number) {
    this.name = dialect.name;
    this.#dialect = dialect;
    this.#current = start;
    this.#seq = seq;
  }

  /** The number of the last entry that was shown. */
  get seq(): number {
    return this.#seq;
  }

  /** The messages for the next entry; undefined for one from before the start, which a snapshot must stand for. */
  readonly show = (entry: LoggedAction): readonly WireMessage[] | undefined => {
    if (entry.serverSeq <= this.#seq) return undefined;
    const step = advance(this.#current, entry.action);
    this.#seq = entry.serverSeq;
    if (!step) return [];
    this.#current = afterStep(step);
    return this.#dialect.showAction(entry, step);
  };
}

/** An action with the states around it; undefined when it is none of that kind of channel. */
export function advance(current: StateByKind, action: Action): Step | undefined {
  switch (current.kind) {
    case "root":
      return stepFrom("root", channelModels.root, current.state, action);
    case "session":
      return stepFrom("session", channelModels.session, current.state, action);
    case "chat":
      return stepFrom("chat", channelModels.chat, current.state, action);
    case "terminal":
      return stepFrom("terminal", channelModels.terminal, current.state, action);
  }
}

function stepFrom<Kind extends ChannelKind>(
  kind: Kind,
  model: ChannelModel<Kind>,
  before: ChannelStates[Kind],
  action: Action,
): StepOf<Kind> | undefined {
  if (!isOfKind(kind, action)) return undefined;
  return { kind, action, before, after: model.reduce(before, action) };
}

function isOfKind<Kind extends ChannelKind>(kind: Kind, action: Action): action is ChannelActions[Kind] {
  return action.type.startsWith(`${kind}/`);
}

function afterStep(step: Step): StateByKind {
  switch (step.kind) {
    case "root":
      return { kind: step.kind, state: step.after };
    case "session":
      return { kind: step.kind, state: step.after };
    case "chat":
      return { kind: step.kind, state: step.after };
    case "terminal":
      return { kind: step.kind, state: step.after };
  }
}
