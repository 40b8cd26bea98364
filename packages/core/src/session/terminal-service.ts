// Runs commands for a session's agent: its approvals, its audit, and the claims of its terminals.
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type CommandSubject, makeId, type SessionClaim, type TurnId } from "@holdfast/ahp";
import { ConnectionError, ErrorCode, RawJson, RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import {
  AcpSession,
  type AcpTerminalOwner,
  type CreateTerminalParams,
  type HoldTerminal,
  rpcCodeOf,
  type SavedHolding,
  TerminalError,
  type WantedTerminal,
} from "@holdfast/terminal/acp-parts";
import type { AgentRequest, OfSession } from "../agent/agent-connection.ts";
import type { GrantUse } from "../approval/grants.ts";
import { describeRun, runsOutside, targetOf } from "../approval/subject.ts";
import type { AuditEntry } from "../audit/audit.ts";
import { recordCommand } from "../audit/command-audit.ts";
import { rightsEntry } from "../audit/rights-entry.ts";
import type { EditorRun } from "../editor/editor-run.ts";
import type { Editor } from "../editor/editors.ts";
import { ruledRun } from "../policy/session-subject.ts";
import { checkUnmoved, liesIn } from "../resource/files.ts";
import type { AgentSide } from "../terminal/agent-side.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { commandLineOf } from "../terminal/person-command.ts";
import { AgentTerminals } from "./agent-terminals.ts";
import type { GatedAction, ApprovalGate } from "./approval-gate.ts";
import type { SessionContext } from "./session-context.ts";

/** A command that was allowed to run in an editor. */
interface EditorStart {
  readonly wanted: WantedTerminal;
  readonly subject: CommandSubject;
  readonly claim: SessionClaim;
  readonly editor: Editor;
  /** The name of the agent's request. */
  readonly request: string;
}

/** `terminal/*` of one session. */
export class TerminalService implements AcpTerminalOwner<HostTerminal> {
  readonly #context: SessionContext;
  readonly #gate: ApprovalGate;
  readonly #agent: AgentTerminals;
  readonly #acp: AcpSession<HostTerminal>;
  /** Commands that an editor runs, by the ids of their terminals. */
  readonly #inEditor = new Map<string, EditorRun>();
  /** Ids that the agent may name and that no terminal has: an editor ran their commands when an earlier host ended. */
  readonly #lost = new Set<string>();

  constructor(context: SessionContext, gate: ApprovalGate) {
    this.#context = context;
    this.#gate = gate;
    this.#agent = new AgentTerminals(context);
    this.#acp = new AcpSession(context.held, this);
  }

  /** The agent's side of terminals that an earlier host opened for it. */
  get agentSide(): AgentSide {
    return this.#agent;
  }

  /** Continues with the terminals of an earlier host. */
  restore(holdings: readonly SavedHolding[]): void {
    const { held, deps, uri } = this.#context;
    const known = new Map(holdings.map((holding) => [holding.id, holding]));
    for (const terminal of deps.terminals.all) {
      if (terminal.agent !== this.#agent || terminal.agent.session !== uri) continue;
      // Without its agent's notes, such as after its end, a terminal runs in the background.
      held.restore(terminal, known.get(terminal.id) ?? { place: "background", holder: "background" });
      this.#agent.restore(terminal);
    }
    for (const { id, place } of holdings) {
      if (place === "live" && held.find(id) === undefined) this.#lost.add(id);
    }
  }

  /** The claim of the turn that runs, for a tool call or for the one that is likely meant. */
  claimNow(toolCallId?: string): SessionClaim {
    return this.#agent.claimNow(toolCallId);
  }

  createTerminal(params: OfSession, request: AgentRequest): Promise<object> {
    return this.#acp.create(params as CreateTerminalParams, request.signal, request.name).catch(rethrow);
  }

  output({ terminalId }: { terminalId: string }): RawJson {
    this.#checkNotLost(terminalId);
    try {
      return new RawJson(this.#acp.outputJson(terminalId));
    } catch (error) {
      return rethrow(error);
    }
  }

  async waitForExit({ terminalId }: { terminalId: string }, request: AgentRequest): Promise<object> {
    this.#checkNotLost(terminalId);
    const status = await this.#acp.waitForExit(terminalId, request.signal).catch(rethrow);
    if (this.#inEditor.get(terminalId)?.isLost === true) throw editorGone();
    return status;
  }

  async kill({ terminalId }: { terminalId: string }): Promise<object> {
    this.#checkNotLost(terminalId);
    await this.#acp.kill(terminalId).catch(rethrow);
    return {};
  }

  async release({ terminalId }: { terminalId: string }): Promise<object> {
    await this.#acp.release(terminalId);
    this.#inEditor.get(terminalId)?.forget();
    this.#inEditor.delete(terminalId);
    this.#lost.delete(terminalId);
    return {};
  }

  #checkNotLost(terminalId: string): void {
    if (this.#lost.has(terminalId)) throw editorGone();
  }

  defaultCwd(): string {
    return this.#context.roots[0] ?? "/";
  }

  async create(
    asked: WantedTerminal,
    hold: HoldTerminal<HostTerminal>,
    signal: AbortSignal | undefined,
    name: string | undefined,
  ): Promise<HostTerminal> {
    const { deps, entry: agent } = this.#context;
    const wanted = asked.kind === undefined ? { ...asked, kind: deps.commandRunOf(agent) } : asked;
    const request = { name: name ?? randomUUID(), signal: signal ?? new AbortController().signal };
    // Before anything is awaited: the turn may end meanwhile.
    const turn = this.#context.openTurn;
    await checkDirectory(wanted.cwd);
    // Nobody is asked about a command that would be refused.
    const limits = this.#orRefuse(wanted, () =>
      deps.limits.commandLimits(this.#context.state, wanted.limits),
    );
    const editor = this.#context.commandEditor;
    const subject = await describeRun(wanted, { ...this.#context.usualRun, editor: editor?.name });
    const isOutside = runsOutside(subject);
    if (isOutside) this.#orRefuse(wanted, () => this.#checkMayLeave());
    const names = environmentNames(wanted);
    const action = {
      what: "command",
      kind: "execute",
      subject,
      cwd: wanted.cwd,
      environment: names,
      isInside: liesIn(subject.cwd, this.#context.realRoots),
      ruled: {
        kind: "command",
        run: ruledRun(wanted.command, wanted.args, subject.cwd),
        env: names,
        cwd: subject.cwd,
      },
      turn,
      refusal: `Running ${targetOf(subject, "")} was not allowed`,
    } as const satisfies GatedAction;
    const start = async (grant?: GrantUse): Promise<HostTerminal> => {
      await checkUnmoved(wanted.cwd, subject.cwd);
      const claim = this.#agent.claimNow(grant?.toolCallId);
      if (editor !== undefined) {
        return this.#startInEditor({ wanted, subject, claim, editor, request: request.name }, hold);
      }
      const { sandbox: own } = this.#context;
      const sandbox = isOutside ? ({ id: undefined, level: "none" } as const) : await own.enter();
      const terminal = await hold(() =>
        deps.terminals.create(wanted, claim, this.#agent, {
          request: request.name,
          limits,
          scopes: deps.limits.scopesOf(this.#context.state),
          isolation: { ...sandbox, keepSecrets: deps.isolation.keepSecrets },
        }),
      );
      this.#agent.add(terminal, claim);
      return terminal;
    };
    const undo = async ({ id }: HostTerminal): Promise<void> => void (await this.#acp.release(id));
    const record = (entry: Omit<AuditEntry, "at">, terminal: HostTerminal): void =>
      recordCommand(deps.audit, entry, terminal, (error) =>
        this.#context.warn(`The exit of a command could not be recorded: ${String(error)}`),
      );
    return this.#gate.run(action, start, request, undo, record);
  }

  /** Only the editor that was asked about runs the command. */
  async #startInEditor(
    { wanted, subject, claim, editor, request }: EditorStart,
    hold: HoldTerminal<HostTerminal>,
  ): Promise<HostTerminal> {
    const command = forEditor(wanted, subject);
    const place = { request, editor, line: targetOf(subject, "") };
    const terminal = await hold(async () => {
      const started = await this.#context.deps.terminals
        .runInEditor(command, claim, this.#agent, place)
        .catch((error: unknown) => {
          throw error instanceof ConnectionError ? editorGone() : error;
        });
      this.#inEditor.set(started.terminal.id, started.run);
      return started.terminal;
    });
    this.#agent.add(terminal, claim);
    return terminal;
  }

  /** Records what the agent may not even ask for (A711). */
  #orRefuse<T>({ command, args, cwd }: WantedTerminal, check: () => T): T {
    try {
      return check();
    } catch (error) {
      const { deps, key, entry } = this.#context;
      deps.audit.record(
        rightsEntry({
          what: "refusal",
          subject: commandLineOf({ command, args }),
          by: `agent ${entry.id}`,
          outcome: error instanceof Error ? error.message : String(error),
          session: key,
          cwd,
          isRefused: true,
        }),
      );
      throw error;
    }
  }

  /** Nobody is asked where the answer could not be yes: the isolation is required, or an app would answer. */
  #checkMayLeave(): void {
    if (this.#context.mayLeaveSandbox) return;
    const { message } = new HostError("ISOLATION_NOT_ALLOWED");
    throw new RpcError(rpcCodeOf("denied"), message, { code: "ISOLATION_NOT_ALLOWED" });
  }

  beforeUse(terminal: HostTerminal, use: "output" | "wait" | "kill"): void {
    if (use === "kill" && this.#agent.isTaken(terminal)) throw takenOver(terminal.id);
    this.#agent.use(terminal);
  }

  /** A tool call shows these terminals. */
  toolCallShows(toolCallId: string, terminalIds: readonly string[]): void {
    const id = makeId("tool call", toolCallId);
    for (const terminalId of terminalIds) this.#agent.toolCallShows(id, terminalId);
  }

  /** Commands that a tool call leaves running are background work. */
  toolCallEnded(toolCallId: string): void {
    this.#agent.toolCallEnded(toolCallId);
  }

  /** Commands that a turn leaves running are background work. */
  turnEnded(turnId: TurnId): void {
    this.#agent.turnEnded(turnId);
  }

  /** Terminals that people have taken over continue without the session. */
  releaseTaken(): void {
    this.#agent.releaseTaken();
  }

  /** Resolves when nothing is being started any more. */
  settled(): Promise<void> {
    return this.#acp.settled();
  }
}

function rethrow(error: unknown): never {
  throw error instanceof TerminalError
    ? new RpcError(error.rpcCode, error.message, { code: error.code, field: error.field })
    : error;
}

/** The variables that a command gets besides the usual ones; absent where there are none. */
function environmentNames({ env }: WantedTerminal): readonly string[] | undefined {
  // The engine checks it, later.
  const variables: readonly unknown[] = Array.isArray(env) ? env : Object.keys(env ?? {});
  const names = variables.map((each) =>
    typeof each === "object" && each !== null && "name" in each ? String(each.name) : String(each),
  );
  return names.length === 0 ? undefined : names;
}

/** Nobody is asked about something that cannot work. */
async function checkDirectory(cwd: string): Promise<void> {
  if (!isAbsolute(cwd)) {
    throw new RpcError(ErrorCode.invalidParams, `cwd must be an absolute path, not ${JSON.stringify(cwd)}`);
  }
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new RpcError(ErrorCode.invalidParams, `There is no folder ${cwd}. Create it, or name another`);
  }
}

/** Editors differ in what they make of a line without arguments: they get the shell that the host would run. */
function forEditor(wanted: WantedTerminal, { program, args = [] }: CommandSubject): WantedTerminal {
  const isLine = wanted.args.length === 0 && args.at(-1) === wanted.command;
  return isLine && program !== undefined ? { ...wanted, command: program, args } : wanted;
}

function editorGone(): RpcError {
  const message =
    "The editor that runs this session's commands has disconnected. Whether this command still runs is unknown; a new one runs in the host.";
  return new RpcError(ErrorCode.internalError, message, { code: "editor_gone" });
}

function takenOver(terminalId: string): RpcError {
  return new RpcError(
    ErrorCode.invalidRequest,
    `A person has taken over terminal ${terminalId} and decides when it ends. Wait for its exit, or continue without it`,
  );
}
