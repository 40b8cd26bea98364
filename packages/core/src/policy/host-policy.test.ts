// The file's rules beside a session's approval policy, and the approval policies as rules.
import { readPolicy } from "@holdfast/protocol";
import { Policy, type Subject } from "@holdfast/terminal/policy";
import { describe, expect, it } from "vitest";
import { decideToolCall, decideUncovered } from "../approval/policy.ts";
import { decideByRules, policyOf } from "./host-policy.ts";
import { SESSION_POLICIES } from "./session-policies.ts";

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

describe("[V686] the approval policies of sessions are rule sets", () => {
  const kinds = [
    "read",
    "search",
    "think",
    "fetch",
    "edit",
    "delete",
    "move",
    "execute",
    "switch_mode",
    "other",
    undefined,
  ];

  it.each(["approve-all", "approve-reads", "deny-all", "ask", undefined] as const)("[V686] %s", (name) => {
    const policy = new Policy(SESSION_POLICIES[name ?? "none"]);
    const decide = (subject: Subject): unknown => policy.decide(subject).effect;
    for (const toolKind of kinds) {
      expect([toolKind, decide({ kind: "tool", toolKind, ...where })]).toEqual([
        toolKind,
        decideToolCall(name, toolKind),
      ]);
    }
    const inside: Subject[] = [
      command("make all"),
      { kind: "write", path: "/w/a", ...where },
      { kind: "read", path: "/w/a", ...where },
    ];
    const uncovered = (subject: Subject, isInside: boolean): unknown => {
      const kind = subject.kind === "tool" ? "other" : subject.kind;
      return decideUncovered(name, { kind, isInside, isInTurn: true });
    };
    for (const subject of inside) expect(decide(subject)).toBe(uncovered(subject, true));
    const outside: Subject[] = [
      { ...command("make all"), cwd: "/other" },
      { kind: "write", path: "/other/a", ...where },
      { kind: "read", path: "/other/a", ...where },
    ];
    for (const subject of outside) expect(decide(subject)).toBe(uncovered(subject, false));
  });
});
