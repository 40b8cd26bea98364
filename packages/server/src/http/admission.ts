// Who may come in: the address that is meant, the credentials that are sent, and the few things anybody may ask.
import { HostError } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { Access } from "../auth/access.ts";
import { checkAddress } from "../auth/address.ts";
import type { Identity } from "../auth/identity.ts";
import { plainAddress } from "../auth/loopback.ts";
import { PROXY_HEADERS, readPeer, type Peer } from "../auth/peer.ts";
import { PAGE_MARK } from "../page/page-cookie.ts";
import { mountPage } from "../page/page-routes.ts";
import { mountAppRegistration } from "./app-registration.ts";
import { mountHealth, type Readiness } from "./health.ts";
import type { ServerEnv } from "./operation-routes.ts";

/** What admission is decided by. */
export interface AdmissionOptions {
  readonly access: Access;
  /** Names beside loopback under which the host is known; absent: none, and no address of the machine either. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Whether the host takes no new work any more. */
  readonly isStopping: () => boolean;
  /** Whether the host can take work; it can if left out. */
  readonly isReady?: (() => Readiness) | undefined;
  /** The folder of the built page; absent: there is none. */
  readonly webRoot?: string | undefined;
}

/** Lets in whoever means this host and shows who they are; anybody may ask whether it is well (A10–A12, A62). */
export function admit(app: Hono<ServerEnv>, options: AdmissionOptions): void {
  const { access, names, isStopping, isReady, webRoot } = options;
  app.use(async (c, next) => {
    const { localAddress } = bindingsOf(c).incoming?.socket ?? {};
    // Of all names only a numeric address cannot be made to lead here by somebody else.
    const own = localAddress === undefined ? undefined : plainAddress(localAddress);
    checkAddress(
      { host: c.req.header("host"), origin: c.req.header("origin") },
      (name) => names !== undefined && (names.has(name) || name === own),
    );
    if (isStopping()) throw new HostError("HOST_STOPPING");
    await next();
  });
  mountHealth(app, isReady);
  mountAppRegistration(app, access, (c) => peerOf(c).isLocal);
  if (webRoot !== undefined) mountPage(app, { webRoot, access, peerOf });
  app.get("/sdk/auth/token", (c) => {
    c.set("operation", "authToken");
    return answerTokenRequest(c, access);
  });
  app.use(async (c, next) => {
    const identity = identify(c, access);
    c.set("identity", identity);
    c.set("caller", identity.caller);
    await serveWhileAllowed(c, next, access);
  });
}

function identify(c: Context<ServerEnv>, { authenticator }: Access): Identity {
  const headers = {
    apiKey: c.req.header("x-api-key"),
    authorization: c.req.header("authorization"),
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

function peerOf(c: Context<ServerEnv>): Peer {
  const forwarded = PROXY_HEADERS.map((name) => c.req.header(name)).find((value) => value !== undefined);
  return readPeer(bindingsOf(c).incoming?.socket.remoteAddress, { host: c.req.header("host"), forwarded });
}

/**
 * Clients ask for a token of their user before their first call. The host has none to lend, and gives out no secret:
 * whoever shows a credential is told so and goes on with it, for others there is nothing here (A68).
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

/** Hangs up on whoever loses their right while they ask, wait or read (A61). */
async function serveWhileAllowed(
  c: Context<ServerEnv>,
  next: () => Promise<void>,
  { revocations }: Access,
): Promise<void> {
  const { outgoing } = bindingsOf(c);
  const forget = revocations.watch(c.get("identity").clientId, () => {
    // Later, so that one who gives up their own right is told that it is gone.
    setImmediate(() => {
      if (outgoing?.writableEnded === false) outgoing.destroy();
    });
  });
  await next();
  // A stream has begun by now, and goes to its socket by itself; any other answer is sent after this.
  const isStreaming = outgoing !== undefined && outgoing.headersSent && !outgoing.destroyed;
  if (isStreaming) outgoing.once("close", forget);
  else forget();
}

/** Without a socket there are none at all, whatever the router's types say. */
function bindingsOf(c: Context<ServerEnv>): ServerEnv["Bindings"] {
  const bindings: ServerEnv["Bindings"] | undefined = c.env;
  return bindings ?? {};
}
