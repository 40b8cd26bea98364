// Operations on API keys, and on the tickets that open WebSockets.
import type { Log } from "@holdfast/core";
import { HostError, success } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import { keyClientId } from "../auth/authenticator.ts";
import type { Handlers } from "./operation-routes.ts";

type KeyOperation = "createKey" | "listKeys" | "revokeKey" | "createTicket";

export function keyHandlers({ keys, revocations, tickets }: Access, log: Log): Pick<Handlers, KeyOperation> {
  return {
    createKey: ({ body }) => {
      const { key, text } = keys.create(body);
      log("info", "Key created", { keyId: key.id, name: key.name, scopes: key.scopes });
      return success({ key, secret: text });
    },
    listKeys: () => success({ keys: keys.list() }),
    revokeKey: ({ params: { id } }) => {
      try {
        const key = keys.revoke(id) ?? unknownKey();
        log("info", "Key revoked", { keyId: id });
        return success({ key });
      } finally {
        // Also when it could not be written down: from now on the key opens nothing.
        revocations.revoke(keyClientId(id));
      }
    },
    createTicket: (_input, { clientId }) => success({ ...tickets.issue(clientId) }),
  };
}

function unknownKey(): never {
  throw new HostError("NOT_FOUND", "There is no key of this id. List the keys to see those there are.");
}
