// Operations on API keys, and on the tickets that open WebSockets.
import { makeId } from "@holdfast/ahp";
import { type Audit, type Log, rightsEntry } from "@holdfast/core";
import { HostError, success } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import { keyClientId } from "../auth/authenticator.ts";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

type KeyOperation = "createKey" | "listKeys" | "revokeKey" | "createTicket";

export interface KeyHandlerDeps {
  readonly access: Access;
  readonly host: Pick<HostPort, "cancelTurnsOf">;
  readonly log: Log;
  readonly audit: Pick<Audit, "record">;
}

export function keyHandlers({ access, host, log, audit }: KeyHandlerDeps): Pick<Handlers, KeyOperation> {
  const { keys, revocations, tickets } = access;
  const record = (subject: string, by: string, outcome: string): void =>
    audit.record(rightsEntry({ what: "key", subject, by: `client ${by}`, outcome }));
  return {
    createKey: ({ body }, { clientId }) => {
      const { key, text } = keys.create(body);
      const { id, name, scopes, ceiling } = key;
      log("info", "Key created", { keyId: id, name, scopes, ceiling });
      record(`${id} ${name}`, clientId, `created: ${JSON.stringify({ scopes, ceiling })}`);
      return success({ key, secret: text });
    },
    listKeys: () => success({ keys: keys.list() }),
    revokeKey: async ({ params: { id } }, { clientId }) => {
      try {
        const key = keys.revoke(id) ?? unknownKey();
        log("info", "Key revoked", { keyId: id });
        record(`${id} ${key.name}`, clientId, "revoked");
        return success({ key });
      } finally {
        // Also when it could not be written down: from now on the key opens nothing and runs nothing.
        revocations.revoke(keyClientId(id));
        await host.cancelTurnsOf(makeId("app", keyClientId(id)), "The key was revoked.");
      }
    },
    createTicket: (_input, { clientId }) => {
      const ticket = tickets.issue(clientId);
      audit.record(rightsEntry({ what: "ticket", subject: "WebSocket", by: `client ${clientId}` }));
      return success({ ...ticket });
    },
  };
}

function unknownKey(): never {
  throw new HostError("NOT_FOUND", "There is no key with this id. List the keys to see which exist.");
}
