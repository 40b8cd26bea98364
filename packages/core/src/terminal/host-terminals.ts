// All terminals of the host: starts them for agents, editors and people, and ends them.
import { randomUUID } from "node:crypto";
import { type SessionClaim, type SessionUri, type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { WantedTerminal } from "@holdfast/terminal/acp-parts";
import type { ProcessPort } from "@holdfast/terminal/port";
import { textLimitBytes, clampSize } from "@holdfast/terminal/terminal";
import { idFor } from "../agent/request-name.ts";
import type { Hub } from "../channel/hub.ts";
import { EditorRun } from "../editor/editor-run.ts";
import { describeEditor, type Editor, listVariables } from "../editor/editors.ts";
import type { RunScope } from "../limit/host-limits.ts";
import type { TerminalSpool } from "../ports.ts";
import { commandLineOf } from "./person-command.ts";
import type { AgentSide } from "./agent-side.ts";
import { DisplayRun } from "./display-run.ts";
import { EarlierTerminals } from "./earlier-terminals.ts";
import type { HostTerminal } from "./host-terminal.ts";
import { LeftProcesses } from "./left-processes.ts";
import { OpenTerminals } from "./open-terminals.ts";
import type { ProcessOwners } from "./process-owners.ts";
import { TerminalChannels } from "./terminal-channels.ts";
import { rivalUriOf, terminalIdOf } from "./terminal-id.ts";
import type { CommandBounds, DisplayPlan, ShownPlan, TerminalPlan } from "./terminal-plan.ts";
import { SESSION_SIZE, TerminalFactory } from "./terminal-factory.ts";
import { tagOf } from "./terminal-tag.ts";

/** How much of an editor's command its title has. */
const maxLineLength = 300;

/** Dependencies and settings of the terminals of a host. */
export interface HostTerminalsParts {
  readonly processPort: ProcessPort;
  readonly hub: Hub;
  /** Keeps what they write; without it, that goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly now: () => Date;
  /** Learns whom processes are started for. */
  readonly owners?: ProcessOwners | undefined;
  /** Called when a program's query could not be answered; the program continues without. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** The limits that all commands share. */
  readonly scopes?: readonly RunScope[] | undefined;
  /** Whether runs may outlive this host, so that the next one shows them. */
  readonly keepsRuns?: boolean | undefined;
  /** For how long output is still published when the last reader of a terminal has left. Default 15 s. */
  readonly lingerMs?: number | undefined;
}

/** The terminals of one host. `close` ends them all. */
export class HostTerminals {
  readonly #parts: HostTerminalsParts;
  readonly #terminals = new Map<string, HostTerminal>();
  /** URIs of terminals that are being started. */
  readonly #starting = new Map<string, Promise<HostTerminal>>();
  #isClosing = false;
  readonly #left: LeftProcesses;
  readonly #open = new OpenTerminals();
  readonly #factory: TerminalFactory;
  readonly channels: TerminalChannels;
  /** Brings the terminals of an earlier host back. */
  readonly earlier: EarlierTerminals;
  #writtenBytes = 0;
  #survivorsEnded = 0;

  constructor(parts: HostTerminalsParts) {
    this.#parts = parts;
    this.channels = new TerminalChannels(parts.hub, parts.now, this.#terminals);
    this.#left = new LeftProcesses({
      publish: (terminal, leftovers) => this.channels.publishLeftovers(terminal, leftovers),
      onFault: parts.onFault ?? (() => {}),
    });
    this.#factory = new TerminalFactory(parts, {
      onWritten: (sizeBytes) => {
        this.#writtenBytes += sizeBytes;
      },
      onTitle: () => this.channels.listChanged(),
      onEnded: (terminal) => this.#left.outputEnded(terminal),
      onLeft: (terminal, survivors) => this.#left.found(terminal, survivors),
      onClosed: (terminal) => this.#forget(terminal),
    });
    this.earlier = new EarlierTerminals(parts, this.#factory, this.#open, (terminal) =>
      this.#admit(terminal),
    );
  }

  /** How many run now, and what there was since the start. */
  get stats(): { running: number; writtenBytes: number; survivorsEnded: number } {
    const running = this.all.filter(({ state }) => state.name === "running").length;
    return { running, writtenBytes: this.#writtenBytes, survivorsEnded: this.#survivorsEnded };
  }

  /** Somebody lists them: looks again for processes that were left. */
  listed(): void {
    this.#left.listed();
  }

  /** The terminals in memory, oldest first. */
  get all(): readonly HostTerminal[] {
    return [...this.#terminals.values()];
  }

  get(id: string): HostTerminal | undefined {
    return this.#terminals.get(id);
  }

  find(uri: string): HostTerminal | undefined {
    const terminal = this.#terminals.get(terminalIdOf(uri));
    // Two spellings of a URI may have the same id.
    return terminal?.uri === uri ? terminal : undefined;
  }

  /** Runs a command for an agent, held by its session. */
  async create(
    wanted: WantedTerminal,
    claim: SessionClaim,
    agent?: AgentSide,
    { limits, scopes, isolation, request }: CommandBounds = {},
  ): Promise<HostTerminal> {
    const { command, args, cwd, kind = "text", outputByteLimit } = wanted;
    const env = await this.#parts.processPort.buildEnvironment({
      audience: "agent-command",
      hasScreen: kind === "tty",
      variables: wanted.env,
      ...(isolation?.level === "workspace" && { withoutSecrets: true, keepSecrets: isolation.keepSecrets }),
    });
    return this.open({
      ...(request !== undefined && {
        uri: terminalUri(makeId("terminal", idFor(request, "terminal"))),
        startKey: `${request} terminal`,
      }),
      title: commandLineOf({ command, args }),
      // What was approved: its output must not say that it was something else.
      titleSource: "agent",
      commandLine: commandLineOf({ command, args }),
      claim,
      kind,
      command,
      args,
      cwd,
      env,
      size: { ...SESSION_SIZE, ...wanted.size },
      textLimitBytes: textLimitBytes(outputByteLimit),
      agent,
      limits,
      scopes,
      sandbox: isolation?.id,
    });
  }

  /** Starts a terminal; one that cannot start leaves nothing. */
  async open(wanted: TerminalPlan): Promise<HostTerminal> {
    // Here and nowhere else, so that the state, the text and the PTY have the same size (U201).
    const plan = { ...wanted, size: clampSize(wanted.size) };
    const uri = plan.uri ?? terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    const rival = rivalUriOf(uri);
    const rivalId = rival === undefined ? undefined : terminalIdOf(rival);
    const isTaken = [id, rivalId].some(
      (each) => each !== undefined && (this.#terminals.has(each) || this.#starting.has(each)),
    );
    if (isTaken || this.#parts.hub.has(uri)) throw new HostError("TERMINAL_EXISTS");
    if (this.#isClosing) throw new HostError("HOST_STOPPING");
    const starting = this.#startAndOpen(id, uri, plan).finally(() => this.#starting.delete(id));
    this.#starting.set(id, starting);
    return starting;
  }

  async #startAndOpen(id: string, uri: TerminalUri, plan: TerminalPlan): Promise<HostTerminal> {
    const startedAt = this.#parts.now().toISOString();
    const terminal = await this.#start(id, uri, plan, startedAt);
    this.#openChannel(terminal, plan, startedAt);
    return terminal;
  }

  /** Runs a command for an agent in the terminal of an editor, outside of the host's limits and sandboxes. */
  async runInEditor(
    { command, args, cwd, env, outputByteLimit }: WantedTerminal,
    claim: SessionClaim,
    agent: AgentSide,
    { request, editor, line }: { readonly request: string; readonly editor: Editor; readonly line: string },
  ): Promise<{ readonly terminal: HostTerminal; readonly run: EditorRun }> {
    const uri = terminalUri(makeId("terminal", idFor(request, "terminal")));
    const id = terminalIdOf(uri);
    const plan = {
      // Not cut off with a long line.
      title: `${line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line} (${describeEditor(editor.name)})`,
      titleSource: "agent",
      commandLine: line,
      claim,
      cwd,
      kind: "text",
      size: SESSION_SIZE,
      textLimitBytes: textLimitBytes(outputByteLimit),
      agent,
      editor: editor.name,
    } as const;
    const terminal = this.#factory.make(id, uri, plan);
    const asked = { terminalId: id, command, args, cwd, env: listVariables(env) };
    const limited = { ...asked, outputByteLimit: plan.textLimitBytes };
    let started: EditorRun | undefined;
    await terminal.start(async (sink) => (started = await EditorRun.start(editor, limited, sink)));
    if (started === undefined) throw new Error("The editor's run was not kept");
    this.#openChannel(terminal, plan, this.#parts.now().toISOString());
    return { terminal, run: started };
  }

  /** Shows a command that an agent runs itself; the agent's reports go to the run that it gives back. */
  show(wanted: DisplayPlan): { readonly terminal: HostTerminal; readonly run: DisplayRun } {
    const uri = terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    const plan = {
      ...wanted,
      kind: "display",
      size: SESSION_SIZE,
      textLimitBytes: textLimitBytes(undefined),
    } as const;
    const terminal = this.#factory.make(id, uri, plan);
    const run = terminal.attach((sink) => new DisplayRun(sink));
    this.#openChannel(terminal, plan, this.#parts.now().toISOString());
    return { terminal, run };
  }

  /** Ends what a session still holds. */
  async endClaimedBy(session: SessionUri): Promise<void> {
    const held = this.all.filter(({ uri }) => {
      const claim = this.#parts.hub.state(uri, "terminal")?.claim;
      return claim?.kind === "session" && claim.session === session;
    });
    await Promise.all(held.map((terminal) => terminal.close()));
  }

  /** Ends all terminals, also those that are being started: nothing is published afterwards. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#left.close();
    await Promise.allSettled(this.#starting.values());
    await Promise.all(this.all.map((terminal) => terminal.close()));
    this.channels.close();
  }

  async #start(id: string, uri: TerminalUri, plan: TerminalPlan, startedAt: string): Promise<HostTerminal> {
    const { kind, command, args, cwd, env, size, limits, hasInput = false, separateError } = plan;
    const scopes = plan.scopes ?? this.#parts.scopes ?? [];
    const files = { hasInput, separateError, ...(kind === "tty" && { size }) };
    const { agent, sandbox } = plan;
    const marker = this.#parts.owners?.issue(
      agent === undefined ? { kind: "terminal", uri } : { kind: "session", uri: agent.session },
    );
    const tag = JSON.stringify(tagOf(uri, plan, startedAt, marker));
    const away = { key: plan.startKey, tag, whileAway: plan.isPaced === true ? "keep" : "tail" } as const;
    const request = { kind, command, args, cwd, env, limits, scopes, marker, sandbox, ...files, ...away };
    const leave = this.#open.enter(scopes);
    try {
      const terminal = this.#factory.make(id, uri, plan);
      await terminal.start((sink) => this.#parts.processPort.start(request, sink));
      void terminal.exited.then(leave);
      return terminal;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #openChannel(terminal: HostTerminal, plan: ShownPlan, startedAt: string): void {
    plan.agent?.opening?.();
    this.#terminals.set(terminal.id, terminal);
    this.channels.open(terminal, plan, startedAt);
    // Only now: a quick command may have exited before there was a channel to say so in.
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  /** Takes a terminal whose channel is open already. */
  #admit(terminal: HostTerminal): void {
    this.#terminals.set(terminal.id, terminal);
    this.channels.resume(terminal);
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  #noteExit(terminal: HostTerminal): void {
    if (terminal.exit === undefined) return;
    this.channels.publishExit(terminal, terminal.exit);
    this.#left.commandExited(terminal);
  }

  #forget(terminal: HostTerminal): void {
    this.#left.forget(terminal);
    this.#terminals.delete(terminal.id);
    this.#survivorsEnded += terminal.survivorCount;
    void this.#parts.spool?.end(terminal.uri);
    this.channels.remove(terminal);
  }
}
