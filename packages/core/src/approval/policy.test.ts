// What each policy says, and which option an answer means.
import { describe, expect, test } from "vitest";
import { findOption, isAllowing, judgeOutside, judgeToolCall, judgeUncovered, pickOption } from "./policy.ts";

const policies = ["approve-all", "approve-reads", "deny-all", undefined] as const;
const once = { id: "1", label: "Once", kind: "allow_once" };
const always = { id: "2", label: "Always", kind: "allow_always" };
const never = { id: "3", label: "Never", kind: "reject_always" };
const no = { id: "allow_once", label: "No", kind: "reject_once" };

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
  ])("[V1] a tool call of kind %s", (kind, verdicts) => {
    expect(policies.map((policy) => judgeToolCall(policy, kind))).toEqual(verdicts);
  });

  test("[V7] a command or a write that no approval covers", () => {
    expect(policies.map((policy) => judgeUncovered(policy))).toEqual(["allow", "ask", "deny", "allow"]);
  });

  test("[V8] a path outside the session's folders", () => {
    expect(policies.map((policy) => judgeOutside(policy))).toEqual(["allow", "ask", "deny", "ask"]);
  });
});

describe("[V2] options", () => {
  test("[V2] an answer is an option's id before it is a kind, and a kind only where one option has it", () => {
    expect(findOption([once, no], "1")).toBe(once);
    expect(findOption([once, no], "allow_once")).toBe(no);
    expect(findOption([once, never], "allow_once")).toBe(once);
    expect(findOption([once, { ...once, id: "4" }], "allow_once")).toBeUndefined();
    expect(findOption([once, never], "maybe")).toBeUndefined();
  });

  test("[V2] what the host chooses by itself is for this time before it is for always", () => {
    expect(pickOption([always, once], "allow")).toBe(once);
    expect(pickOption([always, never], "allow")).toBe(always);
    expect(pickOption([always, never], "reject")).toBe(never);
    expect(pickOption([always, once], "reject")).toBeUndefined();
    expect([once, always, no, never].map(isAllowing)).toEqual([true, true, false, false]);
  });
});
