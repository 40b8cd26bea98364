// The terminals of one session's agent: the turn that uses each, those that a person holds, and background work.
import {
  type BackgroundWorkId,
  type SessionClaim,
  type SessionUri,
  type TerminalClaim,
  type ToolCallId,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import type { Holder } from "@holdfast/terminal/acp-parts";
import { boundTitle } from "../channel/title.ts";
import type { AgentSide } from "../terminal/agent-side.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import type { SessionContext } from "./session-context.ts";

/** The record of a terminal that the agent may name, or could once. */
interface Known {
  readonly startedAt: string;
  /** The turn that used it last, and its tool call. */
  use?: { readonly turnId: TurnId; readonly toolCallId?: ToolCallId } | undefined;
  /** The turn from which somebody detached it. */
  detachedFrom?: TurnId | undefined;
  isListed: boolean;
}

/** Keeps claims, the agent's handles and the list of background work in step. */
export class AgentTerminals implements AgentSide {
  readonly #context: SessionContext;
  readonly #known = new Map<string, Known>();

  constructor(context: SessionContext) {
    this.#context = context;
  }

  get session(): SessionUri {
    return this.#context.uri;
  }

  opening(): void {
    this.#context.ledger?.changed();
  }

  /** The claim of the turn that runs, for a tool call or for the one that is likely meant. */
  claimNow(coveringId?: string): SessionClaim {
    const toolCallId = coveringId ?? this.#context.chat.soleCommandCall?.toolCallId;
    const turnId = this.#runningTurnId;
    return {
      ...this.#plainClaim,
      ...(turnId !== undefined && { turnId }),
      ...(toolCallId !== undefined && { toolCallId: makeId("tool call", toolCallId) }),
    };
  }

  /** The agent has made a terminal. */
  add(terminal: HostTerminal, claim: SessionClaim): void {
    this.#known.set(terminal.id, { startedAt: this.#context.now().toISOString(), isListed: false });
    this.#noteUse(terminal, claim);
    // The turn may have ended while it was being started.
    if (claim.turnId !== undefined && claim.turnId !== this.#runningTurnId) this.turnEnded(claim.turnId);
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  /** A terminal of an earlier host, as its state and its chat describe it. */
  restore(terminal: HostTerminal): void {
    const { deps, chat } = this.#context;
    const state = deps.hub.state(terminal.uri, "terminal");
    if (state === undefined || terminal.hasExited) return;
    const isListed = chat.state.backgroundWork.some(({ id }) => id === workId(terminal));
    const { startedAt = this.#context.now().toISOString(), claim } = state;
    this.#known.set(terminal.id, { startedAt, isListed });
    if (claim.kind === "session") this.#noteUse(terminal, claim);
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  /** The agent reads, awaits or ends a terminal: what ran in the background is in use again, by this turn. */
  use(terminal: HostTerminal): void {
    const turnId = this.#runningTurnId;
    const claim = this.#claimOn(terminal);
    if (turnId === undefined || terminal.state.name === "exited") return;
    if (claim?.kind !== "session" || claim.session !== this.session || claim.turnId !== undefined) return;
    if (this.#known.get(terminal.id)?.detachedFrom === turnId) return;
    const reclaimed = this.claimNow();
    this.#context.deps.terminals.channels.claim(terminal, reclaimed);
    this.#noteUse(terminal, reclaimed);
    this.#context.held.hold(terminal.id, "agent");
    this.#list(terminal);
  }

  /** Whether a person has it in hand, so that the agent must not end it. */
  isTaken(terminal: HostTerminal): boolean {
    return terminal.state.name === "running" && this.#claimOn(terminal)?.kind === "client";
  }

  /** A turn has ended: what it leaves running is background work. */
  turnEnded(turnId: TurnId): void {
    for (const terminal of this.#context.held.live) {
      const claim = this.#claimOn(terminal);
      if (claim?.kind !== "session" || claim.turnId !== turnId) continue;
      if (terminal.state.name === "running") this.#narrow(terminal);
    }
  }

  /** A tool call shows a terminal: it is the call that uses it, whatever was guessed when it was started (U321). */
  toolCallShows(toolCallId: ToolCallId, terminalId: string): void {
    const terminal = this.#context.held.find(terminalId);
    const claim = terminal && this.#claimOn(terminal);
    if (terminal === undefined || !this.#known.has(terminalId)) return;
    if (claim?.kind !== "session" || claim.session !== this.session) return;
    if (claim.turnId === undefined || claim.toolCallId === toolCallId) return;
    const claimed = { ...claim, toolCallId };
    this.#context.deps.terminals.channels.claim(terminal, claimed);
    this.#noteUse(terminal, claimed);
  }

  /** A tool call is over: what it leaves running is background work (U320). */
  toolCallEnded(toolCallId: string): void {
    // Only terminals that run are known, so the cost does not grow with the turn.
    for (const [id, known] of this.#known) {
      if (known.use?.toolCallId !== toolCallId) continue;
      known.use = undefined;
      const terminal = this.#context.deps.terminals.get(id);
      const claim = terminal && this.#claimOn(terminal);
      if (terminal === undefined || claim?.kind !== "session" || claim.session !== this.session) continue;
      this.#narrow(terminal);
    }
  }

  /** The session closes: terminals that people have taken over continue without it. */
  releaseTaken(): void {
    const { deps, held } = this.#context;
    for (const terminal of deps.terminals.all) {
      if (terminal.agent !== this || !this.isTaken(terminal)) continue;
      held.letGo(terminal.id);
      terminal.leaveSession();
    }
  }

  claimOf(terminal: HostTerminal): SessionClaim {
    const use = this.#known.get(terminal.id)?.use;
    const isUsed =
      use !== undefined &&
      use.turnId === this.#runningTurnId &&
      this.#context.held.find(terminal.id) !== undefined;
    return isUsed ? { ...this.#plainClaim, ...use } : this.#plainClaim;
  }

  moved(terminal: HostTerminal, to: Holder): void {
    this.#context.ledger?.changed();
    this.#context.held.hold(terminal.id, to);
    const known = this.#known.get(terminal.id);
    if (known !== undefined && to === "background") {
      known.use = undefined;
      known.detachedFrom = this.#runningTurnId;
    }
    this.#list(terminal);
  }

  forget(terminal: HostTerminal): void {
    this.#context.held.letGo(terminal.id);
    this.#unlist(terminal);
    this.#known.delete(terminal.id);
  }

  #narrow(terminal: HostTerminal): void {
    this.#context.deps.terminals.channels.claim(terminal, this.#plainClaim);
    this.#list(terminal);
  }

  /** Updates the list of background work: terminals that the session holds and no turn uses, while they run. */
  #list(terminal: HostTerminal): void {
    const known = this.#known.get(terminal.id);
    const claim = this.#claimOn(terminal);
    const isBackground =
      terminal.state.name === "running" &&
      claim?.kind === "session" &&
      claim.session === this.session &&
      claim.turnId === undefined;
    if (known === undefined || !isBackground) return this.#unlist(terminal);
    if (known.isListed) return;
    known.isListed = true;
    const { title, uri } = terminal;
    this.#context.dispatch({
      to: "chat",
      action: {
        type: "chat/backgroundWorkSet",
        work: {
          kind: "shell",
          id: workId(terminal),
          label: boundTitle(title),
          startedAt: known.startedAt,
          command: title,
          terminal: uri,
        },
      },
    });
  }

  #unlist(terminal: HostTerminal): void {
    const known = this.#known.get(terminal.id);
    if (known?.isListed !== true) return;
    known.isListed = false;
    // The list goes with its session.
    if (!this.#context.deps.hub.has(this.session)) return;
    this.#context.dispatch({
      to: "chat",
      action: { type: "chat/backgroundWorkRemoved", id: workId(terminal) },
    });
  }

  #noteUse({ id }: HostTerminal, { turnId, toolCallId }: SessionClaim): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.use =
      turnId === undefined ? undefined : { turnId, ...(toolCallId !== undefined && { toolCallId }) };
    known.detachedFrom = undefined;
  }

  #noteExit(terminal: HostTerminal): void {
    this.#unlist(terminal);
    this.#known.delete(terminal.id);
  }

  #claimOn({ uri }: HostTerminal): TerminalClaim | undefined {
    return this.#context.deps.hub.state(uri, "terminal")?.claim;
  }

  get #plainClaim(): SessionClaim {
    const { uri: session, chat } = this.#context;
    return { kind: "session", session, chat: chat.uri };
  }

  get #runningTurnId(): TurnId | undefined {
    const { turn } = this.#context;
    return turn === undefined || turn.isOver ? undefined : turn.id;
  }
}

/** Background work in a terminal is known by the terminal. */
function workId({ id }: HostTerminal): BackgroundWorkId {
  return makeId("background work", id);
}
