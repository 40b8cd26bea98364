// Who is at the other end of a connection, as far as the connection itself tells.
import { hostnameOf } from "./address.ts";
import { isLoopback, plainAddress } from "./loopback.ts";

/** The other end of a connection. */
export interface Peer {
  /** Undefined when the connection is gone, or is none. */
  readonly address: string | undefined;
  /** Whether the request was made on this machine, and did not come through a proxy on it. */
  readonly isLocal: boolean;
}

/** What proxies add to a request. One that adds nothing cannot be told from a client on this machine. */
export const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const;

/** What a request says of the way it came. */
export interface PeerHeaders {
  readonly host: string | undefined;
  /** One of the headers that proxies add; undefined when none did. */
  readonly forwarded: string | undefined;
}

/** Reads who asks from a socket's remote address and the request's headers. */
export function readPeer(remoteAddress: string | undefined, { host, forwarded }: PeerHeaders): Peer {
  const address = remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
  const isLocal =
    address !== undefined &&
    isLoopback(address) &&
    forwarded === undefined &&
    isLoopback(hostnameOf(host) ?? "");
  return { address, isLocal };
}
