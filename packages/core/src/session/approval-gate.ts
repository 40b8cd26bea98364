// An agent's actions on the machine: permitted by an approval, a rule, a policy or a person, and recorded.
import { type ApprovalSubject, type CommandSubject, isUnfinished } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { rpcCodeOf } from "@holdfast/terminal/acp-parts";
import type { AgentRequest } from "../agent/agent-connection.ts";
import type { GrantUse } from "../approval/grants.ts";
import { decideUncovered } from "../approval/policy.ts";
import { NOT_ISOLATED, runsOutside, targetOf } from "../approval/subject.ts";
import type { AuditEntry } from "../audit/audit.ts";
import { describeRule } from "../policy/host-policy.ts";
import type { RuledAction } from "../policy/session-subject.ts";
import type { Permission, PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

/** Something that an agent wants to do. */
export interface GatedAction extends Pick<AuditEntry, "what" | "cwd" | "environment"> {
  readonly kind: "execute" | "edit" | "read";
  readonly subject: ApprovalSubject;
  /** Whether it stays inside the session's folders. */
  readonly isInside: boolean;
  /** The action as the rules of the policy file see it. */
  readonly ruled: RuledAction;
  /** The turn that ran when the agent asked; undefined outside of turns. */
  readonly turn: Turn | undefined;
  /** The error for the agent when the action is denied. */
  readonly refusal: string;
}

/** The gate of one session's agent. */
export class ApprovalGate {
  readonly #context: SessionContext;
  readonly #permissions: PermissionService;

  constructor(context: SessionContext, permissions: PermissionService) {
    this.#context = context;
    this.#permissions = permissions;
  }

  /**
   * Runs the action if it is allowed, and puts the outcome on record; `act` receives the grant that covers it.
   * An action that cannot be recorded is not run; if that shows only afterwards, `undo` reverts it (D262).
   * `record` puts an action on record that is not over yet.
   */
  async run<Result>(
    action: GatedAction,
    act: (grant: GrantUse | undefined) => Promise<Result>,
    request: AgentRequest,
    undo?: (result: Result) => Promise<void>,
    record?: (entry: Omit<AuditEntry, "at">, result: Result) => void,
  ): Promise<Result> {
    const { recording } = this.#context.deps.hub;
    recording.require();
    // The decision on a question of an earlier host counts, whatever covers the action now (R860).
    const isAsked = this.#permissions.isRestored(request);
    const grant = isAsked ? undefined : this.#takeGrant(action, request.name);
    const permission = isAsked
      ? await this.#ask(action, request)
      : await this.#permit(action, grant, request);
    if (!permission.allowed) {
      grant?.release();
      this.#record(action, permission);
      throw denied(action, permission);
    }
    let result: Result;
    try {
      // Somebody may have been asked for long.
      recording.require();
      result = await act(grant);
    } catch (error) {
      // An action that did not start has used up nothing.
      grant?.release();
      this.#record(action, permission, error instanceof Error ? error.message : String(error));
      throw error;
    }
    grant?.spend();
    try {
      if (record === undefined) this.#record(action, permission, "done");
      else record(this.#describe(action, permission), result);
      return result;
    } catch (error) {
      await undo?.(result);
      throw error;
    }
  }

  /** A rule or policy that denies wins; then the approval that covers it, a standing permission, a rule, the policy. */
  async #permit(
    action: GatedAction,
    grant: GrantUse | undefined,
    request: AgentRequest,
  ): Promise<Permission> {
    const context = this.#context;
    const { isInside, subject, ruled, turn } = action;
    const { policy } = context;
    const isInTurn = turn !== undefined;
    const uncovered = decideUncovered(policy, { kind: subject.kind, isInside, isInTurn });
    const { decision, rule } = context.decideByRules(ruled, uncovered);
    const byPolicy = policy === undefined ? "default (no policy)" : `policy ${policy}`;
    const decided = { by: rule === undefined ? byPolicy : describeRule(rule), rule: rule?.id };
    if (decision === "deny") return { allowed: false, ...decided };
    if (grant !== undefined) return { allowed: true, by: `approval of ${grant.toolCallId}` };
    // An agent that was denied just this does not get it by not asking again.
    const wasDenied = policy === undefined && context.grantsOf(turn).isDenied(subject);
    if (decision === "allow" && wasDenied) return { allowed: false, by: "the decision on its request" };
    // No policy was written for commands that leave the sandbox: a person decides.
    const isOutside = runsOutside(subject);
    const standing = policy === "approve-all" && !isOutside ? undefined : context.findRule(subject);
    if (standing !== undefined) return { allowed: true, by: `rule ${standing.id}`, rule: standing.id };
    if (decision === "allow" && !isOutside) return { allowed: true, ...decided };
    if (context.isCancelling) return { allowed: false, by: "host" };
    return this.#ask(action, request);
  }

  #ask({ kind, subject, turn }: GatedAction, request: AgentRequest): Promise<Permission> {
    return this.#permissions.askOwn({ kind, subject }, turn?.isOver === true ? undefined : turn, request);
  }

  /** Takes the approval of a call of this turn that is not finished and covers what is about to be done. */
  #takeGrant({ subject, turn }: GatedAction, request: string): GrantUse | undefined {
    const context = this.#context;
    if (turn?.isOver === true || context.policy === "deny-all") return undefined;
    const isCurrent = (toolCallId: string): boolean => {
      if (turn === undefined) return true;
      const call = context.chat.toolCall(toolCallId);
      return call !== undefined && isUnfinished(call);
    };
    return context.grantsOf(turn).take(subject, isCurrent, request);
  }

  #record(action: GatedAction, permission: Permission, outcome?: string): void {
    this.#context.deps.audit.record({ ...this.#describe(action, permission), outcome });
  }

  /** As the audit has it. */
  #isolationOf(subject: CommandSubject): string | undefined {
    if (!runsOutside(subject)) return this.#context.sandbox.description;
    return subject.isolation === NOT_ISOLATED ? "none" : subject.isolation;
  }

  #describe(action: GatedAction, { allowed, by, rule }: Permission): Omit<AuditEntry, "at"> {
    const { what, subject, cwd, environment, turn } = action;
    return {
      session: this.#context.key,
      turnId: turn?.id,
      what,
      subject: targetOf(subject, ""),
      ...(cwd !== undefined && { cwd }),
      by,
      decision: allowed ? "allowed" : "denied",
      ...(environment !== undefined && { environment }),
      ...(subject.kind === "command" && {
        isolation: this.#isolationOf(subject),
      }),
      ...(rule !== undefined && { rule }),
    };
  }
}

/** Written for the agent's model: who decided, and what it can do now (N320). */
function denied({ refusal }: GatedAction, { by }: Permission): RpcError {
  const message = `${refusal} (denied by ${by}). Ask the user before trying it again, or continue without it.`;
  return new RpcError(rpcCodeOf("denied"), message, { code: "denied", by });
}
