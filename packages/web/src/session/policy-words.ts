// What an agent may do without a question, in words for people.
import type { ApprovalPolicy } from "@holdfast/ahp";

/** A choice of a list; the empty value stands for no policy of the host's own. */
export interface PolicyChoice {
  readonly value: ApprovalPolicy | "";
  readonly words: string;
  /** The same where there is little room. */
  readonly short: string;
}

/** The choices, the most careful of the usable ones first. */
export const policies: readonly PolicyChoice[] = [
  { value: "", words: "ask me whenever the agent asks", short: "you decide" },
  { value: "approve-reads", words: "let it read, ask me for the rest", short: "may read" },
  { value: "approve-all", words: "let it do everything", short: "may do everything" },
  { value: "deny-all", words: "let it do nothing", short: "may do nothing" },
];

/** The policy of a choice's value. */
export function policyOf(value: string): ApprovalPolicy | undefined {
  const found = policies.find((choice) => choice.value === value)?.value;
  return found === "" ? undefined : found;
}
