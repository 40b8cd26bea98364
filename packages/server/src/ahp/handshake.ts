// The first words of a client: who it is, or that it is back.
import { homedir } from "node:os";
import { type ClientId, isId } from "@holdfast/ahp";
import {
  type Dialect,
  entrySeqBefore,
  holdfast,
  negotiate,
  type Negotiation,
  wireSeqAfter,
} from "@holdfast/ahp/dialects";
import { RpcError } from "@holdfast/jsonrpc";
import type { Channels, Found } from "./channels.ts";
import type { ClientInfo, LeftBehind } from "./client-record.ts";
import { COMPLETION_TRIGGERS } from "./completions.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import { folderUri } from "./handlers.ts";
import type { ReadChannel } from "./review.ts";
import { invalidParams } from "./rpc-error.ts";
import { METRICS_URI, hasTelemetry, isTelemetry } from "./telemetry.ts";

const maxInfoLength = 100;
const maxClientIdLength = 200;

export interface Introduction {
  readonly clientId: ClientId;
  readonly info: ClientInfo;
  readonly negotiation: Extract<Negotiation, { ok: true }>;
  readonly initialSubscriptions: readonly string[];
}

/** Reads `initialize`; throws the error to answer with, which for an unknown version names the known ones (E70). */
export function readIntroduction(params: unknown): Introduction {
  const { clientId, clientInfo, initialSubscriptions, ...offer } = fieldsOf(params);
  const negotiation = negotiate(offer);
  if (!negotiation.ok) throw new RpcError(negotiation.code, negotiation.message, negotiation.data);
  if (!isId("client", clientId)) throw invalidParams("clientId: expected a name");
  checkLength(clientId);
  const isList = Array.isArray(initialSubscriptions);
  const uris: readonly unknown[] = isList ? initialSubscriptions : [];
  return {
    clientId,
    info: readInfo(clientInfo),
    negotiation,
    initialSubscriptions: uris.filter((uri): uri is string => typeof uri === "string"),
  };
}

/** Follows what a client wants from the start, and answers with the states; what is not there has none. */
export function greet(
  subscriptions: ClientSubscriptions,
  { negotiation: { protocolVersion, _meta } }: Introduction,
  found: readonly (Found | undefined)[],
  {
    channels,
    reviews,
    version,
  }: { readonly channels: Channels; readonly reviews: ReadReviews; readonly version: string },
): object {
  const snapshots = found.flatMap((each) => (each && subscriptions.subscribe(each)) ?? []);
  for (const review of reviews.values()) snapshots.push(review.follow(subscriptions));
  return {
    protocolVersion,
    serverSeq: wireSeqAfter(subscriptions.dialect, channels.hub.lastSeq),
    snapshots,
    serverInfo: { name: "holdfast", version },
    defaultDirectory: folderUri(homedir()),
    completionTriggerCharacters: COMPLETION_TRIGGERS,
    ...(hasTelemetry(subscriptions) && { telemetry: { metrics: METRICS_URI } }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** The channels of a review that a client wants, by their URIs. */
type ReadReviews = ReadonlyMap<string, ReadChannel>;

export interface Return {
  readonly clientId: string;
  readonly lastSeenServerSeq: number;
  readonly subscriptions: readonly string[];
  /** The last number of each channel, for clients that know it. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Reads `reconnect`, which has the same form in all dialects. */
export function readReturn(params: unknown): Return {
  const read = holdfast.readRequest("reconnect", params);
  if (!read.ok) throw invalidParams(read.problem);
  checkLength(read.value.clientId);
  const meta = fieldsOf(fieldsOf(params)["_meta"])["holdfast"];
  const seen = Object.entries(fieldsOf(fieldsOf(meta)["seen"])).filter(
    (pair): pair is [string, number] => typeof pair[1] === "number",
  );
  return { ...read.value, seen: new Map(seen) };
}

/**
 * Resumes where a client stopped: with all that it missed, or, where that is no longer known, with states (E73).
 * A terminal alone never costs the rest: it is caught up afterwards. The channels of a review have no log (E784).
 */
export function resume(
  subscriptions: ClientSubscriptions,
  channels: Channels,
  { lastSeenServerSeq: lastSeen, subscriptions: wanted, seen }: Return,
  { found, reviews }: { readonly found: readonly (Found | undefined)[]; readonly reviews: ReadReviews },
  left: LeftBehind | undefined,
): object {
  const { dialect, delivery } = subscriptions;
  const there = found.filter((each) => each !== undefined);
  const seenOf = (uri: string): number => seen.get(uri) ?? lastSeen;
  const isKnown =
    left !== undefined && reviews.size === 0 && lastSeen <= wireSeqAfter(dialect, channels.hub.lastSeq);
  const isResumed =
    isKnown &&
    there.every((each) =>
      subscriptions.resume(each, (uri) => ({
        afterSeq: entrySeqBefore(dialect, seenOf(uri)),
        hasHole: seenOf(uri) < (left.wholeSince.get(uri) ?? Number.POSITIVE_INFINITY),
      })),
    );
  const messages = isResumed
    ? delivery.collect(({ uri }, { params }) => params.serverSeq > seenOf(uri))
    : undefined;
  if (messages !== undefined) {
    const missing = wanted.filter(
      (uri, index) => found[index] === undefined && !isTelemetry(uri, subscriptions),
    );
    return { type: "replay", actions: messages.map(({ params }) => params), missing };
  }
  subscriptions.unsubscribeAll();
  const snapshots = there.flatMap((each) => subscriptions.subscribe(each) ?? []);
  for (const review of reviews.values()) snapshots.push(review.follow(subscriptions));
  return { type: "snapshot", snapshots };
}

/** The channels that a client names, in their order. */
export function findAll(
  channels: Channels,
  dialect: Dialect,
  uris: readonly string[],
): Promise<(Found | undefined)[]> {
  return Promise.all(uris.map((uri) => channels.find(dialect, uri)));
}

/** The client's name for itself; people see it, so it is kept short. */
function readInfo(value: unknown): ClientInfo {
  const { name, title, version } = fieldsOf(value);
  const read = (text: unknown): string | undefined =>
    typeof text === "string" ? copyStart(text) : undefined;
  return { name: read(name), title: read(title), version: read(version) };
}

/** Ids are remembered after their clients are gone. */
function checkLength(clientId: string): void {
  if (clientId.length <= maxClientIdLength) return;
  throw invalidParams(
    `clientId has ${clientId.length} characters; use at most ${maxClientIdLength}, such as a UUID`,
  );
}

/** A plain slice of a long string would keep all of it in memory. */
function copyStart(text: string): string {
  return Buffer.from(text.slice(0, maxInfoLength), "utf16le").toString("utf16le");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
