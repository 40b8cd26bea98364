// Knows the names and addresses under which only this machine can reach the host.
import { isIPv4 } from "node:net";

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
