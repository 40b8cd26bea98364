// What an agent does to the machine: permitted by an approval, a policy or a person, and put on record.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { ApprovedCall } from "../approval/coverage.ts";
import { judgeOutside, judgeUncovered } from "../approval/policy.ts";
import type { AuditEntry } from "../audit/audit.ts";
import type { OwnQuestion, Permission, PermissionService } from "./permission-service.ts";
import type { ServiceContext } from "./service-context.ts";

/** Something that an agent wants to do. */
export interface Deed extends Pick<AuditEntry, "what" | "subject" | "cwd"> {
  /** Whether it stays inside the session's folders. */
  readonly isInside: boolean;
  /** Whether the approval of a tool call covers it. */
  readonly isCoveredBy: (call: ApprovedCall) => boolean;
  /** What a person is asked where nothing covers it. */
  readonly question: OwnQuestion;
  /** What the agent is told when it is not allowed. */
  readonly refusal: string;
}

/** The deeds of one session's agent. */
export class Deeds {
  readonly #context: ServiceContext;
  readonly #permissions: PermissionService;

  constructor(context: ServiceContext, permissions: PermissionService) {
    this.#context = context;
    this.#permissions = permissions;
  }

  /** Does it if it is allowed, and puts on record how it went; `act` is told whose approval covers it. */
  async carryOut<Result>(
    deed: Deed,
    act: (covering: ApprovedCall | undefined) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const covering = this.#findApproved(deed.isCoveredBy);
    const permission = await this.#permit(deed, covering, signal);
    if (!permission.allowed) {
      this.#record(deed, permission);
      throw new RpcError(ErrorCode.internalError, deed.refusal, { code: "denied" });
    }
    try {
      const result = await act(covering);
      this.#record(deed, permission, "done");
      return result;
    } catch (error) {
      this.#record(deed, permission, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** By the approval that covers it, else by the policy; outside the session's folders it is judged more strictly. */
  async #permit(
    { isInside, question }: Deed,
    covering: ApprovedCall | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Permission> {
    const { policy } = this.#context;
    if (covering !== undefined) return { allowed: true, by: `approval of ${covering.toolCallId}` };
    const verdict = isInside ? judgeUncovered(policy) : judgeOutside(policy);
    if (verdict === "ask") return this.#permissions.askOwn(question, signal);
    return { allowed: verdict === "allow", by: `policy ${policy ?? "none"}` };
  }

  /** The approval of a call of this turn that is not finished and covers what is about to be done. */
  #findApproved(covers: (call: ApprovedCall) => boolean): ApprovedCall | undefined {
    const { turn } = this.#context;
    if (turn === undefined || turn.isOver) return undefined;
    return [...turn.approved.values()].find(
      (call) => turn.translator.isUnfinished(call.toolCallId) && covers(call),
    );
  }

  #record({ what, subject, cwd }: Deed, { allowed, by }: Permission, outcome?: string): void {
    const { audit, key, turn } = this.#context;
    const verdict = allowed ? "allowed" : "denied";
    audit.record({ session: key, turnId: turn?.id, what, subject, cwd, by, verdict, outcome });
  }
}
