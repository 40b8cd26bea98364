// Fields for which plain dialects have no slot, gathered under `_meta.holdfast`.
import type { ChatState } from "../../model/chat/chat.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { SessionSummary } from "../../model/session/session-summary.ts";
import type { SessionState } from "../../model/session/session.ts";
import type { WireMeta } from "./wire-chat.ts";

const sessionFields = [
  "key",
  "owner",
  "label",
  "lifecycle",
  "agent",
  "isolation",
  "contextLoss",
  "lastError",
  "runtimeOptions",
  "limits",
  "commands",
  "notices",
  "permissionRules",
  "changes",
] as const satisfies readonly (keyof SessionState)[];

export function sessionMeta(session: SessionState): WireMeta {
  return pick(session, sessionFields);
}

/** Whether something that is left of a session has changed; compares no deeper than the model shares its values. */
export function hasNewMeta(before: SessionState, after: SessionState): boolean {
  return sessionFields.some((field) => before[field] !== after[field]);
}

export function summaryMeta(summary: SessionSummary): WireMeta {
  return pick(summary, ["key", "owner", "label", "phase", "inputNeededCount"]);
}

/** The remaining fields of a chat, when it is subscribed to: AHP has no action that would keep them up to date. */
export function chatMeta({ contextUsage, agentUpdates, activeTurn }: ChatState): WireMeta | undefined {
  const rest = {
    contextUsage,
    plans: activeTurn?.plans.length ? activeTurn.plans : undefined,
    agentUpdates: agentUpdates.length > 0 ? agentUpdates : undefined,
  };
  return Object.values(rest).every((value) => value === undefined) ? undefined : { holdfast: toJson(rest) };
}

function pick<State extends object>(state: State, fields: readonly (keyof State & string)[]): WireMeta {
  const picked: Record<string, unknown> = {};
  for (const field of fields) if (state[field] !== undefined) picked[field] = state[field];
  return { holdfast: toJson(picked) };
}

/** States of the model are JSON except for fields that are `undefined`, which JSON leaves out. */
function toJson(value: object): JsonObject {
  return value as { readonly [key: string]: JsonValue };
}
