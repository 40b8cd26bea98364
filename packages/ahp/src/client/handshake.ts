// The first words on each connection: who we are, or that we are back.
import { RpcError } from "@holdfast/jsonrpc";
import { errorNumbers } from "../dialects/error-numbers.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "../dialects/holdfast.ts";
import { ROOT_URI } from "../model/uri.ts";
import { MODEL_VERSION } from "../model/channel.ts";
import { ClientError } from "./client-error.ts";
import type { Link } from "./link.ts";
import type { ClientInfo, InitializeResult } from "./methods.ts";

interface Greeting {
  readonly clientId: string;
  readonly clientInfo?: ClientInfo | undefined;
  /** Whether this client has talked to this host before. */
  readonly hasConnected: boolean;
  readonly lastSeenSeq: number;
  /** The channels it follows, with the last number that it has seen of each. */
  readonly seen: ReadonlyMap<string, number>;
}

export interface HandshakeOutcome {
  /** The host's description of itself; absent when the client resumed. */
  readonly host?: InitializeResult;
  /** Whether the host still knows what this client did. */
  readonly isRemembered: boolean;
  readonly snapshots: readonly HoldfastSnapshot[];
  readonly actions: readonly HoldfastEnvelope[];
  /** Channels that were followed and are no more. */
  readonly gone: readonly string[];
}

/** Reconnects where the host remembers the client, otherwise initializes (E43). */
export async function shakeHands(link: Link, greeting: Greeting): Promise<HandshakeOutcome> {
  if (greeting.hasConnected) {
    try {
      return await reconnect(link, greeting);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // The host does not know the client any more, such as after a restart.
    }
  }
  return initialize(link, greeting);
}

async function reconnect(link: Link, { clientId, lastSeenSeq, seen }: Greeting): Promise<HandshakeOutcome> {
  const subscriptions = [...seen.keys()];
  const result = await link.request("reconnect", {
    channel: ROOT_URI,
    clientId,
    lastSeenServerSeq: lastSeenSeq,
    subscriptions,
    // The numbers of one host are in order on each channel, not across all: each channel has a position.
    _meta: { holdfast: { seen: Object.fromEntries(seen) } },
  });
  if (result.type === "replay") {
    return { isRemembered: true, snapshots: [], actions: result.actions, gone: result.missing };
  }
  const { snapshots } = result;
  return { isRemembered: true, snapshots, actions: [], gone: withoutSnapshot(subscriptions, snapshots) };
}

async function initialize(link: Link, { clientId, clientInfo, seen }: Greeting): Promise<HandshakeOutcome> {
  const initialSubscriptions = [...seen.keys()];
  const host = await link
    .request("initialize", {
      channel: ROOT_URI,
      protocolVersions: ["1.0.0"],
      clientId,
      clientInfo,
      initialSubscriptions,
      _meta: { holdfast: MODEL_VERSION },
    })
    .catch((error: unknown): never => {
      const isUnsupported =
        error instanceof RpcError && error.code === errorNumbers.unsupportedProtocolVersion;
      throw isUnsupported ? unsupported(error.message, error) : error;
    });
  if (host._meta?.["holdfast"] !== MODEL_VERSION) {
    throw unsupported(`The host does not speak version ${MODEL_VERSION} of the Holdfast model.`);
  }
  const { snapshots } = host;
  return {
    host,
    isRemembered: false,
    snapshots,
    actions: [],
    gone: withoutSnapshot(initialSubscriptions, snapshots),
  };
}

function withoutSnapshot(uris: readonly string[], snapshots: readonly HoldfastSnapshot[]): readonly string[] {
  const there = new Set(snapshots.map(({ resource }) => resource));
  return uris.filter((uri) => !there.has(uri));
}

function unsupported(message: string, cause?: unknown): ClientError {
  return new ClientError("unsupported", message, { cause });
}
