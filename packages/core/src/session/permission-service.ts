// Answers an agent that asks permission, and asks on the host's own behalf where no permission covers what the agent does.
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalId,
  type ApprovalOption,
  type ApprovalSubject,
  type PermissionRule,
  type ToolCall,
  type ToolCallId,
  type ToolKind,
  isUnfinished,
  makeId,
} from "@holdfast/ahp";
import type { AcpPermissionOption, AcpToolCall } from "../agent/acp.ts";
import type { AgentRequest } from "../agent/agent-connection.ts";
import { idFor } from "../agent/request-name.ts";
import { readToolContent } from "../agent/tool-content.ts";
import type { ApprovalRequest, AskedApproval } from "../approval/approvals.ts";
import { HOST_OPTIONS, offerOptions } from "../approval/options.ts";
import { decideToolCall, type PolicyDecision } from "../approval/policy.ts";
import { type DescribedCall, describeCall, targetOf, type UsualRun } from "../approval/subject.ts";
import { describeActor } from "../audit/describe-actor.ts";
import { pickOption } from "../rules/approval-rules.ts";
import type { RuleName } from "@holdfast/terminal/policy";
import { describeRule, type RuledDecision } from "../policy/host-policy.ts";
import { ruledCall } from "../policy/session-subject.ts";
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
  readonly subject: ApprovalSubject;
}

/** Whether an action is allowed, and who decided. */
export interface Permission {
  readonly allowed: boolean;
  readonly by: string;
  /** The standing permission, or the rule of the policy file, that decided. */
  readonly rule?: string | undefined;
}

/** A question before it is decided. */
type Question = Omit<ApprovalRequest, "place"> & { readonly turn: Turn | undefined };

/** A decision, and the standing permission that made it. */
interface Settled {
  readonly decision: ApprovalDecision;
  readonly rule?: PermissionRule | undefined;
}

const cancelled: PermissionAnswer = { outcome: { outcome: "cancelled" } };

const auditDecisions = { approved: "allowed", denied: "denied", cancelled: "cancelled" } as const;

/** The permissions of one session. */
export class PermissionService {
  readonly #context: SessionContext;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** `session/request_permission`: decided by policy or a rule at once, else by the first client that responds. */
  async answerAgent(
    asked: AcpToolCall,
    agentOptions: readonly AcpPermissionOption[],
    request: AgentRequest,
  ): Promise<PermissionAnswer> {
    const context = this.#context;
    if (context.isCancelling) return cancelled;
    context.deps.hub.recording.require();
    const turn = context.openTurn;
    const { options, agentIdOf } = offerOptions(agentOptions);
    const select = (option: ApprovalOption | undefined): PermissionAnswer =>
      option === undefined ? cancelled : { outcome: { outcome: "selected", optionId: agentIdOf(option.id) } };
    // It may be the first report of the tool call.
    turn?.response.describe({ ...asked, status: null });
    const described = this.#describeAsked(asked, turn);
    if (described === undefined) return select(pickOption(options, "reject"));
    let subject = await describeCall(described, this.#usualRun);
    const approvalId = approvalIdOf(request);
    const findOther = (): AskedApproval | undefined =>
      context.deps.approvals.findOther(approvalId, context.chat.uri, asked.toolCallId);
    // A call has one question at a time (M15), and the decision on that may be one on this, too.
    for (let other = findOther(); other !== undefined; other = findOther()) {
      await other.decided;
      if (request.signal.aborted) return cancelled;
      subject = await describeCall(described, this.#usualRun);
    }
    // That, and following links, took a moment.
    if (turn !== undefined && turn !== context.openTurn) return cancelled;
    if (turn !== undefined && !this.#isUnfinished(asked)) return select(pickOption(options, "reject"));
    const question = {
      ...this.#question(asked, described, subject, options, turn),
      id: approvalId,
    };
    const byPolicy = decideToolCall(context.policy, described.kind);
    const ruled = context.decideByRules(ruledCall(described.kind, subject), byPolicy);
    const { decision } = await this.#settle(question, ruled, request);
    const chosen = options.find(({ id }) => id === decision.optionId);
    if (decision.outcome !== "approved") {
      if (decision.outcome === "denied") context.grantsOf(turn).deny(subject);
      return select(chosen);
    }
    context.grantsOf(turn).add(asked.toolCallId, subject);
    // The agent must go on asking: what is allowed for always, the host knows itself.
    const isHostsOwn = chosen?.kind === "allow_always" && isHeldByHost(described.kind, subject);
    return select(isHostsOwn ? (options.find(({ kind }) => kind === "allow_once") ?? chosen) : chosen);
  }

  /** Whether a question of an earlier host about this request is restored: only its decision counts (R860). */
  isRestored(request: AgentRequest): boolean {
    return this.#context.deps.approvals.isRestored(approvalIdOf(request));
  }

  /** The host's own question, for what no permission covers. */
  async askOwn(own: OwnQuestion, turn: Turn | undefined, request: AgentRequest): Promise<Permission> {
    const { kind, subject } = own;
    const target = targetOf(subject, kind);
    const toolCallId = makeId("tool call", `host-${idFor(request.name, "question")}`);
    const call = {
      toolName: kind,
      displayName: target,
      toolKind: kind,
      contributor: { kind: "host" },
    } as const;
    if (turn !== undefined) {
      const start = { type: "chat/toolCallStart", turnId: turn.id, toolCallId, ...call } as const;
      this.#context.dispatch({ to: "chat", action: start });
    }
    const question = {
      id: approvalIdOf(request),
      turn,
      toolCallId,
      action: kind,
      subject,
      target,
      source: "host",
      options: HOST_OPTIONS,
      loose: turn === undefined ? call : undefined,
    } as const;
    const { decision, rule } = await this.#settle(question, { decision: "ask" }, request);
    const by = describeActor(decision.by);
    if (decision.outcome !== "approved") return { allowed: false, by };
    if (turn !== undefined) {
      const result = { success: true } as const;
      const action = { type: "chat/toolCallComplete", turnId: turn.id, toolCallId, result } as const;
      this.#context.dispatch({ to: "chat", action });
    }
    return { allowed: true, by, rule: rule?.id };
  }

  /** Whether a call of a tool that a client lends may run, by rules, policy or a person (E821); it stays open if so. */
  async permitLent(
    { turn, toolCallId, target }: { turn: Turn; toolCallId: ToolCallId; target: string },
    request: AgentRequest,
  ): Promise<Permission> {
    const context = this.#context;
    const subject = { kind: "other" } as const;
    const question = {
      id: approvalIdOf(request),
      turn,
      toolCallId,
      action: subject.kind,
      subject,
      target: shortened(context.redact(target)),
      source: "host",
      // Nothing describes what the tool does, so nothing can be allowed for always.
      options: HOST_OPTIONS.filter(({ kind }) => kind !== "allow_always"),
      loose: undefined,
    } as const;
    const byPolicy = decideToolCall(context.policy, subject.kind);
    const ruled = context.decideByRules(ruledCall(subject.kind, subject), byPolicy);
    const { decision } = await this.#settle(question, ruled, request);
    return { allowed: decision.outcome === "approved", by: describeActor(decision.by) };
  }

  /** An editor runs only the commands that an agent runs through the host. */
  get #usualRun(): UsualRun {
    const { usualRun, entry } = this.#context;
    return entry.throughHost.includes("commands") ? usualRun : { ...usualRun, editor: undefined };
  }

  #isUnfinished({ toolCallId }: AcpToolCall): boolean {
    const call = this.#context.chat.toolCall(toolCallId);
    return call !== undefined && isUnfinished(call);
  }

  /** The call as the agent has described it so far; undefined where it cannot be asked about any more. */
  #describeAsked(asked: AcpToolCall, turn: Turn | undefined): DescribedCall | undefined {
    const call: ToolCall | undefined =
      turn === undefined ? undefined : this.#context.chat.toolCall(asked.toolCallId);
    // A call that was rejected or is done cannot be asked about again: nobody would see the question.
    if (turn !== undefined && (call === undefined || !isUnfinished(call))) return undefined;
    const noTerminals = { terminal: () => undefined };
    const content = asked.content?.map((part) => readToolContent(part, noTerminals, new Map()));
    return {
      kind: asked.kind ?? call?.toolKind,
      title: asked.title ?? call?.displayName ?? asked.toolCallId,
      locations: asked.locations?.map(({ path }) => ({ path })) ?? call?.locations ?? [],
      content: content ?? call?.content ?? [],
      rawInput: asked.rawInput ?? call?.rawInput,
    };
  }

  #question(
    asked: AcpToolCall,
    described: DescribedCall,
    subject: ApprovalSubject,
    options: readonly ApprovalOption[],
    turn: Turn | undefined,
  ): Omit<Question, "id"> {
    const { kind = "other", title } = described;
    const agent = { kind: "agent" } as const;
    return {
      turn,
      toolCallId: makeId("tool call", asked.toolCallId),
      action: kind,
      subject,
      target: targetOf(subject, title),
      source: this.#context.runsThroughHost(subject) ? "host" : "agent",
      agentTitle: agentWords(described, subject),
      options: isHeldByHost(kind, subject) ? options.map(withoutPromise) : options,
      loose:
        turn === undefined
          ? { toolName: kind, displayName: title, toolKind: kind, contributor: agent }
          : undefined,
    };
  }

  async #settle(question: Question, ruled: RuledDecision, { signal }: AgentRequest): Promise<Settled> {
    const context = this.#context;
    const { subject, options, action } = question;
    const isRestored = context.deps.approvals.isRestored(question.id);
    const made = this.#findDecision(question);
    // An earlier host has put it on record, unless it was decided in this one.
    if (made !== undefined && !isRestored) return { decision: made, rule: context.findRule(subject) };
    const { decision: policyDecision, rule: fileRule } = ruled;
    const rule = !isRestored && policyDecision === "ask" ? context.findRule(subject) : undefined;
    const decision = isRestored
      ? await this.#ask(question, signal)
      : await this.#decide(question, policyDecision, rule, signal);
    const chosen = options.find(({ id }) => id === decision.optionId);
    const isForAlways = decision.outcome === "approved" && chosen?.kind === "allow_always";
    const added =
      isForAlways && rule === undefined && isHeldByHost(action, subject)
        ? context.addRule(subject, decision.scope ?? "session", decision.by)
        : undefined;
    const decidedBy = decision.by.kind === "policy" ? fileRule : undefined;
    const standing = rule === undefined ? added && { id: added.id } : { id: rule.id, by: `rule ${rule.id}` };
    this.#record(question, decision, standing, decidedBy);
    return { decision, rule: rule ?? added };
  }

  /** By the policy or a standing permission at once, else by the first client that responds. */
  #decide(
    question: Question,
    byPolicy: PolicyDecision,
    rule: PermissionRule | undefined,
    signal: AbortSignal,
  ): ApprovalDecision | Promise<ApprovalDecision> {
    const { turn } = question;
    if (byPolicy === "allow" || rule !== undefined) {
      return this.#allow(question, rule?.by ?? this.#policyActor());
    }
    const canAsk = turn === undefined || turn.isInteractive;
    return byPolicy === "ask" && canAsk ? this.#ask(question, signal) : this.#deny(question);
  }

  /** The decision on a request that is handled again. */
  #findDecision({ turn, toolCallId, id }: Question): ApprovalDecision | undefined {
    if (turn === undefined) return undefined;
    return this.#context.chat.toolCall(toolCallId)?.decisions.find(({ approvalId }) => approvalId === id);
  }

  #record(
    { turn, subject, target }: Question,
    decision: ApprovalDecision,
    standing: { readonly id: string; readonly by?: string } | undefined,
    fileRule: RuleName | undefined,
  ): void {
    const { deps, key } = this.#context;
    const changes = subject.kind === "command" ? subject.environment.map(({ name }) => name) : [];
    const decidedBy = standing?.id ?? fileRule?.id;
    deps.audit.record({
      session: key,
      turnId: turn?.id,
      what: "approval",
      subject: target,
      ...(subject.kind === "command" && { cwd: subject.cwd }),
      by: standing?.by ?? (fileRule === undefined ? describeActor(decision.by) : describeRule(fileRule)),
      decision: decision.by.kind === "expiry" ? "expired" : auditDecisions[decision.outcome],
      outcome: decision.optionId,
      ...(changes.length > 0 && { environment: changes }),
      ...(decidedBy !== undefined && { rule: decidedBy }),
    });
  }

  async #ask({ turn, ...asking }: Question, signal: AbortSignal): Promise<ApprovalDecision> {
    const { approvals } = this.#context.deps;
    const { id, decided } = approvals.ask({ ...asking, place: this.#context.placeOf(turn) });
    // An agent may take its question back, and when it dies nobody waits for the answer.
    signal.addEventListener("abort", () => approvals.cancel(id, { kind: "host" }), { once: true });
    if (signal.aborted) approvals.cancel(id, { kind: "host" });
    return decided;
  }

  /** A policy says no: the call has the decision, and nobody sees a question that is answered already. */
  #deny({ id, turn, toolCallId, target, options, action, agentTitle }: Question): ApprovalDecision {
    const option = pickOption(options, "reject");
    const decision: ApprovalDecision = {
      approvalId: id,
      outcome: "denied",
      ...(option !== undefined && { optionId: option.id }),
      by: this.#policyActor(),
      at: this.#context.now().toISOString(),
    };
    if (turn === undefined) return decision;
    turn.denied.push({ toolCallId, title: agentTitle ?? target, target, kind: action });
    this.#ready(turn, toolCallId, target, { kind: "denied", decision });
    return decision;
  }

  /** A request that a policy or a rule allows is not even asked. */
  #allow({ turn, toolCallId, target, options }: Question, by: Actor): ApprovalDecision {
    if (turn !== undefined) this.#ready(turn, toolCallId, target, { kind: "setting" });
    const option = pickOption(options, "allow");
    const chosen =
      option === undefined
        ? { outcome: "cancelled" as const }
        : { outcome: "approved" as const, optionId: option.id };
    const at = this.#context.now().toISOString();
    return { approvalId: makeId("approval", toolCallId), by, at, ...chosen };
  }

  #ready(
    turn: Turn,
    toolCallId: ToolCallId,
    invocationMessage: string,
    confirmation:
      | { readonly kind: "setting" }
      | { readonly kind: "denied"; readonly decision: ApprovalDecision },
  ): void {
    const ready = { type: "chat/toolCallReady", turnId: turn.id, toolCallId, invocationMessage } as const;
    const startedAt = this.#context.now().toISOString();
    const action =
      confirmation.kind === "setting" ? { ...ready, confirmation, startedAt } : { ...ready, confirmation };
    this.#context.dispatch({ to: "chat", action });
  }

  #policyActor(): Actor {
    return { kind: "policy", policy: this.#context.policy ?? "none" };
  }
}

/** The same in each host that handles the request. */
function approvalIdOf({ name }: AgentRequest): ApprovalId {
  return makeId("approval", idFor(name, "approval"));
}

/** Answers for always that the host keeps itself; an agent's modes, and what nobody can describe, are the agent's. */
function isHeldByHost(kind: string | undefined, subject: ApprovalSubject): boolean {
  return kind !== "switch_mode" && (subject.kind === "command" || subject.kind === "write");
}

/** An option without the agent's name for it: the host, not the agent, allows always, and exactly this alone. */
function withoutPromise(option: ApprovalOption): ApprovalOption {
  if (option.kind !== "allow_always") return option;
  const { agentLabel: _promise, ...plain } = option;
  return plain;
}

/** A text that is cut says so, and where the rest is: its end may be what matters. */
function shortened(text: string): string {
  const moreChars = text.length - maxWordsChars;
  if (moreChars <= 0) return text;
  return `${text.slice(0, maxWordsChars)}… (${moreChars} more characters in the input of the call)`;
}

/** How much of an agent's own explanation stands beside a question that says nothing. */
const maxWordsChars = 2000;

/** The agent's title; where its question says no more, also the text that it shows with it. */
function agentWords({ title, content }: DescribedCall, subject: ApprovalSubject): string {
  const isKnown = subject.kind === "command" ? subject.line !== undefined : subject.kind !== "other";
  const text = content.find((each) => each.type === "text")?.text ?? "";
  return isKnown || text === "" ? title : `${title}\n${text.slice(0, maxWordsChars)}`;
}
