// Who may open a WebSocket: whoever means this host and is its owner, or has a key as good as the owner's.
import type { IncomingMessage } from "node:http";
import { HostError } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import { checkAddress } from "../auth/address.ts";
import { requirePermission } from "../auth/identity.ts";
import { plainAddress } from "../auth/loopback.ts";
import { readPeer } from "../auth/peer.ts";

/** What admission is decided by. */
export interface AdmissionParts {
  readonly access: Access;
  /** Names beside loopback under which the host is known. */
  readonly names?: ReadonlySet<string> | undefined;
  readonly isStopping: () => boolean;
}

/** A subprotocol that carries a token, for clients that can set nothing else. */
const tokenProtocol = "holdfast.token.";

/** Names the credential that a request comes with; throws a `HostError` when it may not open a WebSocket (E60–E63). */
export function admitSocket(request: IncomingMessage, { access, names, isStopping }: AdmissionParts): string {
  const { headers, socket } = request;
  const own = socket.localAddress === undefined ? undefined : plainAddress(socket.localAddress);
  checkAddress({ host: headers.host, origin: headers.origin }, (name) =>
    names === undefined ? false : names.has(name) || name === own,
  );
  if (isStopping()) throw new HostError("HOST_STOPPING");
  const query = new URL(request.url ?? "/", "http://host").searchParams;
  const ticket = query.get("ticket");
  if (ticket !== null) {
    const clientId = access.tickets.redeem(ticket);
    if (clientId === undefined) throw new HostError("UNAUTHORIZED", "This ticket was used, or is too old.");
    return clientId;
  }
  const identity = access.authenticator.identify(
    {
      apiKey: query.get("tkn") ?? tokenOf(request) ?? single(headers["x-api-key"]),
      authorization: headers.authorization,
      appId: undefined,
      page: { cookie: headers.cookie, host: headers.host, origin: headers.origin, mark: undefined },
    },
    readPeer(socket.remoteAddress, { host: headers.host, forwarded: forwardedOf(request) }),
  );
  requirePermission(identity, "admin");
  return identity.clientId;
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
