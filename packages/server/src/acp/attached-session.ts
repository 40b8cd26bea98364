// One session as one editor follows it: its log as updates, its questions, its terminals, and the prompts that wait.
import {
  type ChatState,
  findToolCall,
  isUnfinished,
  type SessionState,
  type TerminalUri,
  type ToolCall,
} from "@holdfast/ahp";
import { earliest, type LogEntry, type LogReader, type NoEntry, terminalIdOf } from "@holdfast/core";
import type { Connection } from "@holdfast/jsonrpc";
import { type EventPlace, HostError } from "@holdfast/protocol";
import type { AcpHost } from "./acp-host.ts";
import { AttachedTerminals } from "./attached-terminals.ts";
import { textBlock } from "./content.ts";
import type { EditorFeatures } from "./features.ts";
import { LentEditor, type LentParts } from "./lent-editor.ts";
import type { Cursor, TerminalCursor } from "./params.ts";
import { type EndedTurn, SessionProjection } from "./projection.ts";
import { Questions } from "./questions.ts";
import { describeStart } from "./session-state.ts";
import type { SessionUpdate, TerminalContent, TerminalView } from "./tool-call.ts";
import { noticeUpdate, replayTurn } from "./turn-update.ts";
import type { Caller } from "../host-port.ts";

/** One editor: its connection, its features, and the host that serves it. */
export interface EditorParts {
  readonly host: AcpHost;
  readonly caller: Caller;
  /** Whether the client may read the output of terminals live; without it, it gets the result of each. */
  readonly followsTerminals: boolean;
  readonly rpc: Connection;
  readonly features: EditorFeatures;
  /** How the editor calls itself. */
  readonly name: string;
  readonly lends: LentParts;
  readonly report: (error: unknown) => string;
}

export interface AttachedSessionParts extends EditorParts {
  readonly state: SessionState;
  readonly isOwnTurn: (turnId: string) => boolean;
  /** How often each question was asked on this connection. */
  readonly asked: Map<string, number>;
  /** Called when it stops following, for whatever reason. */
  readonly onClosed: () => void;
}

/** Where an editor begins to follow a session: now, after the history that it was sent, or after what it had before. */
export type Start =
  | { readonly from: "now" | "history"; readonly seq: number }
  | { readonly from: "cursor"; readonly cursor: Cursor };

/** Ends that are remembered for a prompt that is sent again. */
const keptEnds = 32;
/** Turns of the history that a session is loaded with. */
const loadedTurns = 500;
const pageTurns = 50;
const skippedUpdates =
  "[Updates were skipped because they were read too slowly. Load the session to see them.]";
/** Entries after which other work gets its share of the event loop. */
const entriesPerTick = 64;

/** Follows one session for one connection, from `follow` to `close`. */
export class AttachedSession {
  readonly key: string;
  readonly uri: string;
  readonly chatUri: string;
  readonly #parts: AttachedSessionParts;
  readonly #terminals: AttachedTerminals;
  readonly #questions: Questions;
  readonly #editor: LentEditor;
  readonly #projection: SessionProjection;
  readonly #logs = new Set<LogReader>();
  readonly #waiting = new Map<string, (ended: EndedTurn) => void>();
  readonly #ended = new Map<string, EndedTurn>();
  #takeBack: (() => void) | undefined;
  #start: Start = { from: "now", seq: 0 };
  /** Whether the entry that is being projected is part of what the editor has. */
  #isKnown = false;
  #wake: (() => void) | undefined;
  #isWoken = false;
  #isOver = false;
  #hasGap = false;
  #isClosed = false;

  constructor(parts: AttachedSessionParts) {
    this.#parts = parts;
    const { host, caller, rpc, features, state } = parts;
    this.key = state.key;
    this.uri = state.resource;
    this.chatUri = state.defaultChat ?? "";
    const view: TerminalView = {
      byReference: features.terminals,
      textOf: (terminalId) => this.#terminals.textOf(terminalId),
      ownIdOf: (terminalId) => this.#editor.ownIdOf(terminalId),
    };
    this.#editor = new LentEditor({ ...parts, sessionId: this.key });
    this.#terminals = new AttachedTerminals({
      hub: host.ahp.hub,
      follow: (id, after, onReadable) => host.terminals.follow(id, after, caller, onReadable),
      byReference: features.terminals,
      send: (update, terminalId, cursor) => this.#send(update, terminalMeta(terminalId, cursor)),
      contentOf: (toolCallId) => this.#projection.contentOf(toolCallId),
      onReadable: this.#notify,
    });
    this.#questions = new Questions({
      rpc,
      sessionId: this.key,
      features,
      view,
      asked: parts.asked,
      decide: (decision) => {
        const { resolved, reason = "" } = host.approvals.resolve(this.key, decision, caller);
        return resolved ? undefined : reason;
      },
      report: (title, description) => void this.#send(noticeUpdate(title, description, features)),
    });
    this.#projection = new SessionProjection({
      features,
      view,
      isOwnTurn: parts.isOwnTurn,
      session: () => this.state,
      onTerminal: (call, content) => this.#showTerminal(call, content),
    });
  }

  /** The session as it is now; undefined once it is closed. */
  get state(): SessionState | undefined {
    return this.#parts.host.ahp.hub.state(this.uri, "session");
  }

  /** Whether it follows no more, or is about to stop: the session was closed, and may be open again. */
  get isOver(): boolean {
    return this.#isClosed || [...this.#logs].some((log) => log.isOver);
  }

  /** The newest number of the log: a client that has it has everything so far. */
  get place(): string {
    return String(this.#parts.host.ahp.hub.lastSeq);
  }

  /** Sends the turns that there are, oldest first; gives the place in the log up to which they reach. */
  async replay(): Promise<number> {
    const { host, features } = this.#parts;
    host.ahp.sessions.find(this.chatUri);
    const chat = host.ahp.hub.state(this.chatUri, "chat");
    const { lastSeq } = host.ahp.hub;
    if (chat === undefined) return lastSeq;
    const view: TerminalView = { byReference: features.terminals, textOf: () => undefined };
    const { activeTurn, contextUsage } = chat;
    const turns = [...this.#earlierTurns(chat), ...(activeTurn === undefined ? [] : [activeTurn])];
    for (const turn of turns) {
      for (const update of replayTurn(turn, features, view)) await this.#send(update);
    }
    if (contextUsage !== undefined) {
      const { usedTokens: used, sizeTokens: size, cost } = contextUsage;
      await this.#send({ sessionUpdate: "usage_update", used, size, ...(cost && { cost }) });
    }
    return lastSeq;
  }

  /** Follows the log after a place. Throws a `HostError` when the log lacks entries since. */
  follow(start: Start): void {
    // The connection may have ended while the history waited to be read.
    if (this.#isClosed) return;
    const { host, caller } = this.#parts;
    this.#start = start;
    const { seq, events } = placeOf(start);
    // An entry that is known in part is read again, and only its known updates are left out.
    const known = events === undefined ? seq : seq - 1;
    const { chat, session } = host.followSession(this.key, { after: known }, caller, this.#notify);
    this.#logs.add(chat).add(session);
    const { resource } = this.#parts.state;
    if (this.#editor.lendsAny) this.#takeBack = host.ahp.editors.lend(resource, this.#editor);
    this.#run().catch((error: unknown) => {
      this.#parts.report(error);
      this.close();
    });
  }

  /** Sends the settings that only updates carry. */
  async greet(): Promise<void> {
    const { state } = this;
    if (state === undefined) return;
    for (const update of describeStart(state)) await this.#send(update);
  }

  /** Resolves when a turn has ended and everything of it was sent. */
  ended(turnId: string): Promise<EndedTurn> {
    const known = this.#ended.get(turnId) ?? this.#findEnded(turnId);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      this.#waiting.set(turnId, resolve);
    });
  }

  /** Asks the questions again that the editor left open. */
  askAgain(): void {
    this.#questions.askAgain();
  }

  /** Stops following; the session and its turns continue. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#takeBack?.();
    for (const log of this.#logs) log.close();
    this.#terminals.close();
    this.#questions.close();
    this.#notify();
    this.#parts.onClosed();
  }

  /** Ends with the session, which was closed: prompts that still wait fail. */
  end(): void {
    const { code, message } = new HostError("ACP_SESSION_NOT_FOUND");
    const end = { state: "failed", error: { code, message }, resumable: false } as const;
    for (const turnId of this.#waiting.keys()) this.#end({ turnId, end });
    this.close();
  }

  readonly #notify = (): void => {
    this.#isWoken = true;
    this.#wake?.();
  };

  #earlierTurns(chat: ChatState): ChatState["turns"][number][] {
    const { sessions } = this.#parts.host.ahp;
    const turns: ChatState["turns"][number][] = [];
    let before: string | undefined;
    while (turns.length < loadedTurns) {
      const page = sessions.readTurns(chat, before, pageTurns);
      if (page === undefined || page.turns.length === 0) break;
      turns.unshift(...page.turns);
      before = page.turns[0]?.id;
      if (!page.hasMore) break;
    }
    return turns;
  }

  #showTerminal({ toolCallId }: ToolCall, { resource }: TerminalContent): void {
    if (!this.#parts.followsTerminals || this.#editor.ownIdOf(terminalIdOf(resource)) !== undefined) return;
    const start = this.#isKnown ? this.#terminalStart(resource, toolCallId) : 0;
    this.#terminals.show(resource, toolCallId, start);
  }

  /** Where the output of a terminal begins that was there before this connection followed the session. */
  #terminalStart(uri: TerminalUri, toolCallId: string): TerminalCursor {
    const { hub } = this.#parts.host.ahp;
    const start = this.#start;
    if (start.from === "cursor") return start.cursor.terminals.get(terminalIdOf(uri)) ?? 0;
    const { activeTurn } = hub.state(this.chatUri, "chat") ?? {};
    const call = findToolCall(activeTurn, toolCallId);
    // A replayed call that has ended was sent with its output.
    if (start.from === "history" && call !== undefined && isUnfinished(call)) return 0;
    const terminal = hub.state(uri, "terminal");
    return terminal?.lifecycle.status === "running" ? terminal.output.endOffset : "exited";
  }

  async #run(): Promise<void> {
    let entries = 0;
    while (!this.#isClosed) {
      this.#isWoken = false;
      const entry = this.#take();
      if (this.#hasGap) {
        await this.#skipGap();
        continue;
      }
      if (entry !== undefined) {
        await this.#forward(entry);
        entries += 1;
        if (entries % entriesPerTick === 0) await nextTick();
        continue;
      }
      await this.#terminals.forward();
      this.#updateQuestions();
      if (this.#isOver) return this.end();
      await this.#woken();
    }
  }

  #take(): LogEntry | undefined {
    return earliest(this.#logs, this.#noteNone)?.take();
  }

  readonly #noteNone = (log: LogReader, why: NoEntry): void => {
    if (why === "nothing") return;
    this.#logs.delete(log);
    log.close();
    this.#isOver ||= this.#logs.size === 0;
    this.#hasGap ||= why === "gap";
  };

  /** Entries are gone that this editor has not read: a line says so, and it continues with the present (B33). */
  async #skipGap(): Promise<void> {
    const { hub, sessions } = this.#parts.host.ahp;
    this.#hasGap = false;
    for (const log of this.#logs) log.close();
    this.#logs.clear();
    this.#isOver = sessions.find(this.chatUri)?.kind !== "live" || !hub.has(this.uri);
    if (this.#isOver) return;
    const chat = hub.subscribe(this.chatUri, this.#notify);
    const session = hub.subscribe(this.uri, this.#notify);
    this.#logs.add(chat.cursor).add(session.cursor);
    this.#start = { from: "now", seq: chat.snapshot.seq };
    const state = hub.state(this.chatUri, "chat");
    if (state !== undefined && this.state !== undefined) this.#projection.restart(state, this.state);
    for (const turnId of this.#waiting.keys()) {
      const turn = sessions.findTurn(this.chatUri, turnId);
      if (turn !== undefined && "end" in turn) this.#end({ turnId, end: turn.end });
    }
    await this.#send({ sessionUpdate: "agent_thought_chunk", content: textBlock(skippedUpdates) });
  }

  async #forward({ action, serverSeq }: LogEntry): Promise<void> {
    // The output of a command comes before the end of its call.
    if (endsWork(action.type)) await this.#terminals.forward();
    const { seq, events } = placeOf(this.#start);
    const knownUpdates = serverSeq === seq ? (events ?? Number.POSITIVE_INFINITY) : 0;
    this.#isKnown = serverSeq <= seq;
    const { updates, ended = [] } = this.#projection.project(action);
    for (const [index, update] of updates.entries()) {
      if (serverSeq < seq || index < knownUpdates) continue;
      const isLast = index === updates.length - 1;
      await this.#send(update, { place: isLast ? `${serverSeq}` : `${serverSeq}.${index + 1}` });
    }
    for (const each of ended) this.#end(each);
  }

  #end(ended: EndedTurn): void {
    this.#ended.set(ended.turnId, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > keptEnds && oldest !== undefined) this.#ended.delete(oldest);
    this.#updateQuestions();
    this.#waiting.get(ended.turnId)?.(ended);
    this.#waiting.delete(ended.turnId);
  }

  /** A host that was killed leaves questions in the log that recovery has closed: only those that are open are asked. */
  #updateQuestions(): void {
    const open = new Set(this.state?.inputNeeded.map(({ id }): string => id));
    this.#questions.update(new Map([...this.#projection.questions].filter(([id]) => open.has(id))));
  }

  /** A turn that ended before this connection followed the session. */
  #findEnded(turnId: string): EndedTurn | undefined {
    const { hub, sessions } = this.#parts.host.ahp;
    // The end of the last turn may still be on its way through the log.
    if (hub.state(this.chatUri, "chat")?.turns.at(-1)?.id === turnId) return undefined;
    const turn = sessions.findTurn(this.chatUri, turnId);
    if (turn === undefined || !("end" in turn)) return undefined;
    return { turnId, end: turn.end, ...(turn.usage !== undefined && { usage: turn.usage }) };
  }

  async #send(update: SessionUpdate, own?: object): Promise<void> {
    if (this.#isClosed) return;
    const { rpc } = this.#parts;
    const meta = own === undefined ? {} : { _meta: { holdfast: own } };
    const hasRoom = rpc.notify("session/update", { sessionId: this.key, update, ...meta });
    if (!hasRoom) await rpc.drained();
  }

  #woken(): Promise<void> {
    if (this.#isWoken) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function placeOf(start: Start): EventPlace {
  return start.from === "cursor" ? start.cursor : { seq: start.seq };
}

function terminalMeta(terminalId: string, offset: TerminalCursor): object {
  return { terminal: terminalId, offset };
}

/** Whether an action ends something that a command may have written to. */
function endsWork(type: string): boolean {
  return /^chat\/(?:toolCallComplete|turn(?:Complete|Cancelled|Interrupted)|error)$/.test(type);
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
