// Composition of everything that decides on admission.
import type { Audit, Log, MarkerOwner, Meta } from "@holdfast/core";
import { AppStore } from "./app-store.ts";
import { Authenticator, OwnerToken } from "./authenticator.ts";
import { FailureLimit } from "./failure-limit.ts";
import { KeyStore } from "./key-store.ts";
import { PeerCheck, type PeerFinder } from "./peer-check.ts";
import { Revocations } from "./revocations.ts";
import { SignIns } from "./sign-ins.ts";
import { TICKET_LIFETIMES_MS, Tickets } from "./tickets.ts";

export interface AccessOptions {
  readonly token: string;
  readonly log: Log;
  /** Where keys and apps are kept. */
  readonly meta: Meta;
  /** Whether a granted app on this machine may connect with its id alone. */
  readonly acceptsAppIds?: boolean | undefined;
  /** Whether app ids are accepted from other users, and where the user cannot be determined. */
  readonly acceptsAnyUser?: boolean | undefined;
  /** Finds the process at the other end of a connection. */
  readonly peers?: PeerFinder | undefined;
  readonly ownerOfMarker?: ((marker: string) => MarkerOwner | undefined) | undefined;
  /** Ids of agents that may act as the owner. */
  readonly trustedAgents?: readonly string[] | undefined;
  readonly audit?: Pick<Audit, "record"> | undefined;
  readonly now?: (() => Date) | undefined;
}

export interface Access {
  readonly keys: KeyStore;
  readonly apps: AppStore;
  readonly acceptsAppIds: boolean;
  readonly authenticator: Authenticator;
  readonly peerCheck: PeerCheck;
  readonly revocations: Revocations;
  readonly tickets: Tickets;
  /** Browsers that are signed in to the page. */
  readonly signIns: SignIns;
  /** Tickets that sign one browser in. */
  readonly signInTickets: Tickets;
}

/** Reads the keys and apps that are kept. */
export function openAccess(options: AccessOptions): Access {
  const { log, meta, acceptsAppIds = false, now = () => new Date() } = options;
  const keys = new KeyStore({ meta, log, now });
  const apps = new AppStore({ meta, log, now });
  const revocations = new Revocations();
  const end = (clientId: string): void => revocations.revoke(clientId);
  const signIns = new SignIns({ meta, log, now, token: options.token, end });
  const authenticator = new Authenticator({
    token: new OwnerToken(options.token),
    keys,
    apps: acceptsAppIds ? apps : undefined,
    failures: new FailureLimit(),
    signIns,
  });
  const peerCheck = new PeerCheck({
    finder: options.peers,
    ownerOfMarker: options.ownerOfMarker,
    trustedAgents: options.trustedAgents,
    acceptsAnyUser: options.acceptsAnyUser,
    audit: options.audit ?? { record: () => undefined },
    uid: process.getuid?.(),
  });
  return {
    keys,
    apps,
    acceptsAppIds,
    authenticator,
    peerCheck,
    revocations,
    tickets: new Tickets(revocations, now),
    signIns,
    signInTickets: new Tickets(revocations, now, TICKET_LIFETIMES_MS.signIn),
  };
}
