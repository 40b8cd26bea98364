// The two outcomes of a judgement, and the reason that fits most refusals.
import type { Action } from "../../model/channel.ts";
import type { ClientId } from "../../model/ids.ts";
import type { Timestamp } from "../../model/json.ts";
import type { Verdict } from "../dialect.ts";

/** Who dispatched, and when the host took it. */
export interface Author {
  readonly clientId: ClientId;
  readonly at: Timestamp;
}

/** The action may be applied. */
export function accept(action: Action): Verdict {
  return { ok: true, action };
}

/** The action may not be applied. */
export function refuse(reason: string): Verdict {
  return { ok: false, reason };
}

/** The action is none that a client may dispatch here. */
export const HOST_ONLY: Verdict = refuse("Clients cannot dispatch this action on this channel.");
