// Rules for ceilings: which agents, folders and policies the sessions of a key or an app may have.
import type { ApprovalPolicy } from "@holdfast/ahp";
import type { Ceiling } from "@holdfast/protocol";
import { liesIn } from "../resource/inside.ts";
import { type Rejection, reject } from "./rule.ts";

/** The agent, folder and policy that a caller wants for a session; absent ones are not asked for. */
export interface WantedRights {
  readonly agent?: { readonly id: string } | undefined;
  /** A folder, after symbolic links. */
  readonly folder?: string | undefined;
  /** The policy; null for a session without one. */
  readonly policy?: string | null | undefined;
}

/** The names in a ceiling, resolved on this host: agents by their ids, and folders after symbolic links. */
export interface ResolvedCeiling {
  /** Undefined: any agent. */
  readonly agents: readonly string[] | undefined;
  /** Absent: any folder but the host's own. */
  readonly roots?: readonly string[] | undefined;
  /** The host's home, which holds its token. */
  readonly home: string;
  /** The folder in it that holds one for each app. */
  readonly appData?: string | undefined;
}

/**
 * Policies by what happens without a decision. Under `ask` everything waits for one. Without a policy, what an agent does
 * inside its folder without asking is allowed, so that only a ceiling of `approve-all` includes it.
 */
const strengths: ReadonlyMap<string | null, number> = new Map<string | null, number>([
  ["deny-all", 0],
  ["ask", 1],
  ["approve-reads", 2],
  [null, 3],
  ["approve-all", 4],
]);

/** Why a caller with this ceiling may not have what it wants; undefined when it may (A620). */
export function refuseAbove(
  ceiling: Ceiling,
  wanted: WantedRights,
  resolved: ResolvedCeiling,
): Rejection | undefined {
  const { agent, folder, policy } = wanted;
  if (agent !== undefined && resolved.agents?.includes(agent.id) === false) {
    return above(`the agents ${(ceiling.agents ?? []).join(", ")}, not ${agent.id}`, `--agents ${agent.id}`);
  }
  if (folder !== undefined && !mayWorkIn(folder, resolved)) {
    const allowed = ceiling.roots === undefined ? "any folder but the host's own" : ceiling.roots.join(", ");
    return above(`${allowed}, not ${folder}`, `--root ${folder}`);
  }
  if (policy !== undefined && !isWithin(policy, ceiling.policy)) {
    return above(
      `at most the policy ${ceiling.policy}, not ${policy ?? "none"}`,
      `--policy ${policy ?? "approve-all"}`,
    );
  }
  return undefined;
}

/** The policy of an app's session that names none: the strongest that asks, unless the ceiling includes none (A621). */
export function policyWithin({ policy }: Ceiling): ApprovalPolicy | undefined {
  if (policy === "approve-all") return undefined;
  return policy === "deny-all" ? policy : "ask";
}

function mayWorkIn(folder: string, { roots, home, appData }: ResolvedCeiling): boolean {
  if (roots !== undefined) return liesIn(folder, roots);
  return !liesIn(folder, [home]) || (appData !== undefined && liesIn(folder, [appData]));
}

/** A policy of unknown strength is within no ceiling but its own. */
function isWithin(policy: string | null, most: string): boolean {
  if (policy === most) return true;
  return (strengths.get(policy) ?? Number.POSITIVE_INFINITY) <= (strengths.get(most) ?? -1);
}

function above(allowed: string, option: string): Rejection {
  return reject(
    `The owner allows this key or app ${allowed}. For more, the owner makes another key with ` +
      `\`holdfast keys create --name NAME ${option}\`, or grants an app more with \`holdfast apps grant\`.`,
    "CEILING_EXCEEDED",
  );
}
