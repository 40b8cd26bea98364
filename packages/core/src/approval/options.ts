// The options of an approval: labels by their kinds, ids that no kind can be mistaken for.
import type { ApprovalOption } from "@holdfast/ahp";
import type { AcpPermissionOption } from "../agent/acp.ts";

/** The meaning of each kind, whatever an agent calls it. */
const labels: Readonly<Partial<Record<string, string>>> = {
  allow_once: "Allow once",
  allow_always: "Always allow",
  reject_once: "Deny",
  reject_always: "Always deny",
};

/** The options of the host's own questions. */
export const HOST_OPTIONS: readonly ApprovalOption[] = [
  { id: "allow", label: "Allow once", kind: "allow_once" },
  { id: "allow-always", label: "Always allow", kind: "allow_always" },
  { id: "reject", label: "Deny", kind: "reject_once" },
];

/** Options as people see them, and the agent's own id of each. */
export interface OfferedOptions {
  readonly options: readonly ApprovalOption[];
  readonly agentIdOf: (id: string) => string;
}

/** An agent's options under labels that it did not choose; an id that would say another kind is replaced. */
export function offerOptions(agentOptions: readonly AcpPermissionOption[]): OfferedOptions {
  const agentIds = new Map<string, string>();
  const options = agentOptions.map(({ optionId, name, kind }, index): ApprovalOption => {
    const isMisleading = (labels[optionId] !== undefined && optionId !== kind) || agentIds.has(optionId);
    const id = isMisleading ? `option-${index + 1}` : optionId;
    agentIds.set(id, optionId);
    const isShared = agentOptions.filter((other) => other.kind === kind).length > 1;
    const label = labels[kind] ?? "Other";
    return { id, label: isShared ? `${label}: ${name}` : label, kind, agentLabel: name };
  });
  return { options, agentIdOf: (id) => agentIds.get(id) ?? id };
}
