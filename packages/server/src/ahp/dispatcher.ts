// Actions that a client dispatches: each is translated, submitted once, and answered to its author.
import type { LogEntry, Submission, SubmittedBy } from "@holdfast/core";
import { wireSeq, type AnsweredDispatch, type ClientDispatch } from "@holdfast/ahp/dialects";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { AhpPort } from "../host-port.ts";
import { frameOf, isNumbered, readMessages, type WrittenEntry } from "./channel-view.ts";
import type { Channels, Found } from "./channels.ts";
import type { Outcome } from "./client-record.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { ReviewDispatch, Reviews } from "./review.ts";
import { errorWithoutId } from "./rpc-error.ts";
import type { SocketWriter } from "../socket/socket-writer.ts";

export interface DispatcherParts {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly reviews: Reviews;
  readonly socket: SocketWriter;
  /** Writes an unforeseen error to the log; gives the id under which it is found there. */
  readonly report: (error: unknown) => string;
  readonly now: () => Date;
}

/** An action whose echo comes with its entry. */
interface Expected {
  readonly dispatch: ClientDispatch;
  readonly channel: string;
}

const LOST: Submission = { outcome: "unknown-channel" };

const over: Submission = {
  outcome: "rejected",
  code: "ACP_SESSION_NOT_FOUND",
  reason: "This session is closed.",
};

/** The actions of one client on one connection. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #subscriptions: ClientSubscriptions;
  readonly #expected = new Map<number, Expected>();

  constructor(parts: DispatcherParts, subscriptions: ClientSubscriptions) {
    this.#parts = parts;
    this.#subscriptions = subscriptions;
  }

  /** Takes the params of one `dispatchAction`; without a number to answer to, its error names no action (E832). */
  take(params: unknown): void | Promise<void> {
    const { record, dialect } = this.#subscriptions;
    const read = dialect.readDispatch(params);
    if (!read.ok) {
      if (read.answered !== undefined) return this.#answer(read.answered, `${read.problem}.`);
      const error = new RpcError(ErrorCode.invalidParams, `dispatchAction: ${read.problem}`);
      return this.#parts.socket.writeText(errorWithoutId(error));
    }
    const dispatch = read.value;
    const known = record.outcomeOf(dispatch.clientSeq);
    if (known !== undefined) return this.#takeAgain(dispatch, known);
    const found = this.#parts.channels.findNow(dialect, dispatch.channel);
    if (found !== undefined) return this.#perform(dispatch, this.#submit(dispatch, found));
    const review = this.#parts.reviews.translate(dispatch, { dialect, submitter: record.submitter });
    if (review !== undefined) return this.#perform(dispatch, this.#submitReview(dispatch, review));
    return this.#parts.channels.find(dialect, dispatch.channel).then((late) => {
      return this.#perform(dispatch, late === undefined ? LOST : this.#submit(dispatch, late));
    });
  }

  /** An entry was written to this client; if it echoes one of the client's actions, that action is answered. */
  written({ origin }: LogEntry, { hasEcho }: WrittenEntry): void {
    if (origin === undefined || origin.clientId !== this.#subscriptions.record.clientId) return;
    const expected = this.#expected.get(origin.clientSeq);
    if (expected === undefined) return;
    this.#expected.delete(origin.clientSeq);
    // This dialect cannot express the outcome.
    if (!hasEcho) this.#answerNow(expected.dispatch);
  }

  /** Entries of a channel are skipped; their authors still get a response. */
  left(uri: string): void {
    for (const [clientSeq, { dispatch, channel }] of this.#expected) {
      if (channel !== uri) continue;
      this.#expected.delete(clientSeq);
      this.#answerNow(dispatch);
    }
  }

  #perform(dispatch: ClientDispatch, outcome: Outcome): void | Promise<void> {
    this.#subscriptions.record.note(dispatch.clientSeq, outcome);
    if (!(outcome instanceof Promise)) return this.#conclude(dispatch, outcome);
    const concluded = outcome.then((submission) => this.#conclude(dispatch, submission));
    // It is written, and only its receipt is to come: what follows need not wait.
    if (isKeyedInput(dispatch.action)) return void concluded;
    return concluded;
  }

  #submit(dispatch: ClientDispatch, found: Found): Outcome {
    const { channels, port, now } = this.#parts;
    const { dialect, record } = this.#subscriptions;
    const { clientId } = record;
    const context = found.isLive ? channels.state(found) : undefined;
    if (context === undefined) return over;
    const read = dialect.readAction(dispatch.action, { ...context, clientId, at: now().toISOString() });
    if (!read.ok) return { outcome: "rejected", code: "INVALID_REQUEST", reason: read.reason };
    return this.#try(() => port.submit(found.uri, read.action, this.#submitter(dispatch)));
  }

  #submitReview(dispatch: ClientDispatch, review: ReviewDispatch): Outcome {
    if ("reason" in review) return { outcome: "rejected", code: "INVALID_REQUEST", reason: review.reason };
    return this.#try(() => review.submit(this.#submitter(dispatch)));
  }

  #submitter({ clientSeq }: ClientDispatch): SubmittedBy {
    const { record } = this.#subscriptions;
    return { ...record.submitter, origin: { clientId: record.clientId, clientSeq } };
  }

  #try(submit: () => Outcome): Outcome {
    try {
      const outcome = submit();
      return outcome instanceof Promise ? outcome.catch((error: unknown) => this.#fail(error)) : outcome;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #answerWhenRecorded(dispatch: ClientDispatch): Promise<void> {
    return this.#parts.port.hub.recording.settled().then(
      () => this.#answer(dispatch),
      (error: unknown) => this.#answer(dispatch, unrecorded(error)),
    );
  }

  #conclude(dispatch: ClientDispatch, submission: Submission): void | Promise<void> {
    if (submission.outcome === "unknown-channel") return this.#answerLost(dispatch);
    // The client sends it again to the next host.
    if (isForNextHost(dispatch, submission)) return undefined;
    if (submission.outcome === "rejected") return this.#answer(dispatch, reasonOf(submission));
    const { entry } = submission;
    if (entry === undefined) return this.#answer(dispatch);
    if (this.#parts.reviews.echoes(dispatch.channel, this.#subscriptions)) return;
    // Without an echo, which comes when the entry is recorded, the answer waits for that.
    if (!this.#subscriptions.delivery.isFollowing(entry.channel)) return this.#answerWhenRecorded(dispatch);
    this.#expected.set(dispatch.clientSeq, { dispatch, channel: entry.channel });
  }

  /** An action that is sent again, after a lost connection, gets its earlier response and does not run again (E72). */
  #takeAgain(dispatch: ClientDispatch, known: Outcome | "forgotten"): void | Promise<void> {
    if (known instanceof Promise) return known.then((submission) => this.#answerAgain(dispatch, submission));
    return this.#answerAgain(dispatch, known === "forgotten" ? { outcome: "accepted" } : known);
  }

  #answerAgain(dispatch: ClientDispatch, submission: Submission): void {
    if (submission.outcome === "unknown-channel") return this.#answerLost(dispatch);
    if (submission.outcome === "rejected") return this.#answer(dispatch, reasonOf(submission));
    const { entry } = submission;
    if (entry === undefined) return this.#answer(dispatch);
    const { dialect, delivery, record } = this.#subscriptions;
    delivery.flush();
    const written = delivery.feed(entry.channel)?.view.write(entry);
    const echo = written && readMessages(written).find(isEcho);
    const seq = Math.max(wireSeq(dialect, entry.serverSeq, 0), delivery.lastSeq);
    const answer = dialect.answerDispatch(dispatch, record.clientId, seq);
    // An echo that is older than the states the client came back to would be taken for part of them (E324).
    const message = echo === undefined ? answer : { ...echo, params: { ...echo.params, serverSeq: seq } };
    this.#parts.socket.write(frameOf(message));
  }

  #answerLost(dispatch: ClientDispatch): void {
    if (this.#subscriptions.dialect.ignoresLost(dispatch.action)) return;
    this.#answer(dispatch, `There is no channel ${dispatch.sentTo}.`);
  }

  /** After the echoes that are on their way, so that a client is answered in the order in which it spoke. */
  #answer(dispatch: AnsweredDispatch, reason?: string): void {
    if (this.#expected.size > 0) this.#subscriptions.delivery.flush();
    this.#answerNow(dispatch, reason);
  }

  #answerNow(dispatch: AnsweredDispatch, reason?: string): void {
    const { dialect, delivery, record } = this.#subscriptions;
    const message = dialect.answerDispatch(dispatch, record.clientId, delivery.lastSeq, reason);
    this.#parts.socket.write(frameOf(message));
  }

  #fail(error: unknown): Submission {
    const logId = this.#parts.report(error);
    const reason = `Something went wrong inside the host. Look for ${logId} in its log.`;
    return { outcome: "rejected", code: "INTERNAL", reason };
  }
}

/** A rejection because nothing can be recorded begins with the code, which AHP has no field for (D260). */
function reasonOf({ code, reason }: Extract<Submission, { outcome: "rejected" }>): string {
  return code === "STORAGE_UNAVAILABLE" ? `${code}: ${reason}` : reason;
}

/** Input that the client may send again, and so need not be answered in the order of its other actions (U770). */
function isKeyedInput(action: unknown): boolean {
  const { type, key } = action as { readonly type?: unknown; readonly key?: unknown };
  return type === "terminal/input" && key !== undefined;
}

function isForNextHost({ action }: ClientDispatch, submission: Submission): boolean {
  return submission.outcome === "rejected" && submission.code === "HOST_STOPPING" && isKeyedInput(action);
}

function unrecorded(error: unknown): string {
  return `STORAGE_UNAVAILABLE: ${error instanceof Error ? error.message : String(error)}`;
}

function isEcho(message: Parameters<typeof isNumbered>[0]): boolean {
  return isNumbered(message) && "origin" in message.params;
}
