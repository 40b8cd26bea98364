// A request for permission and how it was decided.
import { actorShape, type Actor } from "../failure.ts";
import type { ApprovalId } from "../ids.ts";
import type { OpenEnum, Timestamp } from "../json.ts";
import { id, list, object, oneOf, optional, text } from "../shape.ts";

/** A question to a person: may this tool call run? */
export interface Approval {
  readonly id: ApprovalId;
  /** The action, such as `execute` or `write`. */
  readonly action: string;
  /** The target of the action: a command line, a path, an address. */
  readonly target: string;
  /** The choices as the agent gave them, in its order. */
  readonly options: readonly ApprovalOption[];
  readonly requestedAt: Timestamp;
  /** When a reject option is picked if nobody has answered. */
  readonly expiresAt?: Timestamp;
}

/** One answer that an approval offers. */
export interface ApprovalOption {
  /** The agent's own id; it need not resemble the kind. */
  readonly id: string;
  readonly label: string;
  readonly kind: OpenEnum<"allow_once" | "allow_always" | "reject_once" | "reject_always">;
}

/** Whether choosing an option of this kind lets the tool call run. */
export function isAllowing(kind: ApprovalOption["kind"]): boolean {
  return kind.startsWith("allow");
}

/** How an approval ended; the first decision counts. */
export interface ApprovalDecision {
  readonly approvalId: ApprovalId;
  readonly outcome: "approved" | "denied" | "cancelled";
  /** The option that was chosen, if the outcome comes from one. */
  readonly optionId?: string;
  readonly by: Actor;
  readonly at: Timestamp;
  /** A person's preferred alternative; the agent gets it where its protocol has a field for it. */
  readonly suggestion?: string;
}

export const approvalShape = object<Approval>({
  id: id("approval"),
  action: text,
  target: text,
  options: list(object({ id: text, label: text, kind: text })),
  requestedAt: text,
  expiresAt: optional(text),
});

export const approvalDecisionShape = object<ApprovalDecision>({
  approvalId: id("approval"),
  outcome: oneOf("approved", "denied", "cancelled"),
  optionId: optional(text),
  by: actorShape,
  at: text,
  suggestion: optional(text),
});
