// One attempt to bring a delivery to its receiver.
import type { WebhookEvent } from "@holdfast/protocol";
import { signatureOf } from "./signature.ts";

/** What is sent where. */
export interface DeliveryRequest {
  readonly url: string;
  readonly secret: string;
  readonly deliveryId: string;
  readonly event: WebhookEvent;
  readonly body: string;
  readonly sentAtMs: number;
}

/** What came of an attempt. */
export type AttemptOutcome =
  | { readonly kind: "delivered" }
  /** The receiver wants nothing more, ever. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly reason: string };

const http = { gone: 410 } as const;

/** Sends a delivery once; it fails when the receiver has not answered before the signal aborts. */
export async function attemptDelivery(
  request: DeliveryRequest,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: headersOf(request),
      body: request.body,
      // Whoever registered the address vouched for it, and for no other.
      redirect: "manual",
      signal,
    });
    // Only the status counts; a long answer is not waited for.
    await response.body?.cancel();
    return judge(response.status);
  } catch (error) {
    return { kind: "failed", reason: explain(error, signal) };
  }
}

function headersOf({ secret, deliveryId, event, body, sentAtMs }: DeliveryRequest): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  return {
    "content-type": "application/json",
    "user-agent": "holdfast",
    "x-holdfast-event": event,
    "x-holdfast-delivery": deliveryId,
    "x-holdfast-timestamp": timestamp,
    "x-holdfast-signature": signatureOf(secret, timestamp, body),
  };
}

function judge(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === http.gone) return { kind: "gone" };
  const isRedirect = status >= 300 && status < 400;
  const advice = isRedirect ? " Redirects are not followed." : "";
  return { kind: "failed", reason: `The receiver answered ${status}.${advice}` };
}

/** Says why without the address, which may hold a secret of the receiver's. */
function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "The receiver did not answer in time.";
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return "The receiver could not be reached.";
  return `The receiver could not be reached: ${"code" in cause ? String(cause.code) : cause.message}.`;
}
