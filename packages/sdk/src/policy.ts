// The rules of the policy file; for the host's owner.
import type { PolicyInForce } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { PolicyInForce } from "@holdfast/protocol";

/** The operation on the policy file. */
export class PolicyRules {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The rules in force on the running host, and why a changed file is not. */
  get({ signal }: CallOptions = {}): Promise<PolicyInForce> {
    return this.#connection.askFor("policy", { method: "GET", path: "/admin/policy", signal });
  }
}
