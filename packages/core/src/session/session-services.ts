// Services of a session for its agent: files, terminals, questions; each checked, permitted and on record.
import type { JsonObject, TurnId } from "@holdfast/ahp";
import type { RawJson } from "@holdfast/jsonrpc";
import type {
  AcpContent,
  AcpPermissionOption,
  AcpToolCall,
  AcpToolContent,
  AcpUpdate,
} from "../agent/acp.ts";
import type { AgentRequest, AgentServices, OfSession } from "../agent/agent-connection.ts";
import { idFor } from "../agent/request-name.ts";
import { type DisplayNews, readDisplayNews, readOutputText } from "../agent/displayed-commands.ts";
import { keepLegacyModels, translateOutsideTurn } from "../agent/session-updates.ts";
import type { ShownTerminal } from "../agent/tool-content.ts";
import { isOver } from "../agent/update-actions.ts";
import { recordCommand } from "../audit/command-audit.ts";
import type { SavedHolding } from "@holdfast/terminal/acp-parts";
import type { AgentSide } from "../terminal/agent-side.ts";
import { DisplayTerminals, type SavedDisplay, type ShownCommand } from "../terminal/display-terminals.ts";
import { ApprovalGate } from "./approval-gate.ts";
import { FileService } from "./file-service.ts";
import { type SavedLender, SessionToolLender } from "./lent-tools.ts";
import { PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";
import { TerminalService } from "./terminal-service.ts";

/** The services as the next host gets to know them. */
export interface SavedServices {
  readonly terminals: readonly SavedHolding[];
  readonly displayed: readonly SavedDisplay[];
  readonly lent?: SavedLender | undefined;
}

/** The services of one session. */
export class SessionServices implements AgentServices {
  readonly #context: SessionContext;
  readonly #permissions: PermissionService;
  readonly #files: FileService;
  readonly #terminals: TerminalService;
  /** Commands that the agent runs itself. */
  readonly displayed: DisplayTerminals;
  readonly lentTools: SessionToolLender;

  constructor(context: SessionContext) {
    this.#context = context;
    this.#permissions = new PermissionService(context);
    this.lentTools = new SessionToolLender(context, this.#permissions);
    const gate = new ApprovalGate(context, this.#permissions);
    this.#files = new FileService(context, gate);
    this.#terminals = new TerminalService(context, gate);
    this.displayed = new DisplayTerminals({
      terminals: context.deps.terminals,
      session: context.uri,
      claimNow: (toolCallId) => this.#terminals.claimNow(toolCallId),
      isHostRun: (terminalId) => context.held.display(terminalId) !== undefined,
      onShown: (shown) => this.#recordShown(shown),
      onFault: (error) => context.warn(`A terminal could not be closed: ${String(error)}`),
    });
  }

  /** The agent's side of terminals that an earlier host opened for it. */
  get agentSide(): AgentSide {
    return this.#terminals.agentSide;
  }

  saved(): SavedServices {
    const { saved: lent } = this.lentTools;
    return { terminals: this.#context.held.saved, displayed: this.displayed.saved, lent };
  }

  /** Continues with the terminals of an earlier host, which are there already; displayed ones come from the spool. */
  async restore({ terminals = [], displayed = [], lent }: Partial<SavedServices>): Promise<void> {
    if (lent !== undefined) this.lentTools.restore(lent);
    this.#terminals.restore(terminals);
    await this.displayed.restore(displayed);
  }

  /** A command that the agent runs itself is on record as its report: the host cannot know more, nor prevent it. */
  #recordShown({ title, cwd, terminal }: ShownCommand): void {
    const { deps, key: session, turn } = this.#context;
    const entry = {
      session,
      turnId: turn?.id,
      subject: title,
      cwd,
      by: "the agent",
      decision: "reported",
    } as const;
    const onFault = (error: unknown): void =>
      this.#context.warn(`A command that the agent reported could not be recorded: ${String(error)}`);
    try {
      recordCommand(deps.audit, entry, terminal, onFault);
    } catch (error) {
      onFault(error);
    }
  }

  /** A terminal that the agent created or shows; undefined for an id that nobody knows. */
  findTerminal(terminalId: string): ShownTerminal | undefined {
    return this.#context.held.display(terminalId) ?? this.displayed.find(terminalId);
  }

  /** Updates outside a turn are kept too. What is shown comes first, so that a tool call finds the terminal it names. */
  update(received: AcpUpdate): void {
    // Also an update that only adds to a displayed command counts.
    this.#context.ledger?.changed();
    const { news, rest } = readDisplayNews(received);
    this.#display(received, news);
    if (rest === undefined) this.#context.turn?.response.noteHeard();
    else this.#apply(rest);
    const { toolCallId, status } = received;
    if (typeof toolCallId !== "string") return;
    if (!isOver({ status })) return this.#terminals.toolCallShows(toolCallId, shownTerminals(received));
    this.displayed.toolCallEnded(toolCallId);
    this.#terminals.toolCallEnded(toolCallId);
  }

  /** The exits come last, so that they follow all output. */
  #display({ toolCallId, title, rawOutput, status }: AcpUpdate, news: readonly DisplayNews[]): void {
    for (const piece of news) if (piece.kind !== "exited") this.displayed.take(piece);
    if (typeof toolCallId === "string") {
      if (typeof title === "string") this.displayed.retitle(toolCallId, title);
      const text = isOver({ status }) ? readOutputText(rawOutput) : undefined;
      if (text !== undefined) this.displayed.fill(toolCallId, text);
    }
    for (const piece of news) if (piece.kind === "exited") this.displayed.take(piece);
  }

  #apply(received: AcpUpdate): void {
    const { turn, state } = this.#context;
    const update = keepLegacyModels(received, state.configOptions);
    if (turn !== undefined) turn.response.update(update);
    else for (const translated of translateOutsideTurn(update)) this.#context.dispatch(translated);
  }

  updateText(update: AcpUpdate, text: string): void {
    if (this.#context.turn?.response.updateText(update, text) === true) return;
    this.update({ ...update, content: { ...(update.content as AcpContent), text } });
  }

  joinsText(update: AcpUpdate): boolean {
    return this.#context.turn?.response.continues(update) ?? false;
  }

  async requestPermission(
    params: { toolCall: AcpToolCall; options: readonly AcpPermissionOption[] },
    request: AgentRequest,
  ): Promise<object> {
    const { toolCall, options } = params;
    // A call that is first reported by a question may show a terminal already.
    const { news } = readDisplayNews({ ...toolCall, sessionUpdate: "tool_call_update" });
    for (const piece of news) this.displayed.take(piece);
    return this.#permissions.answerAgent(toolCall, options, request);
  }

  readFile(
    params: { path: string; line?: number | null; limit?: number | null },
    request: AgentRequest,
  ): Promise<object> {
    return this.#files.read(params, request);
  }

  writeFile(params: { path: string; content: string }, request: AgentRequest): Promise<object> {
    return this.#files.write(params, request);
  }

  createTerminal(params: OfSession, request: AgentRequest): Promise<object> {
    return this.#terminals.createTerminal(params, request);
  }

  terminalOutput(params: { terminalId: string }): RawJson {
    return this.#terminals.output(params);
  }

  waitForTerminalExit(params: { terminalId: string }, request: AgentRequest): Promise<object> {
    return this.#terminals.waitForExit(params, request);
  }

  killTerminal(params: { terminalId: string }): Promise<object> {
    return this.#terminals.kill(params);
  }

  releaseTerminal(params: { terminalId: string }): Promise<object> {
    return this.#terminals.release(params);
  }

  async elicit(params: Readonly<Record<string, unknown>>, request: AgentRequest): Promise<object> {
    const context = this.#context;
    const turn = context.openTurn;
    if (turn === undefined) return { action: "cancel" };
    // A client that waits for the whole response cannot be asked.
    if (!turn.isInteractive) return { action: "decline" };
    const { message, mode, requestedSchema, url, toolCallId } = params as {
      message?: string;
      mode?: string;
      requestedSchema?: JsonObject | null;
      url?: string | null;
      toolCallId?: string | null;
    };
    const form = {
      message: message ?? "",
      mode: mode === "url" ? "url" : "form",
      requestedSchema: requestedSchema ?? undefined,
      url: url ?? undefined,
      toolCallId: toolCallId ?? undefined,
    } as const;
    const { inputs } = context.deps;
    const id = idFor(request.name, "form");
    const completed = inputs.ask(context.placeOf(turn), form, id);
    // An agent may take its form back, and when it dies nobody waits for the response.
    const takeBack = (): void => void inputs.complete(id, { action: "cancel" }, { kind: "host" });
    request.signal.addEventListener("abort", takeBack, { once: true });
    if (request.signal.aborted) takeBack();
    return completed;
  }

  warn(message: string): void {
    this.#context.warn(message);
  }

  /** Commands that a turn leaves running are background work; those that the agent ran itself are over. */
  turnEnded(turnId: TurnId): void {
    this.#terminals.turnEnded(turnId);
    this.displayed.turnEnded();
  }

  /** Terminals that people have taken over continue without the session. */
  releaseTaken(): void {
    this.#terminals.releaseTaken();
  }

  /** Resolves when nothing is being started for the agent any more. */
  settled(): Promise<void> {
    return this.#terminals.settled();
  }
}

/** The terminals that a tool call's content names. */
function shownTerminals({ content }: AcpUpdate): readonly string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly AcpToolContent[]).flatMap(({ type, terminalId }) =>
    type === "terminal" && typeof terminalId === "string" ? [terminalId] : [],
  );
}
