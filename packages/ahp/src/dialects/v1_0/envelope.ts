// The frames of AHP 1.0: envelopes around actions, and notifications of the root.
import { wireSeq } from "../sequence.ts";
import type { ClientDispatch, ShownEntry, WireMessage, WireOrigin } from "../dialect.ts";
import { stepActions, type WireStep } from "../ahp/wire-step.ts";
import type { WireEnvelope } from "./wire.ts";

interface Numbered {
  readonly seqStride: number;
}

/** One message for each action of a step, numbered from `firstIndex` on; the author's origin is on its own alone. */
export function envelopes(
  numbered: Numbered,
  entry: ShownEntry,
  step: WireStep,
  firstIndex = 0,
): readonly WireMessage[] {
  const { channel, serverSeq, origin } = entry;
  return stepActions(step).map((action, index) =>
    envelope({
      channel,
      action,
      serverSeq: wireSeq(numbered, serverSeq, firstIndex + index),
      ...(origin && action === step.main && { origin: plainOrigin(origin) }),
    }),
  );
}

/** The echo of an action that its author alone is told of. */
export function answerEnvelope(
  { action, clientSeq, sentTo }: ClientDispatch,
  clientId: string,
  serverSeq: number,
  rejectionReason?: string,
): WireMessage {
  return envelope({
    channel: sentTo,
    action,
    serverSeq,
    origin: { clientId, clientSeq },
    ...(rejectionReason !== undefined && { rejectionReason }),
  });
}

function envelope(params: WireEnvelope): WireMessage {
  return { method: "action", params };
}

function plainOrigin({ clientId, clientSeq }: WireOrigin): WireOrigin {
  return { clientId, clientSeq };
}
