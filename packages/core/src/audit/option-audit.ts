// The entries of changed options: the policy, the model, the mode, the folder and the agent's own.
import type { Actor, Changes, RuntimeOptions } from "@holdfast/ahp";
import { ALLOWED, type Audit } from "./audit.ts";
import { describeActor } from "./describe-actor.ts";

const none = "none";

/** Records every option that differs from before; one entry each. */
export function recordOptions(
  audit: Audit,
  session: string,
  {
    before,
    after,
    by,
  }: { readonly before: RuntimeOptions; readonly after: Changes<RuntimeOptions>; readonly by: Actor },
): void {
  const previous = new Map(listOptions(before));
  for (const [name, value] of listOptions(after)) {
    const old = previous.get(name);
    if ((old ?? none) === value) continue;
    audit.record({
      session,
      what: name === "approvalPolicy" ? "policy" : "option",
      subject: `${name}: ${old ?? none} → ${value}`,
      by: describeActor(by),
      ...ALLOWED,
      outcome: "done",
    });
  }
}

function listOptions({ extras, ...options }: Changes<RuntimeOptions>): (readonly [string, string])[] {
  const plain = Object.entries(options).map(([name, value]) => [name, textOf(value ?? none)] as const);
  return [...plain, ...Object.entries(extras ?? {})];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
