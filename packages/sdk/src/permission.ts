// The answer to what an agent asked; sessions and the list of approvals send it in the same way.
import type { AcpPermissionDecision, AcpPermissionResolution } from "./acp-types.ts";
import type { CallOptions, Connection } from "./connection.ts";

/** Answers a permission request; an answer that comes too late is told so. */
export async function resolvePermission(
  connection: Connection,
  sessionKey: string,
  decision: AcpPermissionDecision,
  { signal }: CallOptions,
): Promise<AcpPermissionResolution> {
  const path = `/sdk/acp/session/${encodeURIComponent(sessionKey)}/permission`;
  const { resolved, reason } = await connection.ask({ method: "POST", path, body: decision, signal });
  return { resolved: resolved === true, ...(typeof reason === "string" && { reason }) };
}
