// The decisions of each policy.
import { describe, expect, test } from "vitest";
import { decideToolCall, decideUncovered } from "./policy.ts";

const policies = ["approve-all", "approve-reads", "deny-all", "ask", undefined] as const;

describe("[V1] policies", () => {
  test.each([
    ["read", ["allow", "allow", "deny", "ask", "ask"]],
    ["search", ["allow", "allow", "deny", "ask", "ask"]],
    ["think", ["allow", "allow", "deny", "ask", "ask"]],
    ["fetch", ["allow", "ask", "deny", "ask", "ask"]],
    ["edit", ["allow", "ask", "deny", "ask", "ask"]],
    ["delete", ["allow", "ask", "deny", "ask", "ask"]],
    ["move", ["allow", "ask", "deny", "ask", "ask"]],
    ["execute", ["allow", "ask", "deny", "ask", "ask"]],
    ["switch_mode", ["allow", "ask", "deny", "ask", "ask"]],
    ["other", ["allow", "ask", "deny", "ask", "ask"]],
    [undefined, ["allow", "ask", "deny", "ask", "ask"]],
  ])("[V1] a tool call of kind %s", (kind, decisions) => {
    expect(policies.map((policy) => decideToolCall(policy, kind))).toEqual(decisions);
  });

  const decide = (kind: "command" | "write" | "read", isInside: boolean, isInTurn: boolean): string[] =>
    policies.map((policy) => decideUncovered(policy, { kind, isInside, isInTurn }));

  test.each(["command", "write"] as const)("[V7] a %s that no permission covers", (kind) => {
    expect(decide(kind, true, true)).toEqual(["allow", "ask", "deny", "ask", "allow"]);
  });

  test("[V7] a read inside the session's folders", () => {
    expect(decide("read", true, true)).toEqual(["allow", "allow", "deny", "allow", "allow"]);
  });

  test.each(["command", "write", "read"] as const)("[V8] a %s outside the session's folders", (kind) => {
    expect(decide(kind, false, true)).toEqual(["allow", "ask", "deny", "ask", "ask"]);
  });

  test("[V607] a command outside of turns", () => {
    expect(decide("command", true, false)).toEqual(["allow", "ask", "deny", "ask", "ask"]);
  });
});
