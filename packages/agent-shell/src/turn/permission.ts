// Asks the person before something is done, unless they have said that they need not be asked.
import { RpcError } from "@holdfast/jsonrpc";
import type { PermissionOption, PermissionOutcome } from "../acp/client-methods.ts";
import type { PermissionScope } from "../session/session-record.ts";
import type { OpenToolCall } from "./open-tool-call.ts";
import type { Turn } from "./turn.ts";

/** The answer, with the reason to give where it is no. */
export type Permission = { verdict: "granted" } | { verdict: "refused"; reason: string };

/** The ids say what the options do and are not the kinds' names: a client must not take one for the other (S9). */
const OPTIONS: Record<PermissionScope, readonly PermissionOption[]> = {
  commands: [
    { optionId: "run-it", name: "Run it", kind: "allow_once" },
    { optionId: "run-all-from-now", name: "Run it and all later commands", kind: "allow_always" },
    { optionId: "leave-it", name: "Do not run it", kind: "reject_once" },
  ],
  writes: [
    { optionId: "write-it", name: "Write it", kind: "allow_once" },
    { optionId: "write-all-from-now", name: "Write it and all later files", kind: "allow_always" },
    { optionId: "keep-as-is", name: "Do not write it", kind: "reject_once" },
  ],
};

/** Asks for permission for a tool call (S9). A question that is cancelled cancels the turn. */
export async function askPermission(
  turn: Turn,
  call: OpenToolCall,
  scope: PermissionScope,
): Promise<Permission> {
  const { session, client, signal } = turn;
  if (session.mode === "trust" || session.allowed.has(scope)) return { verdict: "granted" };
  const options = [...OPTIONS[scope]];
  let outcome: PermissionOutcome;
  try {
    const params = { sessionId: session.id, toolCall: call.current, options };
    ({ outcome } = await client.request("session/request_permission", params, { signal }));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { verdict: "refused", reason: `nobody could be asked: ${error.message}` };
  }
  if (outcome.outcome === "cancelled") {
    turn.cancel();
    throw signal.reason;
  }
  const { optionId } = outcome;
  const chosen = options.find((option) => option.optionId === optionId);
  switch (chosen?.kind) {
    case "allow_once": {
      return { verdict: "granted" };
    }
    case "allow_always": {
      session.allowed.add(scope);
      return { verdict: "granted" };
    }
    case "reject_once":
    case "reject_always": {
      return { verdict: "refused", reason: "it was rejected" };
    }
    case undefined: {
      return {
        verdict: "refused",
        reason: `the answer ${JSON.stringify(optionId)} was not one of the options`,
      };
    }
  }
}
