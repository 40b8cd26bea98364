// Approvals that agents wait for, in all sessions at once, and the decision on one.
import type { PendingApproval, PermissionDecision } from "@holdfast/protocol";
import type { CallOptions, Connection } from "./connection.ts";

export type { PendingApproval } from "@holdfast/protocol";

/** The operations on approvals. */
export class Approvals {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The pending requests of the caller's sessions, oldest first. */
  async list({ signal }: CallOptions = {}): Promise<PendingApproval[]> {
    const request = { method: "GET", path: "/sdk/acp/approvals", signal } as const;
    const approvals = await this.#connection.askFor<PendingApproval[]>("approvals", request);
    for (const { options } of approvals) makePrintable(options);
    return approvals;
  }

  /** Answers an approval, given as an object or by its id; a form takes `content`. The first decision counts, whichever connection sends it. */
  resolve(
    approval: string | Pick<PendingApproval, "session_key" | "requestId">,
    optionId: string,
    { content, scope, ...options }: CallOptions & Pick<AcpPermissionDecision, "content" | "scope"> = {},
  ): Promise<AcpPermissionResolution> {
    const decision = {
      optionId,
      ...(content !== undefined && { content }),
      ...(scope !== undefined && { scope }),
    };
    if (typeof approval === "string") return resolveApproval(this.#connection, approval, decision, options);
    const { session_key, requestId } = approval;
    return resolvePermission(this.#connection, session_key, { requestId, ...decision }, options);
  }
}

/** Decides a permission request; the result says when the decision came too late. */
export function resolvePermission(
  connection: Connection,
  sessionKey: string,
  decision: AcpPermissionDecision,
  options: CallOptions,
): Promise<AcpPermissionResolution> {
  const path = `/sdk/acp/session/${encodeURIComponent(sessionKey)}/permission`;
  return answer(connection, path, decision, options);
}

/** Decides a permission request whose session need not be known. */
function resolveApproval(
  connection: Connection,
  requestId: string,
  decision: Omit<AcpPermissionDecision, "requestId">,
  options: CallOptions,
): Promise<AcpPermissionResolution> {
  return answer(connection, `/sdk/acp/approvals/${encodeURIComponent(requestId)}`, decision, options);
}

async function answer(
  connection: Connection,
  path: string,
  body: object,
  { signal }: CallOptions,
): Promise<AcpPermissionResolution> {
  const { resolved, reason } = await connection.ask({ method: "POST", path, body, signal });
  return { resolved: resolved === true, ...(typeof reason === "string" && { reason }) };
}

/** Lets options be printed as text, as RealtimeX's reference does: `allow_once (Allow once)`. Not enumerable (X300). */
export function makePrintable(options: unknown): void {
  if (!Array.isArray(options)) return;
  for (const option of options as unknown[]) {
    if (typeof option !== "object" || option === null) continue;
    const { optionId, name } = option as { readonly optionId?: unknown; readonly name?: unknown };
    if (typeof optionId !== "string") continue;
    const text = typeof name !== "string" || name === optionId ? optionId : `${optionId} (${name})`;
    Object.defineProperty(option, "toString", { value: () => text, enumerable: false });
  }
}

/** The decision on a permission request. */
export type AcpPermissionDecision = PermissionDecision;

/** Outcome of a decision, also of one that came too late. */
export interface AcpPermissionResolution {
  readonly resolved: boolean;
  readonly reason?: string;
}
