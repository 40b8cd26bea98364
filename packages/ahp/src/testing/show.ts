// Shows steps of the model in a dialect, for tests.
import type { Action } from "../model/channel.ts";
import type { Dialect, WireMessage } from "../dialects/dialect.ts";
import { ChannelProjection, type KindedState } from "../dialects/projection.ts";
import { overTheWire } from "./wire/reference.ts";

/** A message after its trip over the wire. */
export interface ShownMessage {
  readonly method: string;
  readonly params: { readonly [field: string]: unknown };
}

/** All messages for some actions on a channel, one after the other. */
export function showAll(
  dialect: Dialect,
  channel: string,
  start: KindedState,
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
