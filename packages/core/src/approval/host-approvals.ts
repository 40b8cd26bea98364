// The app API's operations on approvals: open questions, decisions on them, and standing permissions.
import { ROOT_URI, makeId } from "@holdfast/ahp";
import type { PermissionDecision, PermissionRuleInfo } from "@holdfast/protocol";
import { type Caller, maySee, submitterOf } from "../caller.ts";
import type { Hub } from "../channel/hub.ts";
import { NOT_OPEN } from "../rules/approval-rules.ts";
import type { HostSession } from "../session/host-session.ts";
import type { Sessions } from "../session/sessions.ts";
import { answerForm, decideApproval } from "../submit/decision.ts";
import { type Submit, requireAccepted, submitNow } from "../submit/submission.ts";
import { type Approvals, describeWaiting, type WaitingQuestion } from "./approvals.ts";
import type { InputRequests } from "./input-requests.ts";
import { describeRule, type PermissionRules } from "./permission-rules.ts";

export interface HostApprovalsDeps {
  readonly hub: Pick<Hub, "recording">;
  readonly sessions: Pick<Sessions, "get" | "of">;
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
  readonly rules: PermissionRules;
  readonly submit: Submit;
}

/** The approvals of all sessions, for the callers that may see them. */
export class HostApprovals {
  readonly #deps: HostApprovalsDeps;

  constructor(deps: HostApprovalsDeps) {
    this.#deps = deps;
  }

  /** Open questions in the caller's sessions, oldest first. */
  list(caller: Caller): WaitingQuestion[] {
    const { approvals, inputs, sessions } = this.#deps;
    approvals.expireDue();
    inputs.expireDue();
    return sessions
      .of(caller)
      .flatMap(({ state }) => state.inputNeeded.map((needed) => describeWaiting(state.key, needed)))
      .toSorted((one, other) => compareText(one.requestedAt, other.requestedAt));
  }

  /**
   * Answers a permission request, or a form: `accept`, `decline` and `cancel` are its options. Without a session's
   * key, the request is looked for in all sessions of the caller.
   */
  resolve(
    key: string | undefined,
    { requestId, optionId, content = {}, scope }: PermissionDecision,
    caller: Caller,
  ): { resolved: boolean; reason?: string } {
    const { hub, sessions, submit } = this.#deps;
    const session = key === undefined ? this.#sessionOf(requestId, caller) : sessions.get(key, caller);
    if (session === undefined) return { resolved: false, reason: NOT_OPEN.reason };
    const { chat, state } = session;
    const action =
      answerForm(chat.state, requestId, optionId, content) ??
      decideApproval(state, requestId, optionId, scope);
    if (typeof action === "string") return { resolved: false, reason: action };
    const submission = submitNow(submit, hub.recording, chat.uri, action, submitterOf(caller));
    if (submission.outcome === "rejected") return { resolved: false, reason: submission.reason };
    return { resolved: submission.outcome === "accepted" };
  }

  #sessionOf(requestId: string, caller: Caller): HostSession | undefined {
    return this.#deps.sessions
      .of(caller)
      .find(({ state }) => state.inputNeeded.some(({ id }) => id === requestId));
  }

  /** Standing permissions in the caller's sessions and in folders, oldest first. */
  listRules(caller: Caller): PermissionRuleInfo[] {
    const { sessions, rules } = this.#deps;
    const ofSessions = sessions.of(caller).flatMap(({ state }) => {
      const { key, provider, permissionRules = [] } = state;
      return permissionRules.map((rule) => describeRule(rule, provider, { session_key: key }));
    });
    const ofFolders = rules.folderRules
      .filter(({ owner }) => maySee(caller, owner))
      .map(({ rule, agent, folder }) => describeRule(rule, agent, { folder }));
    return [...ofSessions, ...ofFolders].toSorted((one, other) =>
      compareText(one.createdAt, other.createdAt),
    );
  }

  /** Takes a standing permission back; what it allowed is asked about again. */
  async removeRule(id: string, caller: Caller): Promise<void> {
    const { sessions, submit } = this.#deps;
    const holds = ({ state }: HostSession): boolean =>
      state.permissionRules?.some((rule) => rule.id === id) ?? false;
    const session = sessions.of(caller).find(holds);
    const ruleId = makeId("permission rule", id);
    const request =
      session === undefined
        ? ({ type: "root/removePermissionRule", id: ruleId } as const)
        : ({ type: "session/permissionRuleRemoved", id: ruleId } as const);
    const submission = await submit(session?.uri ?? ROOT_URI, request, submitterOf(caller));
    requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
  }
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
