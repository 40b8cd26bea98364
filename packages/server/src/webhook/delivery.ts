// One attempt to deliver to a webhook's receiver, and the waits between attempts; webhook-lane.ts repeats them.
import { createHmac } from "node:crypto";
import { type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { isIP } from "node:net";
import type { WebhookEvent } from "@holdfast/protocol";
import { stripBrackets } from "../auth/address.ts";
import { ClosedAddressError, guardedLookup, type IsAllowedAddress } from "./receiver-address.ts";

interface DeliveryRequest {
  readonly url: string;
  readonly secret: string;
  readonly deliveryId: string;
  readonly event: WebhookEvent;
  readonly body: string;
  readonly sentAtMs: number;
  /** The addresses that may be connected to; absent: all. */
  readonly isAllowedAddress?: IsAllowedAddress | undefined;
}

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
    return outcomeOf(await post(request, signal));
  } catch (error) {
    return { kind: "failed", reason: explain(error, signal) };
  }
}

/** The status of the receiver's answer. Redirects are not followed: the registration vouched for this address alone. */
function post(request: DeliveryRequest, signal: AbortSignal): Promise<number> {
  const { isAllowedAddress } = request;
  const url = new URL(request.url);
  const host = stripBrackets(url.hostname);
  // An address is connected to without being looked up.
  if (isAllowedAddress !== undefined && isIP(host) !== 0 && !isAllowedAddress(host)) {
    return Promise.reject(new ClosedAddressError());
  }
  const begin = url.protocol === "https:" ? requestByHttps : requestByHttp;
  const options = {
    method: "POST",
    headers: { ...headersOf(request), "content-length": Buffer.byteLength(request.body) },
    signal,
    // Another webhook's connection may lead where this one must not go.
    agent: false,
    ...(isAllowedAddress !== undefined && { lookup: guardedLookup(isAllowedAddress) }),
  } as const;
  return new Promise((resolve, reject) => {
    const receive = (response: IncomingMessage): void => {
      resolve(response.statusCode ?? 0);
      // Only the status counts; a long answer is not waited for.
      response.destroy();
    };
    // Whatever the receiver does, and whatever Node makes of it (W860).
    signal.addEventListener("abort", () => reject(new Error("The attempt was aborted.")), { once: true });
    begin(url, options, receive)
      // Without a listener, Node destroys the request without an error.
      .on("upgrade", (response, socket) => {
        receive(response);
        socket.destroy();
      })
      .on("error", reject)
      .on("close", () => reject(new Error("The connection was closed before a status.")))
      .end(request.body);
  });
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

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === http.gone) return { kind: "gone" };
  const isRedirect = status >= 300 && status < 400;
  const advice = isRedirect ? " Redirects are not followed." : "";
  return { kind: "failed", reason: `The receiver responded with ${status}.${advice}` };
}

/** Says why without the address, which may hold a secret of the receiver's. */
function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "The receiver did not answer in time.";
  if (error instanceof ClosedAddressError) {
    return "The receiver is on this machine or a private network, which webhooks of apps cannot reach.";
  }
  const code = error instanceof Error && "code" in error ? `: ${String(error.code)}` : "";
  return `The receiver could not be reached${code}.`;
}

/**
 * The `x-holdfast-signature` of a body sent at a moment. The receiver makes it again from the timestamp header
 * and the body's bytes, compares in constant time, and refuses what is older than a few minutes (W3).
 */
function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

export interface RetryPolicy {
  /** The waits between attempts; one attempt more than waits, then a delivery is given up. */
  readonly delaysMs: readonly number[];
  /** By which part a wait may be longer or shorter, so that not all come back at once. */
  readonly jitter: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Eight attempts in about two and a half hours. */
export const DEFAULT_RETRY: RetryPolicy = {
  delaysMs: [second, 5 * second, 30 * second, 5 * minute, 30 * minute, hour, hour],
  jitter: 0.2,
};

/** How long to wait after so many failed attempts; undefined when there were enough. */
export function retryDelayMs(
  policy: RetryPolicy,
  attempts: number,
  random: () => number,
): number | undefined {
  const delayMs = policy.delaysMs[attempts - 1];
  return delayMs === undefined ? undefined : delayMs * (1 + policy.jitter * (2 * random() - 1));
}
