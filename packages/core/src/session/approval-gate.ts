// An agent's actions on the machine: permitted by an approval, a policy or a person, and put on record.
import { isUnfinished } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { rpcCodeOf } from "@holdfast/terminal/acp-parts";
import type { ApprovedCall } from "../approval/coverage.ts";
import { decideOutside, decideUncovered } from "../approval/policy.ts";
import type { AuditEntry } from "../audit/audit.ts";
import type { OwnQuestion, Permission, PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";

/** Something that an agent wants to do. */
export interface GatedAction extends Pick<AuditEntry, "what" | "subject" | "cwd"> {
  /** Whether it stays inside the session's folders. */
  readonly isInside: boolean;
  /** Whether the approval of a tool call covers it. */
  readonly isCoveredBy: (call: ApprovedCall) => boolean;
  /** The question to a person where nothing covers the action. */
  readonly question: OwnQuestion;
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
   * Runs the action if it is allowed, and puts the outcome on record; `act` receives the call whose approval covers it.
   * An action that cannot be put on record is not run; where that shows only afterwards, `undo` reverts it (D262).
   */
  async run<Result>(
    action: GatedAction,
    act: (covering: ApprovedCall | undefined) => Promise<Result>,
    signal?: AbortSignal,
    undo?: (result: Result) => Promise<void>,
  ): Promise<Result> {
    const { recording } = this.#context.deps.hub;
    recording.require();
    const covering = this.#findApproved(action.isCoveredBy);
    const permission = await this.#permit(action, covering, signal);
    if (!permission.allowed) {
      this.#record(action, permission);
      throw denied(action, permission);
    }
    // Somebody may have been asked for long.
    recording.require();
    let result: Result;
    try {
      result = await act(covering);
    } catch (error) {
      this.#record(action, permission, error instanceof Error ? error.message : String(error));
      throw error;
    }
    try {
      this.#record(action, permission, "done");
      return result;
    } catch (error) {
      await undo?.(result);
      throw error;
    }
  }

  /** By the approval that covers it, else by the policy; outside the session's folders the policy is stricter. */
  async #permit(
    { isInside, question }: GatedAction,
    covering: ApprovedCall | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Permission> {
    const { policy } = this.#context;
    if (covering !== undefined) return { allowed: true, by: `approval of ${covering.toolCallId}` };
    const decision = isInside ? decideUncovered(policy) : decideOutside(policy);
    if (decision === "ask") return this.#permissions.askOwn(question, signal);
    return { allowed: decision === "allow", by: `policy ${policy ?? "none"}` };
  }

  /** The approval of a call of this turn that is not finished and covers what is about to be done. */
  #findApproved(covers: (call: ApprovedCall) => boolean): ApprovedCall | undefined {
    const { turn, chat } = this.#context;
    if (turn === undefined || turn.isOver) return undefined;
    return [...turn.approved.values()].find((approved) => {
      const call = chat.toolCall(approved.toolCallId);
      return call !== undefined && isUnfinished(call) && covers(approved);
    });
  }

  #record({ what, subject, cwd }: GatedAction, { allowed, by }: Permission, outcome?: string): void {
    const { deps, key, turn, sandbox } = this.#context;
    const verdict = allowed ? "allowed" : "denied";
    const isolation = what === "command" ? { isolation: sandbox.description } : {};
    deps.audit.record({
      session: key,
      turnId: turn?.id,
      what,
      subject,
      cwd,
      by,
      verdict,
      outcome,
      ...isolation,
    });
  }
}

/** Written for the agent's model: who decided, and what it can do now (N320). */
function denied({ refusal }: GatedAction, { by }: Permission): RpcError {
  const message = `${refusal} (denied by ${by}). Ask the user before trying it again, or continue without it.`;
  return new RpcError(rpcCodeOf("denied"), message, { code: "denied", by });
}
