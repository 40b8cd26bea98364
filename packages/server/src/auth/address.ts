// Checks that a request means this host and comes from no foreign page: a browser can be made to send anything else.
import { HostError } from "@holdfast/protocol";
import { isLoopback, stripBrackets } from "./loopback.ts";

/** The parts of a request's headers that say where it wants to go and where it comes from. */
export interface AddressHeaders {
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
 * forwarded; and unless `Origin`, where a browser sends one, is the same place (A11, A12, A77).
 */
export function checkAddress(
  { host, origin }: AddressHeaders,
  isOwnName: (hostname: string) => boolean = () => false,
): void {
  const target = readTarget(host);
  if (target === undefined || !(isLoopback(target.hostname) || isOwnName(target.hostname))) {
    throw new HostError("HOST_NOT_ALLOWED");
  }
  if (origin === undefined) return;
  const source = readAuthority(origin);
  if (source === undefined || !isSamePlace(source, target)) throw new HostError("ORIGIN_NOT_ALLOWED");
}

/** The host name or address that a `Host` header means, without brackets or a port; undefined when it means none. */
export function hostnameOf(host: string | undefined): string | undefined {
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
