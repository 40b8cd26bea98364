// Payload of a webhook delivery.
import { Buffer } from "node:buffer";
import type { TurnEnd } from "@holdfast/ahp";
import type { HostEvent } from "@holdfast/core";
import type { WebhookEvent } from "@holdfast/protocol";
import { permissionRequest } from "../http/tool-call-events.ts";

/** A host event that webhooks can subscribe to. */
export type DeliverableEvent = Extract<HostEvent, { readonly type: WebhookEvent }>;

export type WebhookPayload = Readonly<Record<string, unknown>>;

/** Bytes of one body: tools are given whole files as their input, which nobody wants to be called with. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;

/** Whether webhooks can subscribe to an event. */
export function isDeliverable(event: HostEvent): event is DeliverableEvent {
  return event.type !== "turn_started";
}

export function payloadOf(event: DeliverableEvent): WebhookPayload {
  return { ...headOf(event), ...detailsOf(event) };
}

/** The payload as it is sent; what makes it too long is left out, and that is said (W4). */
export function writePayload(payload: WebhookPayload): string {
  const whole = JSON.stringify(payload);
  if (Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES) return whole;
  const { permission_request: request, ...rest } = payload;
  const withoutInput = {
    ...rest,
    ...(isRecord(request) && { permission_request: withoutBulk(request) }),
    truncated: true,
  };
  const shorter = JSON.stringify(withoutInput);
  if (Buffer.byteLength(shorter) <= MAX_PAYLOAD_BYTES) return shorter;
  const { id, event, at, session_key, agent_id, turnId } = payload;
  return JSON.stringify({ id, event, at, session_key, agent_id, turnId, truncated: true });
}

/** A request without its input and the texts of files; the command or the paths, which decide, stay. */
function withoutBulk(request: Readonly<Record<string, unknown>>): object {
  const { rawInput: _rawInput, subject, ...rest } = request;
  if (!isRecord(subject)) return rest;
  const { files } = subject;
  if (!Array.isArray(files)) return { ...rest, subject };
  const paths = (files as unknown[]).map((file) => ({ ...(isRecord(file) && { ...file, diff: undefined }) }));
  return { ...rest, subject: { ...subject, files: paths } };
}

function headOf({ type, at, sessionKey, agentId }: DeliverableEvent): WebhookPayload {
  return { event: type, at, session_key: sessionKey, agent_id: agentId };
}

function detailsOf(event: DeliverableEvent): WebhookPayload {
  switch (event.type) {
    case "approval_needed": {
      const { turnId, toolCall } = event;
      return { turnId, permission_request: permissionRequest(toolCall, toolCall.approval).data };
    }
    case "turn_done":
      return { turnId: event.turnId, durationMs: event.durationMs, ...endOf(event.end) };
    case "session_error":
      return { error: event.error };
  }
}

function endOf(end: TurnEnd): WebhookPayload {
  switch (end.state) {
    case "complete":
      return { state: end.state, stopReason: end.stopReason };
    case "cancelled":
      return { state: end.state, stopReason: "cancelled" };
    case "failed":
    case "interrupted":
      return { state: end.state, error: end.error, resumable: end.resumable };
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
