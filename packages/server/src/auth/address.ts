// Addresses: loopback names, where the host may listen, the Host and Origin headers, and the peer of a connection.
import { isIPv4 } from "node:net";
import { HostError } from "@holdfast/protocol";

/** Whether a host name or address is this machine's own; brackets around an IPv6 address are allowed. */
export function isLoopback(host: string): boolean {
  const name = stripBrackets(host).toLowerCase();
  if (name === "localhost" || name === "::1") return true;
  return isIPv4(name) && name.startsWith("127.");
}

/** The address in a URL: IPv6 needs brackets there. */
export function formatAuthority(host: string, port: number): string {
  const name = stripBrackets(host);
  // Only an IPv6 address has a colon; asking Node compiles a long pattern, which would be felt at the start.
  return name.includes(":") ? `[${name}]:${port}` : `${name}:${port}`;
}

/** An address without the brackets that URLs put around IPv6. */
export function stripBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

/** A socket's address as people write it: one that listens on both families shows IPv4 in the clothes of IPv6. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1];
  return mapped !== undefined && isIPv4(mapped) ? mapped : address;
}

export interface ListenOptions {
  /** A name or address; that of a loopback unless `allowRemote` is said. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Whether other machines may reach the host. */
  readonly allowRemote?: boolean | undefined;
  /** Names under which others reach the host, beside its address. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages count as the host's own. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Addresses that stand for all of a machine's, with the one under which the machine itself then reaches the host. */
const wildcards = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
  ["", "localhost"],
]);

/** The host's own address, for URLs on this machine. */
export function reachableHost({ host }: ListenOptions): string {
  return wildcards.get(stripBrackets(host)) ?? host;
}

/**
 * The names beside loopback under which the host is known; undefined when only this machine can reach it.
 * Throws for an address that others can reach, unless that was asked for (A13, A77).
 */
export function ownNames({
  host,
  allowRemote,
  allowedHosts = [],
}: ListenOptions): ReadonlySet<string> | undefined {
  if (allowRemote === true) {
    const names = [host, ...allowedHosts].map((name) => stripBrackets(name).toLowerCase());
    return new Set(names.filter((name) => !wildcards.has(name)));
  }
  if (isLoopback(host)) return undefined;
  throw new HostError(
    "HOST_NOT_ALLOWED",
    `Holdfast listens on this machine only, not on ${host}. Use 127.0.0.1, ::1 or localhost, or set listen.allowRemote to true; anyone who can reach it then needs the token or a key.`,
  );
}

/** The parts of a request's headers that say where it wants to go and where it comes from. */
interface AddressHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

interface Authority {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: string;
}

/**
 * Throws unless `Host` is a loopback name or address, or one the host is known by, whatever its port, since ports are
 * forwarded. Also asked of requests with a token: a name that somebody else controls can be made to lead here (A11, A77).
 */
export function checkHost(
  host: string | undefined,
  isOwnName: (hostname: string) => boolean = () => false,
): void {
  const target = readTarget(host);
  if (target === undefined || !(isLoopback(target.hostname) || isOwnName(target.hostname))) {
    throw new HostError("HOST_NOT_ALLOWED");
  }
}

/** Whether a browser sent the request for a page that this host neither serves nor trusts (A12, A77, E772). */
export function isForeignOrigin(
  { host, origin }: AddressHeaders,
  allowedOrigins: ReadonlySet<string> = noOrigins,
): boolean {
  if (origin === undefined || allowedOrigins.has(origin)) return false;
  const target = readTarget(host);
  const source = readAuthority(origin);
  return target === undefined || source === undefined || !isSamePlace(source, target);
}

const noOrigins: ReadonlySet<string> = new Set();

/** The host name or address that a `Host` header means, without brackets or a port; undefined when it means none. */
function hostnameOf(host: string | undefined): string | undefined {
  return readTarget(host)?.hostname;
}

function readTarget(host: string | undefined): Authority | undefined {
  return host === undefined ? undefined : readAuthority(`http://${host}`);
}

function isSamePlace(source: Authority, target: Authority): boolean {
  // Cookies do not know ports, so a page of another local server is as foreign as any other.
  if (source.port !== target.port) return false;
  if (isLoopback(target.hostname)) return isLoopback(source.hostname) && !source.isSecure;
  // A proxy that speaks TLS in front of the host serves its pages from https.
  return source.hostname === target.hostname;
}

function readAuthority(text: string): Authority | undefined {
  // `Origin: null`, names with blanks and the like are no addresses at all.
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const isBare = username === "" && password === "" && pathname === "/" && search === "" && hash === "";
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && isBare
    ? { isSecure: protocol === "https:", hostname: stripBrackets(hostname), port }
    : undefined;
}

export interface Peer {
  /** Undefined when the connection is gone, or is none. */
  readonly address: string | undefined;
  /** Whether the request was made on this machine, and did not come through a proxy on it. */
  readonly isLocal: boolean;
}

/** Headers that proxies add. A request through a proxy that adds none looks like one from this machine. */
export const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
] as const;

interface PeerHeaders {
  readonly host: string | undefined;
  /** One of the headers that proxies add; undefined when none did. */
  readonly forwarded: string | undefined;
}

/** Reads the peer from a socket's remote address and the request's headers. */
export function readPeer(remoteAddress: string | undefined, { host, forwarded }: PeerHeaders): Peer {
  const address = remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
  const isLocal =
    address !== undefined &&
    isLoopback(address) &&
    forwarded === undefined &&
    isLoopback(hostnameOf(host) ?? "");
  return { address, isLocal };
}
