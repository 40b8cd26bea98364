// Takes the actions that a client dispatches: judges each, has it carried out once, and answers its author.
import type { LogEntry, Submission } from "@holdfast/core";
import { wireSeq, type ClientDispatch } from "@holdfast/ahp/dialects";
import type { AhpPort } from "../host-port.ts";
import { frameOf, isNumbered, readMessages, type WrittenEntry } from "./channel-view.ts";
import type { Channels, Found } from "./channels.ts";
import type { Outcome } from "./client-record.ts";
import type { Conversation } from "./conversation.ts";
import type { Outlet } from "./outlet.ts";

/** What a dispatcher works with. */
export interface DispatcherParts {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly outlet: Outlet;
  /** Writes an unforeseen error to the log; gives the id under which it is found there. */
  readonly report: (error: unknown) => string;
  readonly now: () => Date;
}

/** An action whose echo comes with its entry. */
interface Expected {
  readonly dispatch: ClientDispatch;
  readonly channel: string;
}

const over: Submission = { outcome: "rejected", reason: "The session is over." };

/** The actions of one client on one connection. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #conversation: Conversation;
  readonly #expected = new Map<number, Expected>();

  constructor(parts: DispatcherParts, conversation: Conversation) {
    this.#parts = parts;
    this.#conversation = conversation;
  }

  /** Takes the params of one `dispatchAction`; those that have no form at all cannot be answered. */
  take(params: unknown): void | Promise<void> {
    const { record, dialect } = this.#conversation;
    const read = dialect.readDispatch(params);
    if (!read.ok) return;
    const dispatch = read.value;
    const known = record.outcomeOf(dispatch.clientSeq);
    if (known !== undefined) return this.#takeAgain(dispatch, known);
    const found = this.#parts.channels.findNow(dialect, dispatch.channel);
    if (found !== undefined) return this.#carryOut(dispatch, found);
    return this.#parts.channels.find(dialect, dispatch.channel).then((late) => {
      // What no channel is meant by is passed over in silence.
      if (late !== undefined) return this.#carryOut(dispatch, late);
    });
  }

  /** An entry was written to this client: if it is one of its own actions, it has its answer. */
  written({ origin }: LogEntry, { hasEcho }: WrittenEntry): void {
    if (origin === undefined || origin.clientId !== this.#conversation.record.clientId) return;
    const expected = this.#expected.get(origin.clientSeq);
    if (expected === undefined) return;
    this.#expected.delete(origin.clientSeq);
    // This dialect has no words for what came of it.
    if (!hasEcho) this.#answerNow(expected.dispatch);
  }

  /** Entries of a channel are left out: their authors are answered all the same. */
  left(uri: string): void {
    for (const [clientSeq, { dispatch, channel }] of this.#expected) {
      if (channel !== uri) continue;
      this.#expected.delete(clientSeq);
      this.#answerNow(dispatch);
    }
  }

  #carryOut(dispatch: ClientDispatch, found: Found): void | Promise<void> {
    const outcome = this.#submit(dispatch, found);
    this.#conversation.record.note(dispatch.clientSeq, outcome);
    if (!(outcome instanceof Promise)) return this.#conclude(dispatch, outcome);
    return outcome.then((submission) => this.#conclude(dispatch, submission));
  }

  #submit(dispatch: ClientDispatch, found: Found): Outcome {
    const { channels, port, now } = this.#parts;
    const { dialect, record } = this.#conversation;
    const { clientId } = record;
    const context = found.isLive ? channels.state(found) : undefined;
    if (context === undefined) return over;
    const verdict = dialect.readAction(dispatch.action, { ...context, clientId, at: now().toISOString() });
    if (!verdict.ok) return { outcome: "rejected", reason: verdict.reason };
    const origin = { clientId, clientSeq: dispatch.clientSeq };
    try {
      switch (found.kind) {
        case "root": {
          const entry = port.hub.dispatch(found.uri, verdict.action, origin);
          return { outcome: "accepted", ...(entry !== undefined && { entry }) };
        }
        case "terminal":
          return port.terminals.submit(found.uri, verdict.action, origin);
        case "session":
        case "chat": {
          const outcome = port.sessions.submit(found.uri, verdict.action, origin);
          return outcome instanceof Promise ? outcome.catch((error: unknown) => this.#fail(error)) : outcome;
        }
      }
    } catch (error) {
      return this.#fail(error);
    }
  }

  #conclude(dispatch: ClientDispatch, submission: Submission): void {
    if (submission.outcome === "unknown-channel") return;
    if (submission.outcome === "rejected") return this.#answer(dispatch, submission.reason);
    const { entry } = submission;
    if (entry === undefined || !this.#conversation.delivery.isFollowing(entry.channel)) {
      return this.#answer(dispatch);
    }
    this.#expected.set(dispatch.clientSeq, { dispatch, channel: entry.channel });
  }

  /** An action that is sent again, after a lost connection, is answered as it was and not carried out again (E72). */
  #takeAgain(dispatch: ClientDispatch, known: Outcome | "forgotten"): void | Promise<void> {
    if (known instanceof Promise) return known.then((submission) => this.#answerAgain(dispatch, submission));
    return this.#answerAgain(dispatch, known === "forgotten" ? { outcome: "accepted" } : known);
  }

  #answerAgain(dispatch: ClientDispatch, submission: Submission): void {
    if (submission.outcome === "unknown-channel") return;
    if (submission.outcome === "rejected") return this.#answer(dispatch, submission.reason);
    const { entry } = submission;
    if (entry === undefined) return this.#answer(dispatch);
    const { dialect, delivery, record } = this.#conversation;
    delivery.flush();
    const written = delivery.feed(entry.channel)?.view.write(entry);
    const echo = written && readMessages(written).find(isEcho);
    const seq = wireSeq(dialect, entry.serverSeq, 0);
    this.#parts.outlet.write(frameOf(echo ?? dialect.answerDispatch(dispatch, record.clientId, seq)));
  }

  /** After the echoes that are on their way, so that a client is answered in the order in which it spoke. */
  #answer(dispatch: ClientDispatch, reason?: string): void {
    if (this.#expected.size > 0) this.#conversation.delivery.flush();
    this.#answerNow(dispatch, reason);
  }

  #answerNow(dispatch: ClientDispatch, reason?: string): void {
    const { dialect, delivery, record } = this.#conversation;
    const message = dialect.answerDispatch(dispatch, record.clientId, delivery.lastSeq, reason);
    this.#parts.outlet.write(frameOf(message));
  }

  #fail(error: unknown): Submission {
    const logId = this.#parts.report(error);
    const reason = `Something went wrong inside the host. Look for ${logId} in its log.`;
    return { outcome: "rejected", reason };
  }
}

function isEcho(message: Parameters<typeof isNumbered>[0]): boolean {
  return isNumbered(message) && "origin" in message.params;
}
