// Tells an agent that has lost a session from one that cannot bring it back just now.
import type { RpcError } from "@holdfast/jsonrpc";

const resourceNotFound = -32_002;
const methodNotFound = -32_601;
const authRequired = -32_000;

const subject = "(?:session|conversation|thread|rollout|chat)";
/** A colon or a full stop ends what is said of the session: "cannot load session: model not found" is not about it. */
const saysAbsent = new RegExp(
  [
    `\\b${subject}\\b[^.:;]{0,80}?(?:not found|not exist|doesn't exist|not known|is unknown|is gone|no longer|expired|cannot be loaded)`,
    `\\b(?:no|unknown|invalid|missing|such|saved|find) ${subject}\\b`,
    `not found[^.;]{0,20}\\b${subject}\\b`,
  ].join("|"),
  "i",
);

/**
 * Whether a refusal is the agent's word that it does not have a session, or cannot load any.
 * Agents have no common code for it: some say -32002, others -32602 or -32603 with the reason in the message or the data.
 * Everything else may pass, also an error without a reason.
 */
export function saysSessionGone({ code, message, data }: RpcError): boolean {
  if (code === authRequired) return false;
  if (code === resourceNotFound || code === methodNotFound) return true;
  return saysAbsent.test(`${message}\n${typeof data === "string" ? data : (JSON.stringify(data) ?? "")}`);
}

/** Whether an agent only lacks a login. */
export function saysLoginNeeded({ code }: RpcError): boolean {
  return code === authRequired;
}
