// Sets of rules by name, and lists of commands as rules.
import { readingRules } from "./reads.ts";
import type { Rule, RuleSet } from "./rule.ts";

const inRoots = { cwd: "$ROOT/**", paths: "$ROOT/**" } as const;

/** Build tools run the project's own code: allowing them allows whatever the project contains. */
const buildCommands: readonly string[] = [
  "npm test **",
  "npm t **",
  "npm run **",
  "npm ci",
  "npm install",
  "npm ls **",
  "pnpm test **",
  "pnpm run **",
  "pnpm install",
  "yarn",
  "yarn test **",
  "yarn run **",
  "yarn install",
  "bun test **",
  "bun run **",
  "npx tsc **",
  "npx vitest **",
  "npx jest **",
  "npx eslint **",
  "npx prettier **",
  "npx oxlint **",
  "tsc **",
  "vitest **",
  "jest **",
  "eslint **",
  "prettier **",
  "node --test **",
  "make",
  "make **",
  "cmake **",
  "ctest **",
  "ninja **",
  "cargo build **",
  "cargo test **",
  "cargo check **",
  "cargo clippy **",
  "cargo fmt **",
  "cargo run **",
  "go build **",
  "go test **",
  "go vet **",
  "gofmt **",
  "go run **",
  "pytest **",
  "python -m pytest **",
  "python3 -m pytest **",
  "ruff **",
  "mypy **",
  "black **",
  "tox **",
  "mvn test **",
  "mvn verify **",
  "gradle test **",
  "gradle build **",
  "./gradlew **",
  "dotnet build **",
  "dotnet test **",
  "mkdir **",
  "touch **",
];

const buildRules: readonly Rule[] = [
  { id: "build", effect: "allow", command: buildCommands, ...inRoots },
  { id: "output", effect: "allow", on: "write", paths: "$ROOT/**" },
  { id: "git folder", effect: "ask", on: "write", paths: ["$ROOT/.git/**", "$ROOT/**/.git/**"] },
  { id: "secrets", effect: "ask", on: ["read", "write"], paths: ["$ROOT/.env*", "$ROOT/**/.env*"] },
];

/** Names of presets. */
export type PresetName = "ask" | "reads" | "build-and-test" | "open";

/** The presets: `ask` asks about everything, `open` allows everything. */
export const PRESETS: Readonly<Record<PresetName, RuleSet>> = {
  ask: { source: "preset ask", rules: [], otherwise: "ask" },
  reads: { source: "preset reads", rules: readingRules, otherwise: "ask" },
  "build-and-test": {
    source: "preset build-and-test",
    rules: [...readingRules, ...buildRules],
    otherwise: "ask",
  },
  open: { source: "preset open", rules: [], otherwise: "allow", opaque: "allow" },
};

/** Only these programs run, with any arguments; everything else is denied. */
export function allowCommands(programs: readonly string[]): RuleSet {
  const rules = programs.map((program): Rule => ({ id: program, effect: "allow", command: `${program} **` }));
  return { source: "allowed commands", rules, otherwise: "deny", opaque: "deny" };
}

/** Everything runs except commands that begin so, word by word: `rm -rf /` also blocks `rm -rf /home`. */
export function blockCommands(beginnings: readonly string[]): RuleSet {
  const rules = beginnings.map((beginning): Rule => ({
    id: beginning,
    effect: "deny",
    command: `${beginning.trim()}* **`,
    reason: `${beginning} is blocked`,
  }));
  return { source: "blocked commands", rules, otherwise: "allow" };
}

/** Arguments with any of these characters are denied; by default those that mean something to a shell. */
export function blockArguments(characters = ";&|`$()"): RuleSet {
  const pattern = `*[${characters}]*`;
  return {
    source: "blocked arguments",
    rules: [{ id: "characters", effect: "deny", with: pattern }],
    otherwise: "allow",
  };
}
