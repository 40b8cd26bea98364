// Ceilings as a pure rule: agents, folders and policies.
import { APPROVAL_POLICIES } from "@holdfast/ahp";
import type { Ceiling } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { type ResolvedCeiling, type WantedRights, refuseAbove } from "./ceiling-rules.ts";

const anywhere: ResolvedCeiling = {
  agents: undefined,
  home: "/state/holdfast",
  appData: "/state/holdfast/app-data",
};

function isAllowed(ceiling: Ceiling, wanted: WantedRights, resolved: ResolvedCeiling = anywhere): boolean {
  return refuseAbove(ceiling, wanted, resolved) === undefined;
}

describe("[A620] policies", () => {
  it("[A620] are allowed up to the ceiling's own", () => {
    const order = ["deny-all", "ask", "approve-reads", null, "approve-all"] as const;
    for (const [most, policy] of order.entries()) {
      if (policy === null) continue;
      const allowed = order.filter((wanted) => isAllowed({ policy }, { policy: wanted }));
      expect(allowed).toEqual(order.slice(0, most + 1));
    }
    expect(isAllowed({ policy: "approve-reads" }, { policy: "ask" })).toBe(true);
    expect(isAllowed({ policy: "deny-all" }, { policy: "ask" })).toBe(false);
  });

  it("[A620] of unknown strength are within their own ceiling only, and each known one is ranked", () => {
    const unknown = "approve-everything" as Ceiling["policy"];
    expect(isAllowed({ policy: "approve-all" }, { policy: unknown })).toBe(false);
    expect(isAllowed({ policy: unknown }, { policy: unknown })).toBe(true);
    for (const policy of [...APPROVAL_POLICIES, null]) {
      expect(isAllowed({ policy: unknown }, { policy })).toBe(false);
      expect(isAllowed({ policy: "approve-all" }, { policy })).toBe(true);
    }
  });
});

describe("[A620] agents and folders", () => {
  const agent = { id: "claude-cli" };

  it("[A620] agents are allowed by the ids that the ceiling's names mean, or all of them", () => {
    const most: Ceiling = { policy: "deny-all", agents: ["claude", "codex"] };
    expect(isAllowed({ policy: "deny-all" }, { agent })).toBe(true);
    expect(isAllowed(most, { agent }, { ...anywhere, agents: ["claude-cli", "codex-cli"] })).toBe(true);
    expect(isAllowed(most, { agent }, { ...anywhere, agents: ["codex-cli", "claud"] })).toBe(false);
    expect(isAllowed(most, { agent }, { ...anywhere, agents: [] })).toBe(false);
  });

  it("[A620] folders lie in a root, or outside the host's home", () => {
    const roots = { ...anywhere, roots: ["/work/a", "/srv/"] };
    const most: Ceiling = { policy: "deny-all", roots: ["/work/a", "/srv"] };
    for (const folder of ["/work/a", "/work/a/b", "/srv/x"]) {
      expect(isAllowed(most, { folder }, roots)).toBe(true);
    }
    for (const folder of ["/work", "/work/ab", "/", "/state/holdfast"]) {
      expect(isAllowed(most, { folder }, roots)).toBe(false);
    }
    for (const folder of ["/", "/state", "/state/holdfast2", "/state/holdfast/app-data/x"]) {
      expect(isAllowed({ policy: "deny-all" }, { folder })).toBe(true);
    }
    for (const folder of ["/state/holdfast", "/state/holdfast/spool"]) {
      expect(isAllowed({ policy: "deny-all" }, { folder })).toBe(false);
    }
  });

  it("[A620] the refusal names what is allowed and the owner's command", () => {
    expect(refuseAbove({ policy: "approve-reads" }, { policy: "approve-all" }, anywhere)).toMatchObject({
      code: "CEILING_EXCEEDED",
      reason: expect.stringMatching(
        /at most the policy approve-reads, not approve-all.*keys create.*--policy approve-all/,
      ),
    });
  });
});
