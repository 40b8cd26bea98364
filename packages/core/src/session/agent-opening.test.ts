// Which words of an agent mean that a session is lost, and which may pass.
import { RpcError } from "@holdfast/jsonrpc";
import { expect, test } from "vitest";
import { saysSessionGone } from "../session/agent-opening.ts";

test.each([
  [-32_002, "Resource not found", undefined],
  [-32_601, "Method not found", undefined],
  [-32_602, "Invalid params", { error: "Session not found: ses_1" }],
  [-32_602, "Invalid params", '{"error":"Session not found: ses_1"}'],
  [-32_602, "Unknown session 0f3a-11", undefined],
  [-32_603, "Internal error", { details: "No conversation found with session ID: 0f3a-11" }],
  [-32_603, "Internal error", { details: 'Invalid session identifier "0f3a-11".' }],
  [-32_603, "no rollout found for thread id 0f3a-11", undefined],
  [-32_603, "The session 0f3a-11 does not exist", undefined],
  [-32_603, "Resource not found: session 0f3a-11", undefined],
])("[N44] %i %s %j says that the session is gone", (code, message, data) => {
  expect(saysSessionGone(new RpcError(code, message, data))).toBe(true);
});

test.each([
  [-32_000, "Session not found: log in first", undefined],
  [-32_603, "Internal error", undefined],
  [-32_603, "Failed to load session: model not found", undefined],
  [-32_603, "Internal error", { details: "getaddrinfo ENOTFOUND api.example.org" }],
  [-32_603, "spawn claude ENOENT: no such file or directory", undefined],
  [-32_602, "cwd does not exist", undefined],
  [-32_603, "The session is locked by another process", undefined],
])("[N45] %i %s %j may pass", (code, message, data) => {
  expect(saysSessionGone(new RpcError(code, message, data))).toBe(false);
});
