// The check of the process at the other end of a local connection: agents do not act as the owner, app ids are the owner's user's.
import type { Socket } from "node:net";
import { type Audit, type MarkerOwner, rightsEntry } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import { isLoopback, plainAddress } from "./address.ts";
import type { Identity } from "./identity.ts";

/** A connection as the host sees it. */
interface SocketEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

interface PeerSocket {
  readonly uid: number;
  readonly inode: string;
}

interface PeerProcess {
  readonly pid: number;
  readonly command: string;
  /** Markers of the process, its ancestors and its cgroup. */
  readonly markers: readonly string[];
  /** Whether it lives in a cgroup or a sandbox of this host. */
  readonly isOfHelper: boolean;
}

/** Finds the other end of a connection on this machine; undefined where that cannot be determined. */
export interface PeerFinder {
  findSocket(ends: SocketEnds): Promise<PeerSocket | undefined>;
  findProcess(socket: PeerSocket): Promise<PeerProcess | undefined>;
}

export interface PeerCheckParts {
  /** Absent: nothing can be determined. */
  readonly finder?: PeerFinder | undefined;
  /** Whom the processes with a marker belong to; undefined for a marker that this host did not make. */
  readonly ownerOfMarker?: ((marker: string) => MarkerOwner | undefined) | undefined;
  /** Ids of agents that may act as the owner. */
  readonly trustedAgents?: readonly string[] | undefined;
  /** Whether app ids are accepted from other users, and where the user cannot be determined. */
  readonly acceptsAnyUser?: boolean | undefined;
  readonly audit: Pick<Audit, "record">;
  /** The user that the host runs as; undefined where the system has no such number. */
  readonly uid?: number | undefined;
}

/** Checks each connection once: what was found holds for as long as it is open. */
export class PeerCheck {
  readonly #parts: PeerCheckParts;
  readonly #sockets = new WeakMap<Socket, Promise<PeerSocket | undefined>>();
  readonly #refusals = new WeakMap<Socket, Promise<HostError | undefined>>();

  constructor(parts: PeerCheckParts) {
    this.#parts = parts;
  }

  /** Throws when a caller may not come from this process, although its credential is right (A625–A628). */
  async require(identity: Identity, socket: Socket | undefined): Promise<void> {
    if (identity.kind === "app-id") await this.#requireOwnUser(socket);
    else if (identity.caller.kind === "owner") await this.requireNoAgent(socket);
  }

  /** Throws when an agent of this host, or what it started, is at the other end. */
  async requireNoAgent(socket: Socket | undefined): Promise<void> {
    if (socket === undefined || !isOfThisMachine(socket)) return;
    const known = this.#refusals.get(socket);
    const refusal = known ?? this.#refuseAgent(socket);
    if (known === undefined) this.#refusals.set(socket, refusal);
    const error = await refusal;
    if (error !== undefined) throw error;
  }

  async #requireOwnUser(socket: Socket | undefined): Promise<void> {
    const { acceptsAnyUser = false, uid } = this.#parts;
    if (acceptsAnyUser) return;
    const found = socket && (await this.#find(socket));
    if (found !== undefined && found.uid === uid) return;
    throw new HostError(
      "APP_ID_NOT_ALLOWED",
      found === undefined
        ? "The host cannot determine which user runs this program, so it accepts no app id from it. Use a key, made with `holdfast keys create`, or set apps.anyUser in the configuration."
        : "App ids are accepted only from programs of the user who runs the host. Use a key, made with `holdfast keys create`.",
    );
  }

  #find(socket: Socket): Promise<PeerSocket | undefined> {
    const known = this.#sockets.get(socket);
    if (known !== undefined) return known;
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (localAddress === undefined || localPort === undefined) return Promise.resolve(undefined);
    if (remoteAddress === undefined || remotePort === undefined) return Promise.resolve(undefined);
    const ends = { localAddress, localPort, remoteAddress, remotePort };
    const finding = this.#parts.finder?.findSocket(ends) ?? Promise.resolve(undefined);
    this.#sockets.set(socket, finding);
    return finding;
  }

  /** Undetermined is allowed: the check adds to the credential, which was right. */
  async #refuseAgent(socket: Socket): Promise<HostError | undefined> {
    const found = await this.#find(socket);
    const peer = found && (await this.#parts.finder?.findProcess(found));
    const agent = peer && this.#agentOf(peer);
    if (peer === undefined || agent === undefined) return undefined;
    const subject = agent.agentId ?? "an agent";
    const used = `owner's credential from process ${peer.pid}: ${peer.command}`;
    this.#parts.audit.record(
      rightsEntry({ what: "refusal", subject: used, by: `agent ${subject}`, isRefused: true }),
    );
    return new HostError(
      "CALLER_IS_AGENT",
      `This request comes from a process of ${agent.agentId === undefined ? subject : `the agent ${subject}`}, which may not act as the host's owner. Use your own terminal, or allow the agent in security.agentsMayUseApi of the configuration.`,
    );
  }

  /** The agent among the owners of a process; a forgotten one was an agent's, unless a person's terminal is above it. */
  #agentOf({ markers, isOfHelper }: PeerProcess): { readonly agentId: string | undefined } | undefined {
    const { ownerOfMarker, trustedAgents = [] } = this.#parts;
    const owners = markers.map((marker) => ownerOfMarker?.(marker));
    const agents = owners.filter((owner) => owner?.kind === "agent");
    const agent = agents.find(({ agentId }) => agentId === undefined || !trustedAgents.includes(agentId));
    if (agent !== undefined) return agent;
    if (agents.length > 0 || owners.some((owner) => owner?.kind === "person")) return undefined;
    const isForgotten = owners.some((owner) => owner?.kind === "forgotten");
    return isForgotten || isOfHelper ? { agentId: undefined } : undefined;
  }
}

/** Whether a program on this machine is at the other end, whatever headers say: one that uses the machine's address has the same on both ends. */
function isOfThisMachine({ remoteAddress, localAddress }: Socket): boolean {
  if (remoteAddress === undefined) return false;
  return isLoopback(plainAddress(remoteAddress)) || remoteAddress === localAddress;
}
