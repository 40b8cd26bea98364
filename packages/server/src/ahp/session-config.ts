// What a client may choose for a session that it makes, beside its agent, folder and model (E117).
import type { JsonObject, JsonValue } from "@holdfast/ahp";
import { APPROVAL_POLICIES, type ApprovalPolicy } from "@holdfast/protocol";
import { invalidParams } from "./rpc-error.ts";

/** What was chosen. */
export interface SessionConfig {
  readonly approvalPolicy?: ApprovalPolicy;
  /** By their names in the configuration. */
  readonly mcpServers?: readonly string[];
}

/** The schema of the choice: a policy, and MCP servers where there are any. */
export function sessionConfigSchema(mcpServers: readonly string[]): object {
  const items = { type: "string", enum: mcpServers };
  return {
    type: "object",
    properties: {
      approvalPolicy: { type: "string", title: "Approvals", enum: APPROVAL_POLICIES },
      ...(mcpServers.length > 0 && {
        mcpServers: { type: "array", title: "MCP servers", items, uniqueItems: true },
      }),
    },
  };
}

/** Reads the choice; members that are not offered are another host's and are left alone. */
export function readSessionConfig({ approvalPolicy, mcpServers }: JsonObject = {}): SessionConfig {
  return {
    ...(approvalPolicy !== undefined && { approvalPolicy: readPolicy(approvalPolicy) }),
    ...(mcpServers !== undefined && { mcpServers: readNames(mcpServers) }),
  };
}

function readPolicy(value: JsonValue): ApprovalPolicy {
  const policy = APPROVAL_POLICIES.find((known) => known === value);
  if (policy !== undefined) return policy;
  throw invalidParams(`config.approvalPolicy: expected one of ${APPROVAL_POLICIES.join(", ")}`);
}

function readNames(value: JsonValue): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw invalidParams("config.mcpServers: expected a list of names");
}
