// What a session's approval policy says to a permission request, a command or a path, before anyone is asked.
import type { ApprovalPolicy, ApprovalOption } from "@holdfast/ahp";

/** What becomes of something that needs permission. */
export type Verdict = "allow" | "deny" | "ask";

/** Tools that only look. */
const lookingKinds = new Set(["read", "search", "think"]);

/** The verdict on a tool call for which the agent asks permission. */
export function judgeToolCall(policy: ApprovalPolicy | undefined, kind: string | undefined): Verdict {
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

/** The verdict on a command or a write that no approval covers. */
export function judgeUncovered(policy: ApprovalPolicy | undefined): Verdict {
  if (policy === "approve-reads") return "ask";
  return policy === "deny-all" ? "deny" : "allow";
}

/** The verdict on a path outside the session's roots. */
export function judgeOutside(policy: ApprovalPolicy | undefined): Verdict {
  if (policy === "approve-all") return "allow";
  return policy === "deny-all" ? "deny" : "ask";
}

/** The option that says yes or no, the one for this time before the one for always. */
export function pickOption(
  options: readonly ApprovalOption[],
  answer: "allow" | "reject",
): ApprovalOption | undefined {
  return (
    options.find((option) => option.kind === `${answer}_once`) ??
    options.find((option) => option.kind === `${answer}_always`)
  );
}

/** The option that an answer means: by its id, or by its kind where exactly one has it. */
export function findOption(options: readonly ApprovalOption[], answer: string): ApprovalOption | undefined {
  const byId = options.find((option) => option.id === answer);
  if (byId !== undefined) return byId;
  const byKind = options.filter((option) => option.kind === answer);
  return byKind.length === 1 ? byKind[0] : undefined;
}

/** Whether choosing an option lets the tool call go on. */
export function isAllowing(option: ApprovalOption): boolean {
  return option.kind.startsWith("allow");
}
