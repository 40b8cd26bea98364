// Watches of files as channels: each lives as long as somebody subscribes to it.
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { AhpRequests, WireSnapshot } from "@holdfast/ahp/dialects";
import { wireSeq, wireSeqAfter } from "@holdfast/ahp/dialects";
import { FolderWatch, type PathChange } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";

const prefix = "ahp-resource-watch:/";
const maxPerClient = 64;
const maxWatches = 512;
/** How long a watch waits for its first subscriber. */
const unclaimedMs = 30_000;

type WatchRequest = AhpRequests["createResourceWatch"];

interface ResourceWatch {
  readonly channel: string;
  readonly request: WatchRequest;
  readonly creator: string;
  readonly subscribers: Set<ClientSubscriptions>;
  watch: FolderWatch | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** The watches of one server. `close` ends them. */
export class ResourceWatches {
  readonly #port: AhpPort;
  readonly #watches = new Map<string, ResourceWatch>();

  constructor(port: AhpPort) {
    this.#port = port;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Watches what the client may read; the channel is what it subscribes to next. */
  async create(request: WatchRequest, { record }: ClientSubscriptions): Promise<{ channel: string }> {
    this.#requireRoom(record.clientId);
    const { realPath } = await this.#port.files.access.require("read", request.uri, record);
    const watch: ResourceWatch = {
      channel: prefix + randomUUID(),
      request,
      creator: record.clientId,
      subscribers: new Set(),
      watch: undefined,
      timer: undefined,
    };
    this.#watches.set(watch.channel, watch);
    const { recursive: isRecursive = false, includes, excludes } = request;
    const options = { isRecursive, includes: includes?.items, excludes: excludes?.items };
    try {
      watch.watch = await FolderWatch.open(realPath, options, (changes) => this.#publish(watch, changes));
    } catch (error) {
      this.#watches.delete(watch.channel);
      throw error;
    }
    watch.timer = setTimeout(() => this.#releaseUnused(watch), unclaimedMs).unref();
    return { channel: watch.channel };
  }

  /** The state of a watch, for a client that follows it from now on; undefined when it is none of these channels. */
  subscribe(channel: string, subscriptions: ClientSubscriptions): WireSnapshot | undefined {
    const watch = this.#watches.get(channel);
    if (watch === undefined) return undefined;
    clearTimeout(watch.timer);
    watch.subscribers.add(subscriptions);
    const { uri: root, recursive = false, includes, excludes } = watch.request;
    return {
      resource: channel,
      state: { root, recursive, ...(includes && { includes }), ...(excludes && { excludes }) },
      fromSeq: wireSeqAfter(subscriptions.dialect, this.#port.hub.lastSeq),
    };
  }

  unsubscribe(channel: string, subscriptions: ClientSubscriptions): void {
    const watch = this.#watches.get(channel);
    if (watch?.subscribers.delete(subscriptions) === true) this.#releaseUnused(watch);
  }

  /** A connection is over: what only it subscribed to is released. */
  leave(subscriptions: ClientSubscriptions): void {
    for (const { channel } of this.#watches.values()) this.unsubscribe(channel, subscriptions);
  }

  close(): void {
    for (const watch of this.#watches.values()) this.#release(watch);
  }

  #requireRoom(clientId: string): void {
    const own = [...this.#watches.values()].filter(({ creator }) => creator === clientId).length;
    if (own < maxPerClient && this.#watches.size < maxWatches) return;
    throw new HostError(
      "RATE_LIMITED",
      `A client may have ${maxPerClient} watches, and all together ${maxWatches}. Unsubscribe from one first.`,
    );
  }

  #releaseUnused(watch: ResourceWatch): void {
    if (watch.subscribers.size === 0) this.#release(watch);
  }

  #release(watch: ResourceWatch): void {
    clearTimeout(watch.timer);
    watch.watch?.close();
    this.#watches.delete(watch.channel);
  }

  #publish({ channel, subscribers }: ResourceWatch, changes: readonly PathChange[]): void {
    if (subscribers.size === 0) return;
    const items = changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    const action = { type: "resourceWatch/changed", changes: { items } };
    const seq = this.#port.hub.takeSeq();
    for (const subscriptions of subscribers) {
      const serverSeq = wireSeq(subscriptions.dialect, seq, 0);
      subscriptions.send({ method: "action", params: { channel, action, serverSeq } });
    }
  }
}
