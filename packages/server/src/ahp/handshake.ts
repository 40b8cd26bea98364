// The handshakes of a client: `initialize` says who it is, `reconnect` that it is back.
import { homedir } from "node:os";
import { type ClientId, isId, ROOT_URI } from "@holdfast/ahp";
import {
  type Dialect,
  entrySeqBefore,
  holdfast,
  negotiate,
  type Negotiation,
  wireSeqAfter,
} from "@holdfast/ahp/dialects";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { ChannelViews } from "./channel-view.ts";
import type { Channels, Found } from "./channels.ts";
import { type ClientInfo, ClientRecord, type ClientRecords, type LeftBehind } from "./client-record.ts";
import { COMPLETION_TRIGGERS } from "./completions.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";
import { folderUri } from "./handlers.ts";
import type { ReadChannel, Reviews } from "./review.ts";
import { invalidParams, wrongParams } from "./rpc-error.ts";
import { METRICS_URI, type Telemetry, hasTelemetry, isTelemetry } from "./telemetry.ts";

const maxInfoLength = 100;
const maxClientIdLength = 200;

/** Parts of the server that a handshake needs. */
export interface HandshakeDeps {
  readonly port: AhpPort;
  readonly channels: Channels;
  readonly views: ChannelViews;
  readonly records: ClientRecords;
  readonly reviews: Reviews;
  readonly telemetry: Telemetry;
  readonly version: string;
  readonly report: (error: unknown) => string;
}

/** A handshake: reads the request and gives the response. `open` makes the connection the client's; it throws when the connection is over. */
export type Handshake = (
  deps: HandshakeDeps,
  principal: string,
  params: unknown,
  open: (record: ClientRecord, how: "begin" | "resume") => ClientSubscriptions,
) => Promise<object>;

export const initialize: Handshake = async (deps, principal, params, open) => {
  const { channels, records, version, telemetry, port } = deps;
  const introduction = readIntroduction(params);
  const { clientId, info, negotiation, initialSubscriptions } = introduction;
  if (!records.isFree(clientId, principal)) {
    const { permissionDenied } = negotiation.dialect.errorNumbers;
    throw new RpcError(permissionDenied, "This clientId was first used with another credential.");
  }
  const [found] = await Promise.all([
    findAll(channels, negotiation.dialect, initialSubscriptions),
    publishAgents(deps),
  ]);
  const record = new ClientRecord(clientId, principal, negotiation.dialect, info);
  const reviews = await readReviews(deps, record, initialSubscriptions, found);
  const subscriptions = open(record, "begin");
  for (const uri of initialSubscriptions) telemetry.subscribe(uri, subscriptions);
  return greet(subscriptions, introduction, found, {
    channels,
    reviews,
    version,
    keysInput: port.keysInput(),
  });
};

export const reconnect: Handshake = async (deps, principal, params, open) => {
  const { channels, records, port, views, telemetry } = deps;
  const back = readReturn(params);
  const record = records.find(back.clientId, principal);
  if (record === undefined) throw new HostError("CLIENT_NOT_FOUND");
  const found = await findAll(channels, record.dialect, back.subscriptions);
  const reviews = await readReviews(deps, record, back.subscriptions, found);
  const subscriptions = open(record, "resume");
  const { left } = record;
  record.left = undefined;
  for (const uri of back.subscriptions) telemetry.subscribe(uri, subscriptions);
  const answer = resume(subscriptions, channels, back, { found, reviews }, left);
  for (const view of left?.views ?? []) views.giveBack(view);
  port.sessions.removeClient(record.clientId, new Set(found.map((each) => each?.uri ?? "")));
  return answer;
};

/** Somebody may have installed an agent meanwhile. Only a client that would find none waits for the look (E321). */
async function publishAgents({ port, report }: HandshakeDeps): Promise<void> {
  const published = port.publishAgents().catch((error: unknown) => void report(error));
  if (port.hub.state(ROOT_URI, "root")?.agents.length === 0) await published;
}

function readReviews(
  { reviews }: HandshakeDeps,
  { dialect, submitter }: ClientRecord,
  uris: readonly string[],
  found: readonly (Found | undefined)[],
): Promise<ReadReviews> {
  const others = uris.filter((_uri, index) => found[index] === undefined);
  return reviews.readAll(others, { dialect, submitter });
}

interface Introduction {
  readonly clientId: ClientId;
  readonly info: ClientInfo;
  readonly negotiation: Extract<Negotiation, { ok: true }>;
  readonly initialSubscriptions: readonly string[];
}

/** Reads `initialize`; throws the error to answer with, which for an unknown version names the known ones (E70). */
function readIntroduction(params: unknown): Introduction {
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
function greet(
  subscriptions: ClientSubscriptions,
  { negotiation: { protocolVersion, _meta } }: Introduction,
  found: readonly (Found | undefined)[],
  {
    channels,
    reviews,
    version,
    keysInput,
  }: {
    readonly channels: Channels;
    readonly reviews: ReadReviews;
    readonly version: string;
    readonly keysInput: boolean;
  },
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
    ...(_meta !== undefined && { _meta: { ..._meta, keysInput } }),
  };
}

/** The channels of a review that a client wants, by their URIs. */
type ReadReviews = ReadonlyMap<string, ReadChannel>;

interface Return {
  readonly clientId: string;
  readonly lastSeenServerSeq: number;
  readonly subscriptions: readonly string[];
  /** The last number of each channel, for clients that know it. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Reads `reconnect`, which has the same form in all dialects. */
function readReturn(params: unknown): Return {
  const read = holdfast.readRequest("reconnect", params);
  if (!read.ok) throw wrongParams(params, read.problem);
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
function resume(
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
function findAll(
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
