// The file's rules beside a session's approval policy.
import { readPolicy } from "@holdfast/protocol";
import type { Policy, Subject } from "@holdfast/terminal/policy";
import { describe, expect, it } from "vitest";
import { decideByRules, policyOf } from "./host-policy.ts";

const where = { cwd: "/w", roots: ["/w"], home: "/home/me" };
const command = (line: string): Subject => ({ kind: "command", run: { line }, ...where });

function source(value: unknown): { current: () => { policy: Policy } } {
  const read = readPolicy(value);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const policy = policyOf(read.value, "policy.jsonc");
  return { current: () => ({ policy }) };
}

describe("[V685] rules and approval policies", () => {
  const rules = source({ allow: ["git status **"], ask: ["git push **"], deny: ["git push ** --force **"] });

  it.each([
    ["git status", "ask", "allow"],
    ["git status", "deny", "deny"],
    ["git push", "allow", "ask"],
    ["git push origin --force", "allow", "deny"],
    ["ls", "allow", "allow"],
    ["ls", "ask", "ask"],
    ["git push $X", "allow", "ask"],
    ["ls $(a)", "allow", "ask"],
  ] as const)("[V685] %s in a session that says %s", (line, session, decision) => {
    expect(decideByRules(rules, command(line), session).decision).toBe(decision);
  });

  it("[V685] the decision names its rule and file", () => {
    expect(decideByRules(rules, command("git push a --force"), "allow").rule).toEqual({
      id: "deny git push ** --force **",
      source: "policy.jsonc",
      effect: "deny",
    });
  });

  it("[V685] without a file the session decides", () => {
    expect(decideByRules(undefined, command("ls"), "ask")).toEqual({ decision: "ask" });
    const empty = source({});
    expect(decideByRules(empty, command("ls $(a)"), "allow").decision).toBe("allow");
  });

  it("[V685] a preset decides about the rest, unless the file does", () => {
    expect(decideByRules(source({ preset: "reads" }), command("rm a"), "allow").decision).toBe("ask");
    expect(
      decideByRules(source({ preset: "reads", otherwise: "deny" }), command("rm a"), "ask").decision,
    ).toBe("deny");
    expect(decideByRules(source({ preset: "open", deny: ["rm **"] }), command("rm a"), "ask").decision).toBe(
      "deny",
    );
    expect(decideByRules(source({ preset: "open", deny: ["rm **"] }), command("ls"), "ask").decision).toBe(
      "allow",
    );
  });
});
