// A request for permission and how it was decided.
import type { Actor } from "../failure.ts";
import type { ApprovalId } from "../ids.ts";
import type { OpenEnum, Timestamp } from "../json.ts";

/** A question to a person: may this tool call go on? */
export interface Approval {
  readonly id: ApprovalId;
  /** What is to be done, such as `execute` or `write`. */
  readonly action: string;
  /** What it is done to: a command line, a path, an address. */
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

/** How an approval ended; the first decision counts. */
export interface ApprovalDecision {
  readonly approvalId: ApprovalId;
  readonly outcome: "approved" | "denied" | "cancelled";
  /** The option that was chosen, if the outcome comes from one. */
  readonly optionId?: string;
  readonly by: Actor;
  readonly at: Timestamp;
  /** What the person would rather have, told to the agent where it can be. */
  readonly suggestion?: string;
}
