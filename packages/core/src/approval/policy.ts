// The decision of a session's approval policy on a permission request, a command or a path, before a person is asked.
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
    case "ask":
    case undefined:
      return "ask";
  }
}

/** Something that an agent does through the host and that no permission covers. */
export interface UncoveredAction {
  readonly kind: "command" | "write" | "read" | "other";
  /** Whether it stays inside the session's folders. */
  readonly isInside: boolean;
  /** Whether a turn runs: without one, nobody has asked the agent for anything. */
  readonly isInTurn: boolean;
}

/** The decision on an action that no permission covers. */
export function decideUncovered(
  policy: ApprovalPolicy | undefined,
  { kind, isInside, isInTurn }: UncoveredAction,
): PolicyDecision {
  if (policy === "approve-all") return "allow";
  if (policy === "deny-all") return "deny";
  if (!isInside) return "ask";
  if (kind === "read") return "allow";
  return policy === undefined && isInTurn ? "allow" : "ask";
}
