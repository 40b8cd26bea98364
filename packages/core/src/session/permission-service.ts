// Answers an agent that asks permission, and asks on the host's own behalf where no approval covers what the agent does.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalOption,
  type ToolCall,
  type ToolCallId,
  type ToolKind,
  isUnfinished,
  makeId,
} from "@holdfast/ahp";
import type { AcpPermissionOption, AcpToolCall } from "../agent/acp.ts";
import type { ApprovalRequest } from "../approval/approvals.ts";
import { decideToolCall, type PolicyDecision } from "../approval/policy.ts";
import { pickOption } from "../rules/approval-rules.ts";
import { describeRun, type RuledAction } from "../policy/session-subject.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

/** ACP's answer to a permission request. */
export type PermissionAnswer = {
  readonly outcome:
    | { readonly outcome: "cancelled" }
    | { readonly outcome: "selected"; readonly optionId: string };
};

/** A question of the host's own about something that an agent is about to do. */
export interface OwnQuestion {
  readonly kind: ToolKind;
  readonly title: string;
  readonly target: string;
}

/** Whether an action is allowed, and who decided. */
export interface Permission {
  readonly allowed: boolean;
  readonly by: string;
  /** The rule that decided. */
  readonly rule?: string | undefined;
}

const cancelled: PermissionAnswer = { outcome: { outcome: "cancelled" } };

const auditVerdicts = { approved: "allowed", denied: "denied", cancelled: "cancelled" } as const;

const hostOptions: readonly ApprovalOption[] = [
  { id: "allow", label: "Allow", kind: "allow_once" },
  { id: "reject", label: "Reject", kind: "reject_once" },
];

/** The permissions of one session. */
export class PermissionService {
  readonly #context: SessionContext;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** `session/request_permission`: decided by policy at once, else by the first client that responds. */
  async answerAgent(
    asked: AcpToolCall,
    agentOptions: readonly AcpPermissionOption[],
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const context = this.#context;
    const turn = context.openTurn;
    if (turn === undefined) return cancelled;
    context.deps.hub.recording.require();
    const options = agentOptions.map(({ optionId, name, kind }) => ({ id: optionId, label: name, kind }));
    // It may be the first report of the tool call.
    turn.describe({ ...asked, status: null });
    const call = context.chat.toolCall(asked.toolCallId);
    if (call === undefined || !isUnfinished(call)) return refuseFinished(options);
    const kind = asked.kind ?? call.toolKind;
    const ruled = ruledCall(kind, asked.rawInput ?? call.rawInput, call.locations, context.roots);
    const { decision: policyDecision } = context.decideByRules(ruled, decideToolCall(context.policy, kind));
    const decision = await this.#settle(turn, call, policyDecision, options, signal);
    if (decision.optionId === undefined) return cancelled;
    if (decision.outcome === "approved") this.#noteApproved(turn, asked, call);
    return { outcome: { outcome: "selected", optionId: decision.optionId } };
  }

  /** The host's own question, for what no approval covers. */
  async askOwn({ kind, target }: OwnQuestion, signal?: AbortSignal): Promise<Permission> {
    const turn = this.#context.openTurn;
    // Outside a turn there is nobody to ask.
    if (turn === undefined) return { allowed: false, by: describeActor({ kind: "host" }) };
    const toolCallId = makeId("tool call", `host-${randomUUID()}`);
    this.#context.dispatch({
      to: "chat",
      action: {
        type: "chat/toolCallStart",
        turnId: turn.id,
        toolCallId,
        toolName: kind,
        displayName: target,
        toolKind: kind,
        contributor: { kind: "host" },
      },
    });
    const call = { toolCallId, displayName: target, toolKind: kind, locations: [] };
    const { outcome, by } = await this.#settle(turn, call, "ask", hostOptions, signal);
    if (outcome !== "approved") return { allowed: false, by: describeActor(by) };
    this.#context.dispatch({
      to: "chat",
      action: { type: "chat/toolCallComplete", turnId: turn.id, toolCallId, result: { success: true } },
    });
    return { allowed: true, by: describeActor(by) };
  }

  async #settle(
    turn: Turn,
    call: Pick<ToolCall, "toolCallId" | "displayName" | "toolKind" | "locations">,
    policyDecision: PolicyDecision,
    options: readonly ApprovalOption[],
    signal?: AbortSignal,
  ): Promise<ApprovalDecision> {
    const context = this.#context;
    const { toolCallId, displayName, toolKind } = call;
    const place = context.placeOf(turn);
    const target = describeTarget(call);
    const asking = { place, toolCallId, action: toolKind, title: displayName, target, options };
    const decision =
      policyDecision === "allow"
        ? this.#allow(turn, toolCallId, displayName, options)
        : await this.#ask(turn, asking, policyDecision, signal);
    context.deps.audit.record({
      session: context.key,
      turnId: turn.id,
      what: "approval",
      subject: displayName,
      by: describeActor(decision.by),
      verdict: decision.by.kind === "expiry" ? "expired" : auditVerdicts[decision.outcome],
      outcome: decision.optionId,
    });
    return decision;
  }

  async #ask(
    turn: Turn,
    asking: ApprovalRequest,
    policyDecision: PolicyDecision,
    signal: AbortSignal | undefined,
  ): Promise<ApprovalDecision> {
    const { approvals } = this.#context.deps;
    const { id, decided } = approvals.ask(asking);
    // An agent may take its question back, and when it dies nobody waits for the answer.
    signal?.addEventListener("abort", () => approvals.cancel(id, { kind: "host" }), { once: true });
    if (policyDecision === "ask" && turn.isInteractive) return decided;
    // A policy says no through the same queue as a person, so that it is on record the same way.
    const { toolCallId, title, target, action } = asking;
    turn.denied.push({ toolCallId, title, target, kind: action });
    approvals.choose(id, pickOption(asking.options, "reject"), this.#policyActor());
    return decided;
  }

  /** A request that a policy allows is not even asked. */
  #allow(
    turn: Turn,
    toolCallId: ToolCallId,
    title: string,
    options: readonly ApprovalOption[],
  ): ApprovalDecision {
    this.#context.dispatch({
      to: "chat",
      action: {
        type: "chat/toolCallReady",
        turnId: turn.id,
        toolCallId,
        invocationMessage: title,
        confirmation: { kind: "setting" },
        startedAt: this.#context.now().toISOString(),
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

  #noteApproved(turn: Turn, asked: AcpToolCall, call: ToolCall): void {
    turn.approved.set(asked.toolCallId, {
      toolCallId: asked.toolCallId,
      kind: asked.kind ?? call.toolKind,
      paths: (asked.locations ?? call.locations).map((location) => location.path),
      rawInput: asked.rawInput ?? call.rawInput,
    });
  }
}

/** A call that shows its command is decided by that; another by its kind and files. */
function ruledCall(
  toolKind: string | undefined,
  rawInput: unknown,
  locations: ToolCall["locations"],
  roots: readonly string[],
): RuledAction {
  const { command, cwd } = (rawInput ?? {}) as { readonly command?: unknown; readonly cwd?: unknown };
  if (toolKind !== "execute" || typeof command !== "string") {
    return { kind: "tool", toolKind, paths: locations.map(({ path }) => path) };
  }
  const folder = typeof cwd === "string" && isAbsolute(cwd) ? cwd : (roots[0] ?? "/");
  return { kind: "command", run: describeRun(command, [], folder), cwd: folder };
}

/** The subject of a call: its files, where it names any and is no command; else its title. */
function describeTarget({
  displayName,
  toolKind,
  locations,
}: Pick<ToolCall, "displayName" | "toolKind" | "locations">): string {
  if (toolKind === "execute" || locations.length === 0) return displayName;
  return locations.map(({ path, line }) => (line === undefined ? path : `${path}:${line}`)).join(", ");
}

/** A call that was rejected or is done cannot be asked about again: nobody would see the question. */
function refuseFinished(options: readonly ApprovalOption[]): PermissionAnswer {
  const option = pickOption(options, "reject");
  return option === undefined ? cancelled : { outcome: { outcome: "selected", optionId: option.id } };
}

function describeActor(actor: Actor): string {
  switch (actor.kind) {
    case "client":
      return `client ${actor.clientId}`;
    case "app":
      return `app ${actor.appId}`;
    case "policy":
      return `policy ${actor.policy}`;
    case "expiry":
    case "host":
      return actor.kind;
  }
}
