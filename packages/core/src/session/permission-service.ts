// Answers an agent that asks permission, and asks on the host's own behalf where no approval covers what the agent does.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalOption,
  type ToolCall,
  type ToolKind,
  makeId,
} from "@holdfast/ahp";
import type { AcpPermissionOption, AcpToolCall } from "../agent/acp.ts";
import type { ApprovalRequest } from "../approval/approvals.ts";
import { judgeToolCall, pickOption, type Verdict } from "../approval/policy.ts";
import { type ServiceContext, openTurn, placeOf } from "./service-context.ts";
import { findToolCall } from "./tool-calls.ts";
import type { Turn } from "./turn.ts";

/** ACP's answer to a permission request. */
export type PermissionAnswer = {
  readonly outcome:
    | { readonly outcome: "cancelled" }
    | { readonly outcome: "selected"; readonly optionId: string };
};

const cancelled: PermissionAnswer = { outcome: { outcome: "cancelled" } };

const hostOptions: readonly ApprovalOption[] = [
  { id: "allow", label: "Allow", kind: "allow_once" },
  { id: "reject", label: "Reject", kind: "reject_once" },
];

/** The permissions of one session. */
export class PermissionService {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** `session/request_permission`: by policy at once, else by whoever answers first. */
  async answerAgent(
    asked: AcpToolCall,
    agentOptions: readonly AcpPermissionOption[],
  ): Promise<PermissionAnswer> {
    const context = this.#context;
    const turn = openTurn(context);
    if (turn === undefined) return cancelled;
    const options = agentOptions.map(({ optionId, name, kind }) => ({ id: optionId, label: name, kind }));
    // It may be the first that is heard of the tool call.
    for (const translated of turn.translator.toolCall({ ...asked, status: null })) {
      context.dispatch(translated);
    }
    const call = findToolCall(context.hub.state(context.chat, "chat"), asked.toolCallId);
    const verdict = judgeToolCall(context.policy, asked.kind ?? call?.toolKind);
    const decision = await this.#settle(turn, asked.toolCallId, verdict, options, call);
    if (decision.optionId === undefined) return cancelled;
    if (decision.outcome === "approved") this.#noteApproved(turn, asked, call);
    else turn.translator.noteFinished(asked.toolCallId);
    return { outcome: { outcome: "selected", optionId: decision.optionId } };
  }

  /** The host's own question, for what no approval covers. True when it may go on. */
  async askOwn(
    verdict: Verdict,
    question: { readonly kind: ToolKind; readonly title: string; readonly target: string },
  ): Promise<boolean> {
    if (verdict === "allow") return true;
    const turn = openTurn(this.#context);
    if (verdict === "deny" || turn === undefined) return false;
    const { kind, title, target } = question;
    const toolCallId = makeId("tool call", `host-${randomUUID()}`);
    this.#context.dispatch({
      to: "chat",
      action: {
        type: "chat/toolCallStart",
        turnId: turn.id,
        toolCallId,
        toolName: title,
        displayName: target,
        toolKind: kind,
        contributor: { kind: "host" },
      },
    });
    const call = findToolCall(this.#context.hub.state(this.#context.chat, "chat"), toolCallId);
    const { outcome } = await this.#settle(turn, toolCallId, "ask", hostOptions, call);
    if (outcome !== "approved") return false;
    this.#context.dispatch({
      to: "chat",
      action: { type: "chat/toolCallComplete", turnId: turn.id, toolCallId, result: { success: true } },
    });
    return true;
  }

  async #settle(
    turn: Turn,
    toolCallId: string,
    verdict: Verdict,
    options: readonly ApprovalOption[],
    call: ToolCall | undefined,
  ): Promise<ApprovalDecision> {
    const context = this.#context;
    const title = call?.displayName ?? toolCallId;
    const asking = {
      place: placeOf(context, turn),
      toolCallId: makeId("tool call", toolCallId),
      action: call?.toolKind ?? "other",
      target: title,
      options,
    };
    const decision =
      verdict === "allow"
        ? this.#allow(turn, toolCallId, title, options)
        : await this.#ask(turn, asking, verdict);
    const verdicts = { approved: "allowed", denied: "denied", cancelled: "cancelled" } as const;
    context.audit.record({
      session: context.key,
      turnId: turn.id,
      what: "approval",
      subject: title,
      by: JSON.stringify(decision.by),
      verdict: verdicts[decision.outcome],
      outcome: decision.optionId,
    });
    return decision;
  }

  async #ask(turn: Turn, asking: ApprovalRequest, verdict: Verdict): Promise<ApprovalDecision> {
    const { approvals } = this.#context;
    const { id, decided } = approvals.ask(asking);
    if (verdict === "ask" && turn.isInteractive) return decided;
    // A policy says no through the same queue as a person, so that it is on record the same way.
    turn.denied.push({ toolCallId: asking.toolCallId, title: asking.target, kind: asking.action });
    const option = pickOption(asking.options, "reject");
    if (option === undefined) approvals.cancel(id, this.#policyActor());
    else approvals.answer(id, option.id, this.#policyActor());
    return decided;
  }

  /** What a policy allows is not even asked. */
  #allow(
    turn: Turn,
    toolCallId: string,
    title: string,
    options: readonly ApprovalOption[],
  ): ApprovalDecision {
    this.#context.dispatch({
      to: "chat",
      action: {
        type: "chat/toolCallReady",
        turnId: turn.id,
        toolCallId: makeId("tool call", toolCallId),
        invocationMessage: title,
        confirmation: { kind: "setting" },
      },
    });
    const option = pickOption(options, "allow");
    const chosen =
      option === undefined
        ? { outcome: "cancelled" as const }
        : { outcome: "approved" as const, optionId: option.id };
    return {
      approvalId: makeId("approval", toolCallId),
      by: this.#policyActor(),
      at: this.#context.now().toISOString(),
      ...chosen,
    };
  }

  #policyActor(): Actor {
    return { kind: "policy", policy: this.#context.policy ?? "none" };
  }

  #noteApproved(turn: Turn, asked: AcpToolCall, call: ToolCall | undefined): void {
    turn.translator.noteRunning(asked.toolCallId);
    turn.approved.set(asked.toolCallId, {
      toolCallId: asked.toolCallId,
      kind: asked.kind ?? call?.toolKind,
      paths: (asked.locations ?? call?.locations ?? []).map((location) => location.path),
      rawInput: asked.rawInput ?? call?.rawInput,
    });
  }
}
