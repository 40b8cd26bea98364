// Changesets as channels: read when somebody subscribes, and again after every change for as long as somebody does.
import {
  type ChangesetAddress,
  type ChangesetOperationId,
  type ClientDispatch,
  type Dialect,
  type ListedChanges,
  type WireChangesetOperation,
  type WireChangesetState,
  type WireSnapshot,
  changesetOperations,
  changesetUri,
  parseChangesetUri,
  readReviewAction,
  showChangesetFiles,
  wireSeq,
  wireSeqAfter,
} from "@holdfast/ahp/dialects";
import { type ChangesRequest, type SubmittedBy, accepted, requireAccepted } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import type { Asker, ReadChannel, ReviewDispatch } from "./review.ts";
import { invalidParams } from "./rpc-error.ts";

/** The changes as they were last read, or why they could not be. */
type Reading = { readonly changes: ListedChanges } | { readonly failure: HostError };

type OperationStatus = Pick<WireChangesetOperation, "status" | "error">;

/** A changeset that somebody follows. */
interface Changeset {
  readonly channel: string;
  readonly address: ChangesetAddress;
  readonly subscribers: Set<ClientSubscriptions>;
  readonly statuses: Map<ChangesetOperationId, OperationStatus>;
  reading: Reading;
  /** Something changed while it was being read. */
  refresh: "none" | "running" | "again";
}

interface Target {
  readonly kind: string;
  readonly resource: string;
}

/** The changesets of one server. `close` ends them. */
export class Changesets {
  readonly #port: AhpPort;
  readonly #report: (error: unknown) => void;
  readonly #changesets = new Map<string, Changeset>();
  readonly #stopListening: () => void;

  constructor(port: AhpPort, report: (error: unknown) => void) {
    this.#port = port;
    this.#report = report;
    this.#stopListening = port.changes.listen((session) => {
      for (const changeset of this.#changesets.values()) {
        if (changeset.address.session === session) this.#refresh(changeset);
      }
    });
  }

  /** How many a client follows. */
  countOf(subscriptions: ClientSubscriptions): number {
    return [...this.#changesets.values()].filter(({ subscribers }) => subscribers.has(subscriptions)).length;
  }

  /** Reads a changeset; undefined when this is none, or the dialect has none. */
  read(channel: string, { dialect, submitter }: Asker): Promise<ReadChannel> | undefined {
    const address = addressOf(channel, dialect);
    if (address === undefined) return undefined;
    return this.#read(address, submitter).then((reading) => ({
      follow: (subscriptions) => this.#follow(channel, address, reading, subscriptions),
    }));
  }

  /** A dispatch on a changeset marks files as reviewed. */
  translate({ channel, action }: ClientDispatch, { dialect }: Asker): ReviewDispatch | undefined {
    const address = addressOf(channel, dialect);
    if (address === undefined) return undefined;
    const read = readReviewAction(action, dialect.changesets);
    if (!read.ok) return { reason: read.problem };
    const { files: ids, reviewed: isReviewed } = read.value;
    return {
      submit: async (by) => {
        const { session, turn } = address;
        const paths = pathsOf(ids, await this.#require(address, by), address);
        // Ids of files that have not changed are ignored.
        if (paths.length === 0) return accepted();
        const { origin: _origin, ...submitter } = by;
        return this.#port.submit(
          session,
          { type: "session/markReviewed", turn, paths, isReviewed },
          submitter,
        );
      },
    };
  }

  /** Performs an operation of a changeset on one of its files, or on all. */
  async invoke(
    channel: string,
    operationId: string,
    target: Target | undefined,
    { dialect, submitter }: Asker,
  ): Promise<object> {
    const address = addressOf(channel, dialect);
    if (address === undefined) throw new HostError("NOT_FOUND", `There is no changeset ${channel}.`);
    const changes = await this.#require(address, submitter);
    const operation = changesetOperations(changes, address).find(({ id }) => id === operationId);
    if (operation === undefined) {
      throw invalidParams(`operationId: ${JSON.stringify(operationId)} is not possible now`);
    }
    const request = requestOf(operation.id, changes, address, target);
    this.#publishStatus(channel, operation.id, { status: "running" });
    try {
      requireAccepted(await this.#port.submit(address.session, request, submitter), "ACP_SESSION_NOT_FOUND");
      this.#publishStatus(channel, operation.id, { status: "idle" });
      return {};
    } catch (error) {
      if (error instanceof HostError) {
        this.#publishStatus(channel, operation.id, { status: "error", error: showFailure(error) });
      }
      throw error;
    }
  }

  unsubscribe(channel: string, subscriptions: ClientSubscriptions): void {
    const changeset = this.#changesets.get(channel);
    changeset?.subscribers.delete(subscriptions);
    if (changeset?.subscribers.size === 0) this.#changesets.delete(channel);
  }

  leave(subscriptions: ClientSubscriptions): void {
    for (const channel of this.#changesets.keys()) this.unsubscribe(channel, subscriptions);
  }

  close(): void {
    this.#stopListening();
    this.#changesets.clear();
  }

  #follow(
    channel: string,
    address: ChangesetAddress,
    reading: Reading,
    subscriptions: ClientSubscriptions,
  ): WireSnapshot {
    const changeset = this.#changesets.get(channel) ?? {
      channel,
      address,
      subscribers: new Set(),
      statuses: new Map(),
      reading,
      refresh: "none",
    };
    this.#changesets.set(channel, changeset);
    changeset.subscribers.add(subscriptions);
    // Others follow it with what was read before, and what changed since this reading began has to be seen, too.
    this.#refresh(changeset);
    return {
      resource: channel,
      state: showState(changeset, subscriptions.dialect),
      fromSeq: wireSeqAfter(subscriptions.dialect, this.#port.hub.lastSeq),
    };
  }

  /** Reads a changeset again and publishes it if it is another; a change in the meantime makes it read once more. */
  #refresh(changeset: Changeset): void {
    if (changeset.refresh !== "none") {
      changeset.refresh = "again";
      return;
    }
    const [subscriber] = changeset.subscribers;
    if (subscriber === undefined) return;
    changeset.refresh = "running";
    void this.#read(changeset.address, subscriber.record.submitter)
      .then((reading) => {
        const isSame = textOf(reading) === textOf(changeset.reading);
        changeset.reading = reading;
        if (!isSame) this.#publish(changeset, (dialect) => contentAction(changeset, dialect));
      })
      .catch((error: unknown) => {
        if (!(error instanceof HostError)) this.#report(error);
      })
      .finally(() => {
        const isStale = changeset.refresh === "again";
        changeset.refresh = "none";
        if (isStale) this.#refresh(changeset);
      });
  }

  async #require(address: ChangesetAddress, submitter: SubmittedBy): Promise<ListedChanges> {
    const reading = await this.#read(address, submitter);
    if ("failure" in reading) throw reading.failure;
    return reading.changes;
  }

  /** Rejects when there is no such session or turn. */
  async #read({ session, turn }: ChangesetAddress, submitter: SubmittedBy): Promise<Reading> {
    const { origin: _origin, ...by } = submitter;
    const submission = await this.#port.submit(session, { type: "session/readReview", turn }, by);
    if (submission.outcome === "rejected" && submission.code === "CHANGES_UNAVAILABLE") {
      return { failure: new HostError(submission.code, submission.reason) };
    }
    const { result } = requireAccepted(submission, "ACP_SESSION_NOT_FOUND");
    if (result?.review === undefined) throw new HostError("CHANGES_UNAVAILABLE");
    return { changes: result.review };
  }

  #publishStatus(channel: string, operationId: ChangesetOperationId, status: OperationStatus): void {
    const changeset = this.#changesets.get(channel);
    if (changeset === undefined) return;
    if (status.status === "idle") changeset.statuses.delete(operationId);
    else changeset.statuses.set(operationId, status);
    this.#publish(changeset, () => ({ type: "changeset/operationStatusChanged", operationId, ...status }));
  }

  #publish({ channel, subscribers }: Changeset, actionFor: (dialect: Dialect) => object): void {
    const seq = this.#port.hub.takeSeq();
    for (const subscriptions of subscribers) {
      const { dialect } = subscriptions;
      const params = { channel, action: actionFor(dialect), serverSeq: wireSeq(dialect, seq, 0) };
      subscriptions.send({ method: "action", params });
    }
  }
}

function addressOf(channel: string, { changesets }: Dialect): ChangesetAddress | undefined {
  return changesets === "none" ? undefined : parseChangesetUri(channel);
}

function showState({ reading, address, statuses }: Changeset, dialect: Dialect): WireChangesetState {
  if ("failure" in reading) return { status: "error", error: showFailure(reading.failure), files: [] };
  const operations = changesetOperations(reading.changes, address).map((operation) => ({
    ...operation,
    ...statuses.get(operation.id),
  }));
  return {
    status: "ready",
    files: showChangesetFiles(reading.changes, address, dialect.changesets),
    ...(operations.length > 0 && { operations }),
  };
}

function contentAction(changeset: Changeset, dialect: Dialect): object {
  const { files, operations = [], error } = showState(changeset, dialect);
  return { type: "changeset/contentChanged", files, operations, ...(error !== undefined && { error }) };
}

function showFailure({ code, message }: HostError): { errorType: string; message: string } {
  return { errorType: code, message };
}

/** Equal for equal readings. */
function textOf(reading: Reading): string {
  if ("failure" in reading) return reading.failure.message;
  const { source, folder, files, reviewed } = reading.changes;
  return JSON.stringify([source, folder, files, [...reviewed]]);
}

function pathsOf(
  ids: readonly string[],
  changes: ListedChanges,
  address: ChangesetAddress,
): readonly string[] {
  const shown = showChangesetFiles(changes, address, "plain");
  return changes.files.flatMap(({ path }, index) => (ids.includes(shown[index]?.id ?? "") ? [path] : []));
}

function requestOf(
  operation: ChangesetOperationId,
  changes: ListedChanges,
  address: ChangesetAddress,
  target: Target | undefined,
): ChangesRequest {
  const paths = targetsOf(operation, changes, address, target);
  switch (operation) {
    case "revert":
      return {
        type: "session/revertChanges",
        request: {
          files: paths.map((path) => ({ path })),
          ...(address.turn !== undefined && { turn: address.turn }),
        },
      };
    case "stage":
      return { type: "session/stageChanges", paths };
    case "unstage":
      return { type: "session/unstageChanges", paths };
  }
}

/** The files that an operation is for: the one that is named, or all that it can be done with. */
function targetsOf(
  operation: ChangesetOperationId,
  changes: ListedChanges,
  address: ChangesetAddress,
  target: Target | undefined,
): readonly string[] {
  if (target === undefined || target.kind === "changeset") {
    const { files } = changes;
    const isFor = (file: (typeof files)[number]): boolean => {
      if (operation === "revert") return true;
      if (operation === "stage") return file.staged !== "full" && file.isCommitted !== true;
      return file.staged !== undefined;
    };
    return files.filter(isFor).map(({ path }) => path);
  }
  if (target.kind !== "resource") throw invalidParams("target.kind: expected resource");
  const paths = pathsOf([target.resource], changes, address);
  if (paths.length > 0) return paths;
  throw new HostError("NOT_FOUND", `${target.resource} is not in ${changesetUri(address)}.`);
}
