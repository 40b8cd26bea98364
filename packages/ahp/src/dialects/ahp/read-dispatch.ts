// Reads the frame around an action that a client dispatched.
import { checkShape, count, object, optional, text, type Checked, type Shape } from "../../model/shape.ts";
import type { WireClientAction } from "../dialect.ts";

/** The frame, before its channel is known. */
export interface WrittenDispatch {
  readonly clientSeq: number;
  readonly channel?: string;
  readonly action: WireClientAction;
}

const actionShape: Shape<WireClientAction> = object<{ type: string }>({
  type: text,
});

const dispatchShape = object<WrittenDispatch>({
  clientSeq: count,
  channel: optional(text),
  action: actionShape,
});

/** The number, the channel if there is one, and an action of which only the type is known. */
export function readDispatchFrame(params: unknown): Checked<WrittenDispatch> {
  return checkShape(dispatchShape, params);
}
