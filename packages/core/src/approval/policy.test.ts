// The decisions of each policy.
import { describe, expect, test } from "vitest";
import { decideOutside, decideToolCall, decideUncovered } from "./policy.ts";

const policies = ["approve-all", "approve-reads", "deny-all", undefined] as const;

describe("[V1] policies", () => {
  test.each([
    ["read", ["allow", "allow", "deny", "ask"]],
    ["search", ["allow", "allow", "deny", "ask"]],
    ["think", ["allow", "allow", "deny", "ask"]],
    ["fetch", ["allow", "ask", "deny", "ask"]],
    ["edit", ["allow", "ask", "deny", "ask"]],
    ["delete", ["allow", "ask", "deny", "ask"]],
    ["move", ["allow", "ask", "deny", "ask"]],
    ["execute", ["allow", "ask", "deny", "ask"]],
    ["switch_mode", ["allow", "ask", "deny", "ask"]],
    ["other", ["allow", "ask", "deny", "ask"]],
    [undefined, ["allow", "ask", "deny", "ask"]],
  ])("[V1] a tool call of kind %s", (kind, decisions) => {
    expect(policies.map((policy) => decideToolCall(policy, kind))).toEqual(decisions);
  });

  test("[V7] a command or a write that no approval covers", () => {
    expect(policies.map((policy) => decideUncovered(policy))).toEqual(["allow", "ask", "deny", "allow"]);
  });

  test("[V8] a path outside the session's folders", () => {
    expect(policies.map((policy) => decideOutside(policy))).toEqual(["allow", "ask", "deny", "ask"]);
  });
});
