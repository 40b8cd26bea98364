// Error codes: what they travel as, and what a caller reads.
import { describe, expect, it } from "vitest";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { HostError, toHostError, unknownAgent } from "./host-error.ts";

const codes = Object.keys(ERRORS) as ErrorCode[];

describe("errors", () => {
  it.each([
    ["ACP_DISABLED", 503],
    ["ACP_UNKNOWN_AGENT", 404],
    ["ACP_AGENT_NOT_ALLOWED", 403],
    ["ACP_MAX_SESSIONS", 429],
    ["ACP_SESSION_NOT_FOUND", 404],
    ["ACP_SESSION_INIT_FAILED", 502],
    ["ACP_INVALID_OPTION", 400],
    ["APPROVAL_POLICY_REQUIRED", 400],
    ["ACP_TURN_ACTIVE", 409],
    ["MISSING_APP_ID", 401],
    ["INVALID_APP_ID", 401],
    ["PERMISSION_REQUIRED", 403],
    ["PERMISSION_DENIED", 403],
  ] as const)("[P1] %s travels as HTTP %i", (code, status) => {
    expect(new HostError(code).status).toBe(status);
  });

  it.each([
    ["ACP_SESSION_NOT_FOUND", -32001],
    ["ACP_UNKNOWN_AGENT", -32002],
    ["ACP_TURN_ACTIVE", -32004],
    ["UNAUTHORIZED", -32007],
    ["PERMISSION_DENIED", -32009],
    ["INVALID_REQUEST", -32602],
    ["INTERNAL", -32603],
  ] as const)("[P1] %s travels as JSON-RPC %i", (code, rpcCode) => {
    expect(new HostError(code).rpcCode).toBe(rpcCode);
  });

  it.each(codes)("[P1] %s has a status of failure, a reserved number and a sentence", (code) => {
    const { status, rpcCode, message } = ERRORS[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(rpcCode).toBeGreaterThanOrEqual(-32768);
    expect(rpcCode).toBeLessThanOrEqual(-32000);
    if (code !== "MISSING_APP_ID") expect(message).toMatch(/^[A-Z].+\. [A-Z].+\.$/);
  });

  it("[P1] a missing app id is reported in the words that clients know", () => {
    expect(new HostError("MISSING_APP_ID").message).toBe("Missing required header: x-app-id");
  });

  it("[P2] an error keeps its message, cause and details", () => {
    const cause = new Error("spawn ENOENT");
    const error = new HostError("ACP_SESSION_INIT_FAILED", "qwen is not installed.", {
      cause,
      details: { agentId: "qwen-cli" },
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "HostError",
      code: "ACP_SESSION_INIT_FAILED",
      message: "qwen is not installed.",
      cause,
      details: { agentId: "qwen-cli" },
    });
  });

  it("[P2] an error without a message has the code's sentence", () => {
    const error = new HostError("ACP_TURN_ACTIVE");
    expect(error.message).toBe(ERRORS.ACP_TURN_ACTIVE.message);
    expect(error.details).toEqual({});
    expect(Object.hasOwn(error, "cause")).toBe(false);
  });

  it("[P3] an unknown agent is reported in the exact sentence that clients compare", () => {
    const error = unknownAgent("nonexistent");
    expect(error.code).toBe("ACP_UNKNOWN_AGENT");
    expect(error.message).toBe("No ACP provider found for agent 'nonexistent'.");
  });

  it("[P4] an unexpected exception becomes INTERNAL with a log id, and reveals nothing of itself", () => {
    const thrown = new TypeError("password is hunter2");
    const error = toHostError(thrown, "log-42");
    expect(error).toMatchObject({ code: "INTERNAL", status: 500, cause: thrown });
    expect(error.message).toContain("log-42");
    expect(error.message).not.toContain("hunter2");
  });

  it("[P4] an error that is meant for the caller stays as it is", () => {
    const error = new HostError("ACP_MAX_SESSIONS");
    expect(toHostError(error, "log-43")).toBe(error);
  });
});
