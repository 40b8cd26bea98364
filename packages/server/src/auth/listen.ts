// Where the host may listen, and under which names it is then known.
import { HostError } from "@holdfast/protocol";
import { isLoopback, stripBrackets } from "./loopback.ts";

/** Where to listen. */
export interface ListenOptions {
  /** A name or address; that of a loopback unless `allowRemote` is said. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Whether other machines may reach the host. */
  readonly allowRemote?: boolean | undefined;
  /** Names under which others reach the host, beside its address. */
  readonly allowedHosts?: readonly string[] | undefined;
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
    `Holdfast listens on this machine only, not on ${host}. Use 127.0.0.1, ::1 or localhost; or set listen.allowRemote to true, and everybody who can reach it needs the token or a key.`,
  );
}
