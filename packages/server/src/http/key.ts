// Operations on API keys.
import type { Log } from "@holdfast/core";
import { HostError, success } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import { keyClientId } from "../auth/authenticator.ts";
import type { Handlers } from "./operation-routes.ts";

type KeyOperation = "createKey" | "listKeys" | "revokeKey";

/** The handlers of what concerns keys. */
export function keyHandlers({ keys, revocations }: Access, log: Log): Pick<Handlers, KeyOperation> {
  return {
    createKey: ({ body }) => {
      const { key, text } = keys.create(body);
      log("info", "A key was made", { keyId: key.id, name: key.name, scopes: key.scopes });
      return success({ key, secret: text });
    },
    listKeys: () => success({ keys: keys.list() }),
    revokeKey: ({ params: { id } }) => {
      const key = keys.revoke(id);
      if (key === undefined) {
        throw new HostError("NOT_FOUND", "There is no key of this id. List the keys to see those there are.");
      }
      revocations.revoke(keyClientId(id));
      log("info", "A key was revoked", { keyId: id });
      return success({ key });
    },
  };
}
