// Checks that a request means this host and comes from no foreign page: a browser can be made to send anything else.
import { HostError } from "@holdfast/protocol";
import { isLoopback } from "./loopback.ts";

/** The parts of a request's headers that say where it wants to go and where it comes from. */
export interface AddressHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
}

interface Authority {
  readonly hostname: string;
  readonly port: string;
}

/**
 * Throws unless `Host` is a loopback name or address, whatever its port, since ports are forwarded;
 * and unless `Origin`, where a browser sends one, is the same place (A11, A12).
 */
export function checkAddress({ host, origin }: AddressHeaders): void {
  const target = host === undefined ? undefined : readAuthority(`http://${host}`);
  if (target === undefined || !isLoopback(target.hostname)) throw new HostError("HOST_NOT_ALLOWED");
  if (origin === undefined) return;
  const source = readAuthority(origin);
  // Cookies do not know ports, so a page of another local server is as foreign as any other.
  const isOwn = source !== undefined && isLoopback(source.hostname) && source.port === target.port;
  if (!isOwn) throw new HostError("ORIGIN_NOT_ALLOWED");
}

function readAuthority(text: string): Authority | undefined {
  // `Origin: null`, names with blanks and the like are no addresses at all.
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const isBare = username === "" && password === "" && pathname === "/" && search === "" && hash === "";
  return protocol === "http:" && isBare ? { hostname, port } : undefined;
}
