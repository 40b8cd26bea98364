// The approval policies of sessions as rules, for the command line; a test compares them with approval/policy.ts.
import type { RuleSet } from "@holdfast/terminal/policy";

const lookingTools = { id: "looking", effect: "allow", tools: ["read", "search", "think"] } as const;

const readingInside = { id: "reading inside", effect: "allow", on: "read", paths: "$ROOT/**" } as const;

/** The policies of the app API; `none` is a session without one. */
export const SESSION_POLICIES = {
  "approve-all": { source: "policy approve-all", rules: [], otherwise: "allow", opaque: "allow" },
  "approve-reads": { source: "policy approve-reads", rules: [lookingTools, readingInside], otherwise: "ask" },
  "deny-all": { source: "policy deny-all", rules: [], otherwise: "deny", opaque: "deny" },
  ask: { source: "policy ask", rules: [readingInside], otherwise: "ask" },
  none: {
    source: "policy none",
    rules: [
      { id: "inside", effect: "allow", on: "command", cwd: "$ROOT/**" },
      { id: "files inside", effect: "allow", on: ["read", "write"], paths: "$ROOT/**" },
    ],
    otherwise: "ask",
  },
} as const satisfies Readonly<Record<string, RuleSet>>;
