// The policy file: rules about what agents may do, as people write them.
import { z } from "zod";
import { check, closedObject, toJsonSchema, type Checked, type JsonSchema } from "./schema.ts";

const effectSchema = z.enum(["allow", "ask", "deny"]);
const wordSchema = z.string().min(1).max(1024);

function patterns(item: z.ZodString): z.ZodUnion<readonly [z.ZodString, z.ZodArray<z.ZodString>]> {
  return z.union([item, z.array(item).min(1)]);
}

const pathSchema = wordSchema.regex(/^(?:\/|~(?:\/|$)|\$ROOT(?:\/|$))/, "must begin with /, ~ or $ROOT");
const subjectSchema = z.enum(["command", "read", "write", "tool"]);

const ruleSchema = closedObject({
  id: wordSchema.optional().describe("Names the rule in explanations and in the audit."),
  effect: effectSchema.describe("What happens when the rule decides."),
  reason: wordSchema.optional().describe("Shown to the agent and to people when the rule decides."),
  on: z
    .union([subjectSchema, z.array(subjectSchema).min(1)])
    .optional()
    .describe("What the rule is about; commands if it has a condition on them, else everything."),
  command: patterns(wordSchema)
    .optional()
    .describe("Program and arguments, word by word: * matches within a word, ** any number of words."),
  with: patterns(wordSchema).optional().describe("The command has an argument that matches one of these."),
  options: z
    .string()
    .max(8192)
    .optional()
    .describe("The only options after the words of `command`: -al, -n:, --all, --format=, --color=?."),
  wordOptions: z.boolean().optional().describe("Whether options are words such as -name, as those of find."),
  texts: z.int().min(0).max(100).optional().describe("How many operands are text instead of paths."),
  textLike: wordSchema
    .refine(isExpression, { error: "must be a regular expression" })
    .optional()
    .describe("A regular expression that these texts match as a whole."),
  operands: z.int().min(0).max(1000).optional().describe("At most so many operands; needs `options`."),
  paths: patterns(pathSchema)
    .optional()
    .describe("Paths: ~ is the home directory, $ROOT each folder of the session, ** any depth."),
  cwd: patterns(pathSchema).optional().describe("The working directory, as a pattern like those of `paths`."),
  env: patterns(wordSchema).optional().describe("Names of environment variables that the command changes."),
  agent: patterns(wordSchema).optional().describe("The agent, by id."),
  app: patterns(wordSchema).optional().describe("The app that created the session."),
  tools: patterns(wordSchema).optional().describe("Kinds of tool calls: read, edit, execute …"),
});

const policySchema = closedObject({
  $schema: z.string().optional(),
  preset: z
    .enum(["ask", "reads", "build-and-test", "open"])
    .optional()
    .describe("Rules to start from; those of this file come before them."),
  otherwise: effectSchema
    .optional()
    .describe("The effect where no rule matches; if left out, the approval policy of the session decides."),
  deny: z
    .array(wordSchema)
    .default([])
    .describe("Commands that are denied, as patterns like those of `command`."),
  ask: z.array(wordSchema).default([]).describe("Commands that are asked about."),
  allow: z.array(wordSchema).default([]).describe("Commands that are allowed."),
  rules: z.array(ruleSchema).default([]).describe("The rules."),
});

/** A policy file, read. */
export type PolicyFile = z.output<typeof policySchema>;

/** Reads a policy that was parsed from its file; the problems name each member by its path. */
export function readPolicy(value: unknown): Checked<PolicyFile> {
  return check(policySchema, value);
}

/** The JSON Schema of the policy file, for editors. */
export function policyJsonSchema(): JsonSchema {
  return { title: "Holdfast policy", ...toJsonSchema(policySchema, "input") };
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(`^(?:${text})$`, "u") instanceof RegExp;
  } catch {
    // Only the constructor knows the syntax.
    return false;
  }
}
