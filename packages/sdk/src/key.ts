// The keys to the host: made for apps, listed, revoked; for the host's owner and keys that allow `admin`.
import type { ApiKey, KeyRequest } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { ApiKey, Ceiling, KeyRequest, WantedCeiling } from "@holdfast/protocol";

/** A key that was just made, with its secret, which is returned only here. */
export interface NewKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** The operations on keys. */
export class Keys {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Makes a key. */
  async create(request: KeyRequest, { signal }: CallOptions = {}): Promise<NewKey> {
    const { name, scopes, ceiling } = request;
    const body = { name, scopes, ceiling };
    const answer = await this.#connection.ask({ method: "POST", path: "/admin/keys", body, signal });
    return { key: answer["key"] as ApiKey, secret: String(answer["secret"]) };
  }

  /** All keys, including revoked ones. */
  list({ signal }: CallOptions = {}): Promise<ApiKey[]> {
    return this.#connection.askFor("keys", { method: "GET", path: "/admin/keys", signal });
  }

  /** Revokes a key immediately; revoking it again has no effect. */
  revoke(id: string, { signal }: CallOptions = {}): Promise<ApiKey> {
    const path = `/admin/keys/${encodeURIComponent(id)}`;
    return this.#connection.askFor("key", { method: "DELETE", path, signal });
  }
}
