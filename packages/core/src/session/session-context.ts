// Shared by all parts of a session: its names, its state, the host's parts, and the one way to publish.
import {
  type Actor,
  type ApprovalPolicy,
  type ApprovalSubject,
  type ChatUri,
  type PermissionRule,
  type PermissionScope,
  type SessionAction,
  type SessionKey,
  type SessionState,
  type SessionUri,
  makeId,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { AgentLedger } from "../agent/agent-ledger.ts";
import type { Translated } from "../agent/session-updates.ts";
import { readRemedy } from "../agent/sign-in.ts";
import type { ApprovalPlace } from "../approval/approvals.ts";
import { Grants } from "../approval/grants.ts";
import type { PolicyDecision } from "../approval/policy.ts";
import { type UsualRun, targetOf } from "../approval/subject.ts";
import { ruleChange } from "../audit/rule-audit.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import { decideByRules, type RuledDecision } from "../policy/host-policy.ts";
import { SessionChanges } from "../changes/session-changes.ts";
import type { Editor } from "../editor/editors.ts";
import { type RuledAction, subjectOf } from "../policy/session-subject.ts";
import { followLinksNow } from "../resource/links.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { SessionChat } from "./session-chat.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionSandbox } from "./session-sandbox.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { Turn } from "./turn.ts";

/** The names of a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

/** The context of one session. */
export class SessionContext {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly entry: AgentEntry;
  readonly deps: SessionDeps;
  readonly chat: SessionChat;
  readonly held = new HeldTerminals<HostTerminal>();
  readonly sandbox: SessionSandbox;
  readonly changes: SessionChanges;
  /** Somebody uses the session. */
  readonly touch: () => void;
  /** Keeps account of its agent's run, where that may outlive this host; `AgentProcesses` sets it. */
  ledger: AgentLedger | undefined;
  /** What waits behind the turn; `SessionTurns` sets it. */
  queue: Pick<TurnQueue, "saved"> | undefined;
  /** Why the session takes nothing on any more: the host stops, or the session is closed. */
  ending: "suspended" | "closed" | undefined;
  /** Approvals that were given while no turn ran. */
  #looseGrants = new Grants();
  #turn: Turn | undefined;
  readonly #summaries: SessionSummaries;
  readonly #listeners = new Set<() => void>();
  readonly #pinnedRoots = new Map<string, string>();

  constructor(names: SessionNames, deps: SessionDeps, touch: () => void) {
    this.key = names.key;
    this.uri = names.uri;
    this.entry = names.entry;
    this.deps = deps;
    this.touch = touch;
    this.chat = new SessionChat(names.chat, deps, touch);
    this.sandbox = new SessionSandbox(this);
    this.changes = new SessionChanges(this);
    this.#summaries = new SessionSummaries(deps.hub, names.uri, names.chat);
  }

  /** The turn that began last, over or not; `SessionTurns` sets it. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  set turn(turn: Turn | undefined) {
    this.#turn = turn;
    // Approvals from before the turn are neither for it nor for the time after it.
    this.#looseGrants = new Grants();
  }

  /** The decision of the policy file's rules on an action, where the approval policy decides so. */
  decideByRules(action: RuledAction, session: PolicyDecision): RuledDecision {
    const { deps, entry, realRoots, state } = this;
    if (deps.policy === undefined) return { decision: session };
    const app = state.owner.kind === "app" ? state.owner.appId : undefined;
    return decideByRules(deps.policy, subjectOf(action, { agent: entry.id, app, roots: realRoots }), session);
  }

  /** Its agent's processes are in its sandbox, and may outlive this host. */
  get sandboxTag(): string {
    return this.uri;
  }

  /** The state of the session's channel. */
  get state(): SessionState {
    const state = this.deps.hub.state(this.uri, "session");
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** Where the agent and its commands run. */
  get cwd(): string {
    return this.state.runtimeOptions.cwd ?? "/";
  }

  /** The folders that the agent may work in: a session that was moved in mid-turn is elsewhere only from the next turn on. */
  get roots(): readonly string[] {
    return [this.state.backendCwd ?? this.cwd];
  }

  /** The roots without links, as they were before the agent could exchange them for links (N679). */
  get realRoots(): readonly string[] {
    return this.roots.map((root) => this.#pinnedRoots.get(root) ?? this.pinRoot(root));
  }

  /** Notes where a folder is, before an agent works there. */
  pinRoot(root: string): string {
    const real = followLinksNow(root);
    this.#pinnedRoots.set(root, real);
    return real;
  }

  get policy(): ApprovalPolicy | undefined {
    return this.state.runtimeOptions.approvalPolicy;
  }

  /** Whether there is any history that the agent could lose, in an earlier turn or in the current one. */
  get hasHistory(): boolean {
    const { turns, activeTurn } = this.chat.state;
    if (turns.length > 0 || activeTurn === undefined) return turns.length > 0;
    return activeTurn.openPart !== undefined || activeTurn.responseParts.length > 0;
  }

  /** Whether the agent has completed a turn; turns that have left memory count as completed. */
  get hasCompletedTurn(): boolean {
    const { turns, turnsNextCursor } = this.chat.state;
    return turnsNextCursor !== undefined || turns.some(({ end }) => end.state === "complete");
  }

  /** The running turn, or undefined when there is none to ask in. */
  get openTurn(): Turn | undefined {
    const { turn } = this;
    return turn === undefined || turn.isOver || turn.wasCancelled ? undefined : turn;
  }

  /** Whether the running turn is being cancelled: nothing is asked any more. */
  get isCancelling(): boolean {
    const { turn } = this;
    return turn !== undefined && turn.wasCancelled && !turn.isOver;
  }

  /** The approvals of a turn, or of the time between turns. */
  grantsOf(turn: Turn | undefined): Grants {
    return turn?.grants ?? this.#looseGrants;
  }

  /** The usual circumstances of the agent's commands. */
  get usualRun(): UsualRun {
    const { commandEnvironment: harmless } = this.entry;
    const { deps, sandbox, state } = this;
    const isolation = (state.isolation?.level ?? "none") === "none" ? undefined : sandbox.description;
    const editor = this.commandEditor?.name;
    return { cwd: this.roots[0] ?? "/", processPort: deps.processPort, harmless, isolation, editor };
  }

  /** Whether commands may run outside of the sandbox: where isolation is required, and in an app's session, none may. */
  get mayLeaveSandbox(): boolean {
    const { deps, state } = this;
    return state.owner.kind === "person" && deps.isolation.choices.includes("none");
  }

  /** The editor that runs the agent's commands; undefined where the host does. */
  get commandEditor(): Editor | undefined {
    return this.mayLeaveSandbox ? this.deps.editors.find(this.uri, "startCommand") : undefined;
  }

  /** Whether the agent does such a thing through the host, which can then enforce the decision. */
  runsThroughHost({ kind }: ApprovalSubject): boolean {
    return kind !== "other" && this.entry.throughHost.includes(`${kind}s`);
  }

  /** The standing permission that covers something. */
  findRule(subject: ApprovalSubject): PermissionRule | undefined {
    return this.deps.rules.find(this.state, this.roots[0] ?? "/", subject);
  }

  /** Keeps a standing permission, and gives it; undefined where nobody knows what it would allow. */
  addRule(subject: ApprovalSubject, scope: PermissionScope, by: Actor): PermissionRule | undefined {
    const { rules, audit } = this.deps;
    const rule = rules.make(subject, scope, by);
    if (rule === undefined) return undefined;
    const { owner, provider } = this.state;
    if (scope === "session") this.publish({ type: "session/permissionRuleAdded", rule });
    else rules.keep({ rule, folder: this.roots[0] ?? "/", agent: provider, owner });
    const change = { id: rule.id, subject: targetOf(rule.subject, "") };
    audit.record(ruleChange(this.key, change, by, `added for this ${scope}`));
    return rule;
  }

  /** The place of a question of a turn; of one outside of turns, the session's, with the turn that was last. */
  placeOf(turn: Turn | undefined): ApprovalPlace {
    return {
      session: this.uri,
      key: this.key,
      chat: this.chat.uri,
      turnId: (turn ?? this.turn)?.id ?? makeId("turn", "none"),
      dispatch: (translated, origin) => this.dispatch(translated, origin),
    };
  }

  now(): Date {
    return this.deps.now();
  }

  warn(message: string): void {
    this.deps.log("warn", message, { session: this.key });
  }

  redact(text: string): string {
    return this.deps.redact?.(text) ?? text;
  }

  /** Publishes an action of the chat or the session, after the text that the turn has gathered so far. */
  dispatch(translated: Translated, origin?: ActionOrigin): LogEntry | undefined {
    this.turn?.response.flush();
    return this.append(translated, origin);
  }

  /** Publishes an action at once; summaries follow, but not for every piece of text. */
  append({ to, action }: Translated, origin?: ActionOrigin): LogEntry | undefined {
    const entry =
      to === "chat" ? this.chat.write(action, origin) : this.deps.hub.dispatch(this.uri, action, origin);
    if (action.type === "chat/delta" || action.type === "chat/reasoning") this.ledger?.progressed();
    else {
      this.#summaries.update();
      this.ledger?.changed();
      for (const listener of this.#listeners) listener();
    }
    return entry;
  }

  /** Calls back after each action of the session and its chat but pieces of text, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  publish(action: SessionAction): void {
    this.dispatch({ to: "session", action });
    // An agent that could not be reached is reported with the end of its turn.
    if (action.type === "session/stale" && action.cause === "agent-exited" && action.error !== undefined) {
      this.deps.watchers.notify(this.state, { type: "session_error", error: action.error });
    }
  }

  /** Throws when the session takes nothing on any more. */
  checkOpen(): void {
    if (this.ending === "suspended") throw new HostError("HOST_STOPPING");
    if (this.ending === "closed") throw new HostError("ACP_SESSION_NOT_FOUND");
    this.checkStarted();
  }

  /** Throws when the session's agent could not be started; it stays without one (M27). */
  checkStarted(): void {
    const { lifecycle } = this.state;
    if (lifecycle.status !== "failed") return;
    const { message, ...failure } = lifecycle.error;
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      `The agent of this session did not start: ${message} Open a new session.`,
      { details: readRemedy(failure) },
    );
  }
}
