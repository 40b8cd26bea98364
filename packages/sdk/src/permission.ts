// The answer to what an agent asked; sessions and the list of approvals send it in the same way.
import type { AcpPermissionDecision, AcpPermissionResolution } from "./acp-types.ts";
import type { CallOptions, Connection } from "./connection.ts";

/** Answers a permission request; an answer that comes too late is told so. */
export function resolvePermission(
  connection: Connection,
  sessionKey: string,
  decision: AcpPermissionDecision,
  options: CallOptions,
): Promise<AcpPermissionResolution> {
  const path = `/sdk/acp/session/${encodeURIComponent(sessionKey)}/permission`;
  return answer(connection, path, decision, options);
}

/** Answers a permission request whose session need not be known. */
export function resolveApproval(
  connection: Connection,
  requestId: string,
  optionId: string,
  options: CallOptions,
): Promise<AcpPermissionResolution> {
  return answer(connection, `/sdk/acp/approvals/${encodeURIComponent(requestId)}`, { optionId }, options);
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
