// Serves what people ask of terminals: watching, opening, typing, claiming, ending.
import {
  type Action,
  type ClientId,
  type TerminalAction,
  type TerminalClaim,
  type TerminalState,
  type TerminalUri,
  defaultChatUri,
} from "@holdfast/ahp";
import { type Keeper, KeeperError } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import { removeShellFolder } from "@holdfast/terminal/shell-integration";
import type { EntryFeed } from "../channel/entry-feed.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { type TerminalUse, refuseUse } from "./claim-rules.ts";
import { ONLY_SHOWN } from "./display-run.ts";
import { FinishedTerminals } from "./finished-terminals.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";
import { planCommand, startFailure } from "./person-command.ts";
import { type PersonShell, preparePersonShell } from "./person-shell.ts";
import { TerminalClaims, ownerClaim } from "./terminal-claims.ts";
import type {
  NewCommand,
  NewPersonTerminal,
  Submission,
  TerminalDesk,
  TerminalSubscription,
  TerminalViewer,
} from "./terminal-desk.ts";
import { ViewerCursor } from "./viewer-cursor.ts";

/** What a desk is made from. */
export interface HostTerminalDeskParts {
  readonly hub: Hub;
  readonly keeper: Keeper;
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  readonly terminals: HostTerminals;
  readonly now: () => Date;
  /** How long what a vanished client holds is kept. */
  readonly goneClientMs: number;
  readonly onFault: (error: unknown) => void;
}

/** The most that is kept as text of a person's terminal for whoever asks for it. */
const answerLimitBytes = 1024 * 1024;
/** How many of people's terminals that have ended stay on the list. */
const maxEnded = 64;

/** The desk of a host. `close` ends nothing: that is the terminals' own. */
export class HostTerminalDesk implements TerminalDesk {
  readonly #parts: HostTerminalDeskParts;
  readonly #finished: FinishedTerminals;
  readonly #claims: TerminalClaims;

  constructor(parts: HostTerminalDeskParts) {
    const { hub, terminals, now, goneClientMs, onFault } = parts;
    this.#parts = parts;
    this.#finished = new FinishedTerminals(parts);
    this.#claims = new TerminalClaims({
      hub,
      terminals,
      now,
      goneClientMs,
      onFault,
      dispose: (terminal) => disposeOf(terminal),
    });
  }

  /** Claims, for other transports. */
  get claims(): TerminalClaims {
    return this.#claims;
  }

  async load(uri: string): Promise<boolean> {
    const terminal = this.#parts.terminals.find(uri);
    if (terminal === undefined) return this.#finished.load(uri);
    await terminal.loadScreen();
    return true;
  }

  subscribe(uri: string, viewer: TerminalViewer = {}): TerminalSubscription | undefined {
    const terminal = this.#parts.terminals.find(uri);
    if (terminal === undefined) return this.#finished.subscribe(uri, viewer);
    const { hub } = this.#parts;
    const reader = { ...viewer };
    // First, so that all output up to the content's end is told and all after it will be.
    terminal.teller.addReader(reader);
    const { parts: content, endOffset } = terminal.content;
    const { snapshot, cursor } = hub.subscribe(uri, viewer.onReadable);
    if (snapshot.kind !== "terminal") return undefined;
    const { state, seq } = snapshot;
    const output = { ...state.output, endOffset, skippedBytes: terminal.output.startOffset };
    return {
      snapshot: { uri: terminal.uri, state: { ...state, output }, content, seq },
      cursor: new ViewerCursor(cursor, () => terminal.teller.removeReader(reader)),
    };
  }

  resume(uri: string, afterSeq: number, viewer: TerminalViewer = {}): EntryFeed | undefined {
    const terminal = this.#parts.terminals.find(uri);
    if (terminal === undefined) return this.#finished.resume(uri, afterSeq, viewer);
    const reader = { ...viewer };
    terminal.teller.addReader(reader);
    const isComplete = afterSeq >= terminal.teller.completeSince;
    const cursor = isComplete ? this.#parts.hub.resume(uri, afterSeq, viewer.onReadable) : undefined;
    if (cursor !== undefined) return new ViewerCursor(cursor, () => terminal.teller.removeReader(reader));
    terminal.teller.removeReader(reader);
    return undefined;
  }

  async create(request: NewPersonTerminal): Promise<TerminalUri> {
    const { uri } = request;
    const claim = this.#initialClaim(request);
    if (uri !== undefined && this.#parts.storage.loadChannel(uri) !== undefined) {
      throw new HostError("TERMINAL_EXISTS");
    }
    const shell = await preparePersonShell(this.#parts.keeper, request);
    const terminal = await this.#openShell(request, shell, claim);
    if (claim.kind === "client") this.#claims.noteHolder(terminal, claim.clientId);
    else if (!this.#parts.hub.has(claim.session)) {
      // It closed meanwhile, and nothing would end what it holds.
      await disposeOf(terminal);
      throw new HostError("ACP_SESSION_NOT_FOUND");
    }
    this.#dropOldestAfter(terminal);
    return terminal.uri;
  }

  /** Runs a command of the owner's; it stays when nobody follows it, and any client may claim it. */
  async run(request: NewCommand): Promise<HostTerminal> {
    const { keeper, terminals, now } = this.#parts;
    try {
      const plan = await planCommand(keeper, request);
      const terminal = await terminals.open({
        ...plan,
        claim: ownerClaim(now()),
        answerLimitBytes,
        isKept: true,
      });
      this.#dropOldestAfter(terminal);
      return terminal;
    } catch (error) {
      throw startFailure(error);
    }
  }

  async dispose(uri: string): Promise<void> {
    const { terminals, hub } = this.#parts;
    const terminal = terminals.find(uri);
    const isRunning = terminal?.state.name === "running";
    if (isRunning && hub.state(uri, "terminal")?.run === "display") {
      throw new HostError("TERMINAL_NOT_INTERACTIVE", ONLY_SHOWN);
    }
    if (terminal !== undefined) return disposeOf(terminal);
    // One that has ended is off the list already.
    if (!(await this.load(uri))) throw new HostError("TERMINAL_NOT_FOUND");
  }

  submit(uri: string, action: Action, origin: ActionOrigin): Submission {
    const terminal = this.#parts.terminals.find(uri);
    const state = this.#parts.hub.state(uri, "terminal");
    if (state === undefined) return { outcome: "unknown-channel" };
    if (terminal === undefined) return rejected("This terminal is over: it can only be looked at.");
    const { clientId } = origin;
    switch (action.type) {
      case "terminal/input":
        return this.#use(state, clientId, "input", () => this.#type(terminal, action.data));
      case "terminal/resized":
        return this.#use(state, clientId, "resize", () => this.resize(terminal, action, origin));
      case "terminal/titleChanged":
        return this.#use(state, clientId, "rename", () => this.#rename(terminal, action.title, origin));
      case "terminal/cleared":
        return this.#use(state, clientId, "clear", () => this.#parts.terminals.clear(terminal, origin));
      case "terminal/claimed":
        return this.#claims.claim(terminal, action.claim, clientId, origin);
      default:
        return rejected("Clients cannot dispatch this action on a terminal.");
    }
  }

  clientGone(clientId: ClientId): void {
    this.#claims.gone(clientId);
  }

  clientBack(clientId: ClientId): void {
    this.#claims.back(clientId);
  }

  /** Sets the size of a terminal's screen and tells it. */
  resize(
    terminal: HostTerminal,
    size: { readonly cols: number; readonly rows: number },
    origin?: ActionOrigin,
  ): LogEntry | undefined | Refused {
    const { cols, rows } = size;
    if (!Number.isSafeInteger(cols) || !Number.isSafeInteger(rows) || cols < 1 || rows < 1) {
      return { refused: "A terminal has at least one whole column and row." };
    }
    return this.#tell(terminal, { type: "terminal/resized", ...terminal.resize({ cols, rows }) }, origin);
  }

  close(): void {
    this.#claims.close();
    this.#finished.close();
  }

  #use(
    state: TerminalState,
    by: ClientId,
    use: TerminalUse,
    act: () => LogEntry | undefined | Refused,
  ): Submission {
    const refusal = refuseUse(state, by, use);
    if (refusal !== undefined) return rejected(refusal.reason);
    const done = act();
    if (done === undefined) return { outcome: "accepted" };
    return "refused" in done ? rejected(done.refused) : { outcome: "accepted", entry: done };
  }

  /** What is typed goes to the program alone: it may be a password. */
  #type(terminal: HostTerminal, data: string): Refused | undefined {
    try {
      terminal.write(Buffer.from(data));
      return undefined;
    } catch (error) {
      if (error instanceof KeeperError) return { refused: `${error.message}.` };
      throw error;
    }
  }

  #rename(terminal: HostTerminal, title: string, origin: ActionOrigin): LogEntry | undefined {
    return this.#tell(terminal, { type: "terminal/titleChanged", title, source: "person" }, origin);
  }

  #tell(terminal: HostTerminal, action: TerminalAction, origin?: ActionOrigin): LogEntry | undefined {
    return this.#parts.terminals.tell(terminal, action, origin);
  }

  #dropOldestAfter({ exited }: HostTerminal): void {
    void exited.then(() => this.#dropOldest()).catch(this.#parts.onFault);
  }

  /** People leave shells behind that have ended: the oldest go first. */
  async #dropOldest(): Promise<void> {
    const { terminals } = this.#parts;
    const ended = terminals.all.filter(({ agent, state }) => agent === undefined && state.name === "exited");
    await Promise.all(ended.slice(0, -maxEnded).map(disposeOf));
  }

  #initialClaim({ claim, clientId }: NewPersonTerminal): TerminalClaim {
    if (claim === undefined) return { kind: "client", clientId };
    if (claim.kind === "client") return { kind: "client", clientId: claim.clientId };
    const session = this.#parts.hub.state(claim.session, "session");
    if (session === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    const chat = session.defaultChat ?? defaultChatUri(claim.session);
    return { kind: "session", session: claim.session, chat };
  }

  async #openShell(
    { uri, name }: NewPersonTerminal,
    { prepared, cwd, size }: PersonShell,
    claim: TerminalClaim,
  ): Promise<HostTerminal> {
    const { command, args, env } = prepared;
    try {
      const terminal = await this.#parts.terminals.open({
        uri,
        title: name ?? command,
        titleSource: name === undefined ? "program" : "person",
        claim,
        kind: "tty",
        command,
        args,
        cwd,
        env,
        size,
        answerLimitBytes,
        nonce: prepared.integrated ? prepared.nonce : undefined,
      });
      void terminal.exited.then(() => removeShellFolder(prepared)).catch(this.#parts.onFault);
      return terminal;
    } catch (error) {
      await removeShellFolder(prepared);
      throw error instanceof KeeperError
        ? new HostError("INVALID_REQUEST", `${error.message}.`, { cause: error })
        : error;
    }
  }
}

interface Refused {
  readonly refused: string;
}

async function disposeOf(terminal: HostTerminal): Promise<void> {
  terminal.agent?.forget(terminal);
  await terminal.close();
}

function rejected(reason: string): Submission {
  return { outcome: "rejected", reason };
}
