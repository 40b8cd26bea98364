// Admission of WebSockets: the host's owner, keys with `admin`, and tickets.
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { makeId } from "@holdfast/ahp";
import { HostError, type Permission, PERMISSIONS } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import { checkHost, isForeignOrigin, plainAddress, readPeer } from "../auth/address.ts";
import { sentKeys } from "../auth/authenticator.ts";
import type { Identity } from "../auth/identity.ts";
import { requirePermission } from "../auth/permission.ts";

export interface AdmissionParts {
  readonly access: Access;
  /** Names beside loopback under which the host is known. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Origins whose pages count as the host's own. */
  readonly origins?: ReadonlySet<string> | undefined;
  readonly isStopping: () => boolean;
}

/** A subprotocol that carries a token, for clients that can set nothing else. */
const tokenProtocol = "holdfast.token.";

/** The sender of an upgrade: who they are to the host, the name of their credential, and what it allows. */
export type AdmittedSocket = Pick<Identity, "caller" | "clientId" | "scopes">;

/**
 * Identifies the credential that a request comes with, and hands it to `accept`; throws a `HostError` when it may not
 * open a WebSocket (E60–E63, E320). The check of the other end takes time, in which the credential may be revoked and
 * the host may stop: `accept` runs in the same tick as the last look at both.
 */
export async function admitSocket(
  request: IncomingMessage,
  parts: AdmissionParts,
  permission: Permission,
  accept: (admitted: AdmittedSocket) => void,
): Promise<void> {
  const { revocations, peerCheck } = parts.access;
  const admitted = identifySocket(request, parts, permission);
  const revocation = new AbortController();
  const forget = revocations.watch(admitted.clientId, () => revocation.abort());
  try {
    // An app acts for itself alone; everybody else is as good as the owner.
    if (admitted.caller.kind === "owner") await peerCheck.requireNoAgent(request.socket);
    if (revocation.signal.aborted) throw new HostError("UNAUTHORIZED");
    if (parts.isStopping()) throw new HostError("HOST_STOPPING");
    accept(admitted);
  } finally {
    forget();
  }
}

function identifySocket(
  request: IncomingMessage,
  { access, names, origins, isStopping }: AdmissionParts,
  permission: Permission,
): AdmittedSocket {
  const { headers, socket } = request;
  const own = socket.localAddress === undefined ? undefined : plainAddress(socket.localAddress);
  checkHost(headers.host, (name) => names !== undefined && (names.has(name) || name === own));
  if (isStopping()) throw new HostError("HOST_STOPPING");
  const query = new URL(request.url ?? "/", "http://host").searchParams;
  const ticket = query.get("ticket");
  const credentials = {
    apiKey: query.get("tkn") ?? tokenOf(request) ?? single(headers["x-api-key"]),
    authorization: headers.authorization,
    appId: undefined,
  };
  const isForeign = isForeignOrigin({ host: headers.host, origin: headers.origin }, origins);
  // Before a ticket is redeemed, so that a foreign page does not use it up (E320).
  if (isForeign && (ticket !== null || sentKeys(credentials).length === 0)) {
    throw new HostError("ORIGIN_NOT_ALLOWED");
  }
  if (ticket !== null) {
    const clientId = access.tickets.redeem(ticket);
    if (clientId === undefined) throw new HostError("UNAUTHORIZED", "This ticket was used or has expired.");
    // Tickets are made for the owner.
    return { caller: { kind: "owner" }, clientId: makeId("client", clientId), scopes: PERMISSIONS };
  }
  const page = { cookie: headers.cookie, host: headers.host, origin: headers.origin, mark: undefined };
  const identity = access.authenticator.identify(
    { ...credentials, ...(!isForeign && { page }) },
    readPeer(socket.remoteAddress, { host: headers.host, forwarded: forwardedOf(request) }),
  );
  requirePermission(identity, permission);
  return identity;
}

/** The subprotocol to confirm: one that carries no token if there is one; some clients insist on an answer. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  const [first] = offered;
  const plain = [...offered].find((protocol) => !protocol.startsWith(tokenProtocol));
  return plain ?? first ?? false;
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
  const text = offered.find((protocol) => protocol.startsWith(tokenProtocol))?.slice(tokenProtocol.length);
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: a token that is written as it is.
    return text;
  }
}

function forwardedOf({ headers }: IncomingMessage): string | undefined {
  return single(headers["forwarded"]) ?? single(headers["x-forwarded-for"]) ?? single(headers["via"]);
}

function single(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

/** Whether a request brings a credential, in whatever place. */
export function hasCredential({ url = "/", headers }: IncomingMessage): boolean {
  return (
    /[?&](?:tkn|ticket)=/.test(url) ||
    ["x-api-key", "authorization", "cookie", "sec-websocket-protocol"].some((name) => name in headers)
  );
}

/** Writes a response to a socket that never became a WebSocket, and closes it. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("connection", "close");
  headers.set("content-length", String(body.length));
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  if (!socket.writable) return;
  socket.write(
    [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, "", ""].join("\r\n"),
  );
  socket.end(body);
}
