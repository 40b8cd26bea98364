// Admission of requests: the addressed host, the credentials, and the few requests that anybody may make.
import type { Audit } from "@holdfast/core";
import { HostError } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { Access } from "../auth/access.ts";
import { checkHost, type Peer, plainAddress, PROXY_HEADERS, readPeer } from "../auth/address.ts";
import { sentKeys } from "../auth/authenticator.ts";
import type { Identity } from "../auth/identity.ts";
import { PAGE_MARK } from "../page/page-cookie.ts";
import { mountPage } from "../page/page-routes.ts";
import { mountAppRegistration } from "./app-registration.ts";
import { mountHealth, type Readiness } from "./host.ts";
import { bindingsOf, type ServerEnv } from "./operation-routes.ts";
import { admitOrigins } from "./origins.ts";

export interface AdmissionOptions {
  readonly access: Access;
  /** Records sign-ins. */
  readonly audit: Pick<Audit, "record">;
  /** Names beside loopback under which the host is known; absent: none, and no address of the machine either. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Origins whose pages count as the host's own. */
  readonly origins?: ReadonlySet<string> | undefined;
  /** Whether the host rejects new work. */
  readonly isStopping: () => boolean;
  /** Whether the host can take work; it can if left out. */
  readonly isReady?: (() => Readiness) | undefined;
  /** The folder of the built page; absent: there is none. */
  readonly webRoot?: string | undefined;
  /** Mounts routes that check a credential of another kind. */
  readonly mountFirst?: ((app: Hono<ServerEnv>, peerOf: PeerOf) => void) | undefined;
}

/** The other end of a request's connection. */
export type PeerOf = (c: Context<ServerEnv>) => Peer;

/** Admits callers that address this host and authenticate; health is open to anybody (A10–A12, A62). */
export function admit(app: Hono<ServerEnv>, options: AdmissionOptions): void {
  const { access, audit, names, origins, isStopping, isReady, webRoot } = options;
  app.use(async (c, next) => {
    const { localAddress } = bindingsOf(c).incoming?.socket ?? {};
    // Of all names only a numeric address cannot be made to lead here by somebody else.
    const own = localAddress === undefined ? undefined : plainAddress(localAddress);
    checkHost(c.req.header("host"), (name) => names !== undefined && (names.has(name) || name === own));
    if (isStopping()) throw new HostError("HOST_STOPPING");
    await next();
  });
  admitOrigins(app, (c) => identifyByKey(c, access), origins);
  mountHealth(app, isReady);
  options.mountFirst?.(app, peerOf);
  mountAppRegistration(app, access, (c) => peerOf(c).isLocal);
  if (webRoot !== undefined) mountPage(app, { webRoot, access, audit, peerOf });
  app.get("/sdk/auth/token", (c) => {
    c.set("operation", "authToken");
    return answerTokenRequest(c, access);
  });
  app.use(async (c, next) => {
    const known: Identity | undefined = c.get("identity");
    const identity = known ?? identify(c, access);
    await serveWhileAllowed(c, next, identity, options);
  });
}

/** The owner of the key in the request; undefined when there is no key, and no app id or cookie counts (A12). */
function identifyByKey(c: Context<ServerEnv>, { authenticator }: Access): Identity | undefined {
  const credentials = { ...keysOf(c), appId: undefined };
  return sentKeys(credentials).length === 0 ? undefined : authenticator.identify(credentials, peerOf(c));
}

function identify(c: Context<ServerEnv>, { authenticator }: Access): Identity {
  const headers = {
    ...keysOf(c),
    appId: c.req.header("x-app-id"),
    page: {
      cookie: c.req.header("cookie"),
      host: c.req.header("host"),
      origin: c.req.header("origin"),
      mark: c.req.header(PAGE_MARK),
    },
  };
  return authenticator.identify(headers, peerOf(c));
}

function keysOf(c: Context<ServerEnv>): { apiKey: string | undefined; authorization: string | undefined } {
  return { apiKey: c.req.header("x-api-key"), authorization: c.req.header("authorization") };
}

function peerOf(c: Context<ServerEnv>): Peer {
  const forwarded = PROXY_HEADERS.map((name) => c.req.header(name)).find((value) => value !== undefined);
  return readPeer(bindingsOf(c).incoming?.socket.remoteAddress, { host: c.req.header("host"), forwarded });
}

/**
 * Clients ask for a token of their user before their first call. The host has none to lend, and gives out no secret:
 * a caller with a credential learns that and continues with the credential; for others nothing is here (A68).
 */
function answerTokenRequest(c: Context<ServerEnv>, access: Access): Response {
  try {
    identify(c, access);
  } catch (error) {
    if (error instanceof HostError && error.status === 401) throw new HostError("NOT_FOUND");
    throw error;
  }
  return Response.json({ success: true, token: "", hasToken: false, syncedAt: null, source: null });
}

/** Disconnects callers that lose their right while they are checked, ask, wait or read (A61). */
async function serveWhileAllowed(
  c: Context<ServerEnv>,
  next: () => Promise<void>,
  identity: Identity,
  { access: { peerCheck, revocations }, isStopping }: AdmissionOptions,
): Promise<void> {
  const { incoming, outgoing } = bindingsOf(c);
  const revocation = new AbortController();
  const forget = revocations.watch(identity.clientId, () => {
    revocation.abort();
    // Deferred, so that a caller that revokes its own right still gets the response.
    setImmediate(() => {
      if (outgoing?.writableEnded === false) outgoing.destroy();
    });
  });
  try {
    await peerCheck.require(identity, incoming?.socket);
    if (revocation.signal.aborted) throw new HostError("UNAUTHORIZED");
    if (isStopping()) throw new HostError("HOST_STOPPING");
    c.set("identity", identity);
    c.set("caller", identity.caller);
    await next();
  } finally {
    // A stream has begun by now and writes to its socket directly; any other response is sent after this.
    const isStreaming = outgoing !== undefined && outgoing.headersSent && !outgoing.destroyed;
    if (isStreaming) outgoing.once("close", forget);
    else forget();
  }
}
