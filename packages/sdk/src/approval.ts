// What agents wait for an answer to, in all sessions at once, whoever began their turns.
import type { TurnEventOf } from "@holdfast/protocol";
import type { AcpPermissionResolution } from "./acp-types.ts";
import type { CallOptions, Connection } from "./connection.ts";
import { resolvePermission } from "./permission.ts";

/** A permission request that waits for its answer: what the event told, its session, and since when. */
export type PendingApproval = TurnEventOf<"permission_request">["data"] & {
  session_key: string;
  requestedAt: string;
};

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

  /** Answers one; the first answer counts, from whichever connection it comes. */
  resolve(
    approval: Pick<PendingApproval, "session_key" | "requestId">,
    optionId: string,
    options: CallOptions = {},
  ): Promise<AcpPermissionResolution> {
    const { session_key, requestId } = approval;
    return resolvePermission(this.#connection, session_key, { requestId, optionId }, options);
  }
}
