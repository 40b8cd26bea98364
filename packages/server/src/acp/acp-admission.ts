// Admission to both transports of ACP: the address, the limits, and the identity of a client.
import { HostError } from "@holdfast/protocol";
import type { Identity } from "../auth/identity.ts";
import { requireRoom } from "../socket/client-sockets.ts";
import type { AcpClient, AcpDeps } from "./acp-connection.ts";

/** The address of ACP, for WebSockets and for HTTP. */
export const ACP_PATH = "/acp";

/** Lets clients in while there is room, and only to a host that has channels. */
export class AcpAdmission {
  readonly #makeDeps: () => AcpDeps | undefined;
  readonly #count: () => number;
  #made: AcpDeps | undefined;

  constructor(makeDeps: () => AcpDeps | undefined, count: () => number) {
    this.#makeDeps = makeDeps;
    this.#count = count;
  }

  /** Made for the first client: a host that nobody visits pays nothing. */
  deps(): AcpDeps {
    this.#made ??= this.#makeDeps();
    if (this.#made === undefined) throw new HostError("NOT_FOUND");
    return this.#made;
  }

  requireRoom(): void {
    requireRoom(this.#count());
  }
}

/** A client by its credential; the address may name the agent of new sessions, the session to join, and what the editor lends. */
export function acpClient(
  { caller, scopes }: Pick<Identity, "caller" | "scopes">,
  query: URLSearchParams,
): AcpClient {
  const agent = query.get("agent") ?? undefined;
  const session = query.get("session") ?? undefined;
  const lends = {
    files: query.get("clientFs") === "true",
    terminals: query.get("clientTerminal") === "true",
  };
  return { caller, followsTerminals: scopes.includes("terminal"), agent, session, lends };
}
