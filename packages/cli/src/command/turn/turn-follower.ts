// Follows a turn to its end: shows it, asks what the agent asks, and heeds Ctrl-C (C22–C27).
import { setTimeout as delay } from "node:timers/promises";
import {
  HoldfastError,
  type AcpPermissionDecision,
  type EventStream,
  type Holdfast,
  type TurnEvent,
} from "@holdfast/sdk";
import type { Console } from "../../console.ts";
import { shortSessionName } from "../session-name.ts";
import { EventReader } from "./event-reader.ts";
import { Interrupts } from "./interrupts.ts";
import { Interview } from "./interview.ts";
import { questionOf, settles, waitingSentence, type Question } from "./question.ts";
import type { Screen } from "./screen.ts";
import type { TurnEnd } from "./turn-end.ts";
import type { TurnDisplay } from "./turn-view.ts";

/** What following a turn needs. */
export interface TurnFollowerParts {
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

/** Follows one turn. */
export class TurnFollower {
  readonly #parts: TurnFollowerParts;
  readonly #stream: EventStream<TurnEvent>;
  readonly #reader: EventReader;
  readonly #interrupts: Interrupts;
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
    const { display } = this.#parts;
    let end: TurnEnd = { kind: "done", stopReason: "unknown" };
    try {
      for (let read = await this.#reader.next(); read !== undefined; read = await this.#reader.next()) {
        const { event, cursor } = read;
        this.#hasBegun = true;
        await display.show(event, cursor);
        if (event.type === "done") end = { kind: "done", stopReason: event.data.stopReason };
        if (event.type === "error") end = { kind: "failed", error: event.data };
        const question = questionOf(event);
        if (question !== undefined) await this.#face(question);
      }
    } finally {
      this.#interrupts.close();
      await display.finish();
    }
    await this.#leaving;
    return this.#leftWith === undefined ? end : { kind: "left", exitCode: this.#leftWith };
  }

  async #face(question: Question): Promise<void> {
    const { console, screen, sessionKey } = this.#parts;
    const isSettledBy = (event: TurnEvent): boolean => settles(event, question.id);
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
    }
  }

  async #answer({ id }: Question, decision: AcpPermissionDecision): Promise<void> {
    const { api, console, display, sessionKey } = this.#parts;
    try {
      const { resolved, reason } = await api.acpAgent.resolvePermission(sessionKey, decision);
      if (resolved) display.answeredHere(id);
      else console.note(reason ?? "It was answered elsewhere.");
    } catch (error) {
      // The turn may still be followed; if the host is gone, its stream says so.
      if (!(error instanceof HoldfastError)) throw error;
      console.warn(`The answer did not arrive: ${error.message}`);
    }
  }

  async #cancel(): Promise<void> {
    const { api, console, screen, sessionKey } = this.#parts;
    await screen.pause();
    if (await this.#takeBack()) return console.note("The message is taken back.");
    console.note("Cancelling the turn. Ctrl-C again leaves without waiting for its end.");
    try {
      await api.acpAgent.cancelTurn(sessionKey);
    } catch (error) {
      console.warn(
        `The turn could not be cancelled: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** A message that waits in line is taken out of it: the turn that runs is somebody else's. */
  async #takeBack(): Promise<boolean> {
    const { turnId } = this.#stream;
    if (this.#hasBegun || turnId === undefined) return false;
    try {
      return (await this.#parts.withdraw?.(turnId)) ?? false;
    } catch {
      // Whoever may not see the line cannot take anything out of it; what can be done is to cancel.
      return false;
    }
  }

  #leave(exitCode: number): void {
    const { api, sessionKey, cancelOnExit } = this.#parts;
    this.#leftWith = exitCode;
    // Whoever leaves does not wait for a host that does not answer; a turn that it cannot cancel goes on.
    if (cancelOnExit === true) this.#leaving = api.acpAgent.cancelTurn(sessionKey).catch(() => undefined);
    this.#reader.close();
  }
}
