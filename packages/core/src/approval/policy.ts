// The decision of a session's approval policy on a permission request, a command or a path, before anyone is asked.
import type { ApprovalPolicy } from "@holdfast/ahp";

/** The decision about something that needs permission. */
export type PolicyDecision = "allow" | "deny" | "ask";

/** Tools that only look. */
const lookingKinds = new Set(["read", "search", "think"]);

/** The decision on a tool call for which the agent asks permission. */
export function decideToolCall(policy: ApprovalPolicy | undefined, kind: string | undefined): PolicyDecision {
  switch (policy) {
    case "approve-all":
      return "allow";
    case "deny-all":
      return "deny";
    case "approve-reads":
      return kind !== undefined && lookingKinds.has(kind) ? "allow" : "ask";
    case undefined:
      return "ask";
  }
}

/** The decision on a command or a write that no approval covers. */
export function decideUncovered(policy: ApprovalPolicy | undefined): PolicyDecision {
  if (policy === "approve-reads") return "ask";
  return policy === "deny-all" ? "deny" : "allow";
}

/** The decision on a path outside the session's roots. */
export function decideOutside(policy: ApprovalPolicy | undefined): PolicyDecision {
  if (policy === "approve-all") return "allow";
  return policy === "deny-all" ? "deny" : "ask";
}
