// Follows a turn to its end: shows it, asks what the agent asks, and heeds Ctrl-C (C22–C27).
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import {
  type AcpPermissionDecision,
  type EventStream,
  type Holdfast,
  HoldfastError,
  type TurnEvent,
} from "@holdfast/sdk";
import { messageOf } from "../../command-error.ts";
import type { Console } from "../../console.ts";
import { EXIT_CODES } from "../../exit-codes.ts";
import { signalExitCode } from "../../terminal/terminal-exit.ts";
import { shortName } from "../../short-name.ts";
import { shortSessionName } from "../session-name.ts";
import { DroppedInput } from "./dropped-input.ts";
import { Interview, type Question, questionOf, settles, waitingSentence } from "./question.ts";
import type { Screen } from "./screen.ts";
import { TurnActions, type TurnEnd } from "./turn-end.ts";
import { safeText } from "../../safe-text.ts";
import { fieldsOf, limitWord, terminalOf, type TurnDisplay } from "./turn-view.ts";

interface TurnFollowerParts {
  readonly api: Holdfast;
  readonly console: Console;
  readonly screen: Screen;
  readonly display: TurnDisplay;
  readonly sessionKey: string;
  /** Whether leaving by a signal cancels the turn too. */
  readonly cancelOnExit?: boolean;
  /** Takes the message out of the line it waits in; false when it does not wait. */
  readonly withdraw?: (turnId: string) => Promise<boolean>;
}

/** A question that a policy answers is over in this time, and nobody need see it. */
const settleMs = 150;

export class TurnFollower {
  readonly #parts: TurnFollowerParts;
  readonly #stream: EventStream<TurnEvent>;
  readonly #reader: EventReader;
  readonly #interrupts: Interrupts;
  /** The terminal of each tool call that runs. */
  readonly #terminals = new Map<string, string>();
  #dropped: DroppedInput | undefined;
  #hasNotedInput = false;
  #hasBegun = false;
  #leftWith: number | undefined;
  #leaving: Promise<void> = Promise.resolve();

  constructor(stream: EventStream<TurnEvent>, parts: TurnFollowerParts) {
    this.#parts = parts;
    this.#stream = stream;
    this.#reader = new EventReader(stream);
    this.#interrupts = new Interrupts({
      cancel: () => void this.#cancel(),
      leave: (exitCode) => this.#leave(exitCode),
      catchesAll: parts.cancelOnExit === true,
    });
  }

  /** The end of the turn, or of watching it. */
  async follow(): Promise<TurnEnd> {
    const { display, console } = this.#parts;
    const actions = new TurnActions();
    let end: TurnEnd = { kind: "done", stopReason: "unknown" };
    const dropped = new DroppedInput({
      stdin: console.streams.stdin,
      onLine: () => void this.#noteDroppedLine(),
      onInterrupt: () => this.#interrupts.press(),
    });
    this.#dropped = dropped;
    try {
      for (let read = await this.#reader.next(); read !== undefined; read = await this.#reader.next()) {
        const { event, cursor } = read;
        this.#hasBegun = true;
        await display.show(event, cursor);
        this.#noteTerminal(event);
        this.#noteLimit(event);
        await this.#noteLongOutput(event);
        actions.note(event);
        if (event.type === "done") end = actions.endOf(event.data.stopReason);
        if (event.type === "error") end = { kind: "failed", error: event.data };
        const question = questionOf(event);
        if (question !== undefined) await this.#face(question);
      }
    } finally {
      this.#interrupts.close();
      await display.finish();
      await dropped.close();
    }
    await this.#leaving;
    return this.#leftWith === undefined ? end : { kind: "left", exitCode: this.#leftWith };
  }

  #noteTerminal(event: TurnEvent): void {
    if (event.type !== "tool_call") return;
    const { toolCallId, status } = event.data;
    const { terminalId } = terminalOf(event.data);
    if (status === "running" && typeof terminalId === "string") this.#terminals.set(toolCallId, terminalId);
    else this.#terminals.delete(toolCallId);
  }

  /** Says, once, how to type into the command that runs (C870). */
  async #noteDroppedLine(): Promise<void> {
    const { console, screen } = this.#parts;
    const terminalId = [...this.#terminals.values()].at(-1);
    if (terminalId === undefined || this.#hasNotedInput) return;
    this.#hasNotedInput = true;
    await screen.pause();
    const way = `run holdfast attach ${shortName(terminalId)} in another window`;
    console.warn(`Typed text is not sent to the command. To type into it, ${way}.`);
  }

  /** A limit that ended a command is named also where no line about it is shown: in a script's stderr (C713). */
  #noteLimit(event: TurnEvent): void {
    const { console } = this.#parts;
    if (event.type !== "tool_call" || event.data.status === "running") return;
    if (console.json || console.streams.stderr.isTTY) return;
    const limit = limitWord(event.data);
    if (limit !== undefined) console.warn(`${safeText(event.data.title)}: ${limit}`);
  }

  /** Names the command that prints output of which a turn contains only the end (C519). */
  async #noteLongOutput(event: TurnEvent): Promise<void> {
    const { api, console, screen } = this.#parts;
    if (event.type !== "tool_call" || event.data.status === "running") return;
    if (console.json || !console.streams.stderr.isTTY) return;
    const contents = (event.data.content ?? []).map(fieldsOf);
    const { terminalId } =
      contents.find(({ type, truncated }) => type === "terminal" && truncated === true) ?? {};
    if (typeof terminalId !== "string") return;
    try {
      const { endOffset } = await api.terminals.output(terminalId, { limitBytes: 1 });
      const way = `\`holdfast logs ${shortName(terminalId)}\` prints all of it.`;
      await screen.line(screen.paint.dim(`  The output has ${endOffset} bytes; ${way}`));
    } catch (error) {
      // The terminal may be gone, or belong to somebody else; the turn is shown without the note.
      if (!(error instanceof HoldfastError)) throw error;
    }
  }

  async #face(question: Question): Promise<void> {
    const { console, screen, sessionKey } = this.#parts;
    const isSettledBy = (event: TurnEvent): boolean => settles(event, question.id);
    if (console.canAsk) this.#dropped?.pause();
    const interview = console.canAsk
      ? new Interview({ console, screen, onInterrupt: () => this.#interrupts.press() })
      : undefined;
    try {
      const early = await this.#reader.first(delay(settleMs), isSettledBy);
      if (early.kind === "settled") return;
      const asked = await this.#reader.first(
        interview?.ask(question) ?? Promise.resolve(undefined),
        isSettledBy,
      );
      if (asked.kind === "settled") return;
      if (asked.value === undefined) {
        await screen.pause();
        return console.warn(waitingSentence(question, shortSessionName(sessionKey)));
      }
      await this.#answer(question, asked.value);
    } finally {
      await interview?.close();
      this.#dropped?.resume();
    }
  }

  async #answer({ id }: Question, decision: AcpPermissionDecision): Promise<void> {
    const { api, console, display, sessionKey } = this.#parts;
    try {
      const { resolved, reason } = await api.acpAgent.resolvePermission(sessionKey, decision);
      if (resolved) display.answeredHere(id);
      else console.note(safeText(reason ?? "It was answered elsewhere."));
    } catch (error) {
      // The turn may still be followed; if the host is gone, its stream says so.
      if (!(error instanceof HoldfastError)) throw error;
      console.warn(`The host did not get the decision: ${error.message}`);
    }
  }

  async #cancel(): Promise<void> {
    const { console, display, screen } = this.#parts;
    await screen.pause();
    if (await this.#takeBack()) return console.note("The queued message was removed.");
    console.note("Cancelling the turn. Press Ctrl-C again to leave without waiting.");
    display.cancelledHere();
    try {
      await this.#cancelTurn();
    } catch (error) {
      console.warn(`The turn could not be cancelled: ${messageOf(error)}`);
    }
  }

  /** A message that waits in line is taken out of it: the turn that runs is somebody else's. */
  async #takeBack(): Promise<boolean> {
    const { turnId } = this.#stream;
    if (this.#hasBegun || turnId === undefined) return false;
    try {
      return (await this.#parts.withdraw?.(turnId)) ?? false;
    } catch {
      // A client that may not see the queue cannot remove anything from it; it can only cancel.
      return false;
    }
  }

  #leave(exitCode: number): void {
    const { cancelOnExit } = this.#parts;
    this.#leftWith = exitCode;
    // Leaving does not wait for a host that does not respond; a turn that it cannot cancel continues.
    if (cancelOnExit === true) this.#leaving = this.#cancelTurn().catch(() => undefined);
    this.#reader.close();
  }

  /** Cancels this turn, which may still wait behind another client's. */
  #cancelTurn(): Promise<void> {
    const { api, sessionKey } = this.#parts;
    return api.acpAgent.cancelTurn(sessionKey, undefined, { turnId: this.#stream.turnId });
  }
}

interface InterruptActions {
  /** The first Ctrl-C. */
  readonly cancel: () => void;
  /** The person stopped following the turn; exit with this code. */
  readonly leave: (exitCode: number) => void;
  /** Whether also the signals that end a program are for us; without it they just end it, and the turn continues. */
  readonly catchesAll: boolean;
}

/** Signals that end a program, unless it listens for them. */
const endingSignals = ["SIGTERM", "SIGHUP"] as const;

class Interrupts {
  readonly #actions: InterruptActions;
  readonly #listeners: readonly (readonly [NodeJS.Signals, () => void])[];
  #presses = 0;

  constructor(actions: InterruptActions) {
    this.#actions = actions;
    const ends = endingSignals.map(
      (signal) => [signal, () => actions.leave(signalExitCode(signal))] as const,
    );
    this.#listeners = [["SIGINT", () => this.press()], ...(actions.catchesAll ? ends : [])];
    for (const [signal, listener] of this.#listeners) process.on(signal, listener);
  }

  /** Ctrl-C, by the signal or by the key. */
  press(): void {
    this.#presses += 1;
    if (this.#presses === 1) this.#actions.cancel();
    else this.#actions.leave(EXIT_CODES.cancelled);
  }

  close(): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }
}

/** An event and the cursor after which the next one comes. */
interface ReadEvent {
  readonly event: TurnEvent;
  readonly cursor: string | undefined;
}

type First<Value> = { readonly kind: "value"; readonly value: Value } | { readonly kind: "settled" };

class EventReader {
  readonly #stream: EventStream<TurnEvent>;
  readonly #ahead: (ReadEvent | undefined)[] = [];
  #pulling: Promise<ReadEvent | undefined> | undefined;
  #hasEnded = false;

  constructor(stream: EventStream<TurnEvent>) {
    this.#stream = stream;
  }

  /** The next event; undefined at the end. */
  async next(): Promise<ReadEvent | undefined> {
    return this.#ahead.length > 0 ? this.#ahead.shift() : this.#take();
  }

  /** The value, or word that an event came first that settles the matter; what is read meanwhile is kept for `next`. */
  async first<Value>(
    promise: Promise<Value>,
    isSettledBy: (event: TurnEvent) => boolean,
  ): Promise<First<Value>> {
    const value = promise.then((given) => ({ kind: "value", value: given }) as const);
    if (this.#ahead.some((read) => read === undefined || isSettledBy(read.event))) return { kind: "settled" };
    for (;;) {
      const pulled = this.#pull().then(() => undefined);
      const outcome = await Promise.race([value, pulled]);
      if (outcome !== undefined) return outcome;
      const read = await this.#take();
      this.#ahead.push(read);
      if (read === undefined || isSettledBy(read.event)) return { kind: "settled" };
    }
  }

  /** Closes the stream: the next event is the end. */
  close(): void {
    this.#hasEnded = true;
    // Nobody needs the errors of a stream that ends.
    this.#stream.return().catch(() => undefined);
  }

  async #take(): Promise<ReadEvent | undefined> {
    const read = await this.#pull();
    this.#pulling = undefined;
    return read;
  }

  /** One pull at a time, however many wait for it. */
  #pull(): Promise<ReadEvent | undefined> {
    this.#pulling ??= this.#read();
    return this.#pulling;
  }

  async #read(): Promise<ReadEvent | undefined> {
    if (this.#hasEnded) return undefined;
    const { value, done } = await this.#stream.next();
    return done === true ? undefined : { event: value, cursor: this.#stream.lastEventId };
  }
}
