// Asks the person before something is done, unless they have said that they need not be asked.
import { RpcError } from "@holdfast/jsonrpc";
import type { PermissionOption, PermissionOutcome } from "../acp/client-methods.ts";
import type { PermissionScope } from "../session/session.ts";
import type { OpenToolCall, Turn } from "./turn.ts";

/** The decision, with the reason to show for a refusal. */
export type Permission = { decision: "granted" } | { decision: "refused"; reason: string };

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

/** Whether an error names itself in its data, as hosts do for what they explain. */
function hasOwnCode({ data }: RpcError): boolean {
  return typeof data === "object" && data !== null && "code" in data;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** Asks for permission for a tool call (S9). A question that is cancelled cancels the turn. */
export async function askPermission(
  turn: Turn,
  call: OpenToolCall,
  scope: PermissionScope,
): Promise<Permission> {
  const { session, client, signal } = turn;
  if (session.mode === "trust" || session.allowed.has(scope)) return { decision: "granted" };
  const options = [...OPTIONS[scope]];
  let outcome: PermissionOutcome;
  try {
    const params = { sessionId: session.id, toolCall: call.current, options };
    ({ outcome } = await client.request("session/request_permission", params, { signal }));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    // A client that says which error it is has a sentence for people, which says more than we can.
    const reason = hasOwnCode(error) ? withoutStop(error.message) : `nobody could be asked: ${error.message}`;
    return { decision: "refused", reason };
  }
  if (outcome.outcome === "cancelled") {
    turn.cancel();
    throw signal.reason;
  }
  const { optionId } = outcome;
  const chosen = options.find((option) => option.optionId === optionId);
  switch (chosen?.kind) {
    case "allow_once": {
      return { decision: "granted" };
    }
    case "allow_always": {
      session.allowed.add(scope);
      return { decision: "granted" };
    }
    case "reject_once":
    case "reject_always": {
      return { decision: "refused", reason: "it was rejected" };
    }
    case undefined: {
      return {
        decision: "refused",
        reason: `the answer ${JSON.stringify(optionId)} was not one of the options`,
      };
    }
  }
}
