// What agents wait for an answer to, in all sessions at once, whoever began their turns.
import type { PendingApproval } from "@holdfast/protocol";
import type { AcpPermissionResolution } from "./acp-types.ts";
import type { CallOptions, Connection } from "./connection.ts";
import { resolveApproval, resolvePermission } from "./permission.ts";

export type { PendingApproval } from "@holdfast/protocol";

/** The operations on approvals. */
export class Approvals {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All that waits in the caller's sessions, the oldest first. */
  list({ signal }: CallOptions = {}): Promise<PendingApproval[]> {
    return this.#connection.askFor("approvals", { method: "GET", path: "/sdk/acp/approvals", signal });
  }

  /** Answers one, known by its id alone if need be; the first answer counts, from whichever connection it comes. */
  resolve(
    approval: string | Pick<PendingApproval, "session_key" | "requestId">,
    optionId: string,
    options: CallOptions = {},
  ): Promise<AcpPermissionResolution> {
    if (typeof approval === "string") return resolveApproval(this.#connection, approval, optionId, options);
    const { session_key, requestId } = approval;
    return resolvePermission(this.#connection, session_key, { requestId, optionId }, options);
  }
}
