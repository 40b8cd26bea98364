// Addresses that webhooks of apps may reach: none of this machine, its networks, or its cloud's metadata (W620).
import { lookup as resolve, type LookupAddress } from "node:dns";
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { HostError } from "@holdfast/protocol";
import { stripBrackets } from "../auth/address.ts";

/** Whether an address may be connected to. */
export type IsAllowedAddress = (address: string) => boolean;

/** Unspecified, private, carrier-grade NAT, loopback, link-local, protocol assignments, benchmarks, multicast, reserved. */
const closedIPv4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4";
/**
 * Unspecified and loopback with the old compatible form, local NAT64, discard, Teredo and 6to4 (which lead to any IPv4
 * address), unique local, link-local, site-local, multicast.
 */
const closedIPv6 = "::/96 64:ff9b:1::/48 100::/64 2001::/32 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8";

const closed = new BlockList();
for (const [list, family] of [
  [closedIPv4, "ipv4"],
  [closedIPv6, "ipv6"],
] as const) {
  for (const range of list.split(" ")) {
    const [network = "", bits] = range.split("/");
    closed.addSubnet(network, Number(bits), family);
  }
}

/** Whether an address is one of the internet, and not this machine's own. */
export const isPublicAddress: IsAllowedAddress = (address) => {
  const plain = embeddedIPv4(address) ?? stripBrackets(address).split("%")[0] ?? "";
  const family = isIPv4(plain) ? "ipv4" : "ipv6";
  if (isIP(plain) === 0 || closed.check(plain, family)) return false;
  return !Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => own.address === plain),
  );
};

/** The IPv4 address inside a mapped one, or one of the well-known NAT64 prefix. */
function embeddedIPv4(address: string): string | undefined {
  const plain = stripBrackets(address);
  if (!isIPv6(plain)) return undefined;
  // The URL's own spelling is one of hexadecimal groups.
  const { hostname } = new URL(`http://[${plain.split("%")[0]}]`);
  const groups = /^\[(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (groups === null) return undefined;
  const words = groups.slice(1).map((group) => Number.parseInt(group, 16));
  return words.flatMap((word) => [word >> 8, word & 0xff]).join(".");
}

/** Throws when the address of a webhook names a place that its app may not reach; names are checked when they are resolved. */
export function checkReceiver(url: string, isAllowed: IsAllowedAddress): void {
  const host = stripBrackets(new URL(url).hostname).toLowerCase();
  const isLocalName = /^(?:.*\.)?localhost\.?$/.test(host);
  const isAddress = isIP(host) !== 0;
  if (isAddress ? isAllowed(host) : !isLocalName || isAllowed("127.0.0.1")) return;
  throw new HostError("WEBHOOK_ADDRESS_NOT_ALLOWED");
}

/** The failure of a connection to a place that the app may not reach. */
export class ClosedAddressError extends Error {
  override readonly name = "ClosedAddressError";
}

/** Resolves a name to those of its addresses that are allowed; what is given is what is connected to. */
export function guardedLookup(isAllowed: IsAllowedAddress, resolveName = resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found: LookupAddress[] | undefined) => {
      const allowed = (found ?? []).filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (error !== null) callback(error, []);
      else if (first === undefined) callback(new ClosedAddressError(), []);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
