// Standing permissions: what the host always allows, in all sessions and folders of the caller.
import type { PermissionRuleInfo } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { PermissionRuleInfo } from "@holdfast/protocol";

/** The operations on standing permissions. */
export class PermissionRules {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The permission rules of the caller's sessions and folders, oldest first. */
  list({ signal }: CallOptions = {}): Promise<PermissionRuleInfo[]> {
    return this.#connection.askFor("rules", { method: "GET", path: "/sdk/acp/permission-rules", signal });
  }

  /** Removes a rule; what it allowed is asked about again. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    const path = `/sdk/acp/permission-rules/${encodeURIComponent(id)}`;
    await this.#connection.ask({ method: "DELETE", path, signal });
  }
}
