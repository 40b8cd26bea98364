// The form of the agent catalogue: what is known about each agent, as data and not as code.
import { z } from "zod";
import { check, closedObject, type Checked } from "./schema.ts";
import { agentNameSchema } from "./runtime-option.ts";

const variableName = z.string().regex(/^[A-Z_][A-Z0-9_]*$/, "must be the name of an environment variable");

const launchSchema = closedObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(variableName, z.string()).default({}),
});

/** How an agent is started: a program on the user's PATH, its arguments and variables. */
export type Launch = z.infer<typeof launchSchema>;

const modelChoiceSchema = z.discriminatedUnion("by", [
  closedObject({ by: z.literal("flag"), flag: z.string().startsWith("-") }),
  closedObject({ by: z.literal("env"), name: variableName }),
  closedObject({ by: z.literal("configOption"), id: z.string().min(1) }),
  closedObject({ by: z.literal("setModel") }),
]);

/** One way to choose an agent's model: at its launch (flag, env), or in a session (configOption, setModel). */
export type ModelChoice = z.infer<typeof modelChoiceSchema>;

const forwardedVariableSchema = closedObject({
  name: variableName,
  from: z.array(variableName).default([]),
  required: z.boolean().default(false),
  fallback: z.string().optional(),
}).refine(({ from, fallback }) => from.length > 0 || fallback !== undefined, {
  error: "must say where its value is from, or what it falls back to",
});

/** A variable of the agent's environment, filled from the first of the host's variables that is set, else from `fallback`. */
export type ForwardedVariable = z.infer<typeof forwardedVariableSchema>;

const forwardingSchema = closedObject({
  args: z.array(z.string()).default([]).describe("Arguments that choose the provider."),
  env: z
    .array(forwardedVariableSchema)
    .min(1)
    .describe("Variables of the agent, and the variables of the host that they are filled from."),
});

/** How one provider's credentials reach an agent. */
export type Forwarding = z.infer<typeof forwardingSchema>;

const quirkSchema = z.enum([
  /** A read of a missing file must return empty text, or the agent cannot create files. */
  "missing-file-reads-as-empty",
  /** The end of its input does not end it while it works: there is no use in a long grace. */
  "ignores-end-of-input",
  /** It advertises `session/load` but a session of an earlier process cannot be loaded. */
  "cannot-load-after-restart",
  /** Its commands fail where the client has no terminals. */
  "needs-terminals",
]);

/** A known behaviour of an agent that the host must allow for. */
export type Quirk = z.infer<typeof quirkSchema>;

/** Facts about an agent beside its names and its launch; an entry of the configuration has them too. */
export const agentTraits = {
  alternatives: z
    .array(launchSchema)
    .describe("Other programs, tried in order when the command is not installed."),
  versionProbe: closedObject({
    args: z.array(z.string()).min(1).describe("The arguments with which the program prints its version."),
  }).describe("The arguments with which the program prints its version."),
  auth: closedObject({
    env: z
      .array(variableName)
      .default([])
      .describe("Variables; the agent counts as signed in if any is set. They stay in its environment."),
    files: z
      .array(z.string().startsWith("~/"))
      .default([])
      .describe("Files; the agent counts as signed in if any exists."),
    sufficient: z
      .array(z.array(variableName).min(1))
      .optional()
      .describe(
        "Sets of variables; all variables of one set are needed to count as signed in. If left out, any of `env` is enough.",
      ),
    login: z.string().min(1).optional().describe("The command that signs in, run in a terminal."),
    keyMethods: z
      .array(closedObject({ id: z.string().min(1), env: z.array(variableName).min(1) }))
      .optional()
      .describe(
        "Methods of ACP's `authenticate` that work without a person, and the variables that each takes.",
      ),
  }).describe(
    "The variables and files of which any one shows that the agent is signed in; the variables stay in its environment.",
  ),
  keepSecrets: z.array(variableName).describe("Further secret variables that stay in its environment."),
  model: z.array(modelChoiceSchema).describe("The ways to choose a model, the best first."),
  modelName: z
    .string()
    .refine(isPattern, { error: "must be a regular expression with one group" })
    .describe(
      "A regular expression; its group extracts, from the id of an offered model, the name to pass in a flag or variable.",
    ),
  forwarding: z
    .record(agentNameSchema, forwardingSchema)
    .describe("How credentials of the host reach the agent, by provider."),
  quirks: z.array(quirkSchema).describe("Known behaviours that the host allows for."),
  commandEnvironment: z
    .record(variableName, z.array(z.string()))
    .describe("Variables that it sets for commands without reporting it, with the values that do no harm."),
  throughHost: z
    .array(z.enum(["commands", "writes", "reads"]))
    .describe("What it does through the host, which then enforces the decision; the rest it only reports."),
  asks: z.boolean().describe("Whether it asks before it acts, in the mode that it starts in."),
  askModes: z
    .array(z.string().min(1))
    .describe(
      "Modes in which it asks or changes nothing, the best first; sessions that must ask start in one.",
    ),
} as const;

const catalogueAgentSchema = closedObject({
  id: agentNameSchema,
  handles: z.array(agentNameSchema).min(1),
  label: z.string().min(1),
  builtIn: z.boolean().default(false),
  installCommand: z.string().min(1).optional(),
  launch: launchSchema,
  alternatives: agentTraits.alternatives.default([]),
  versionProbe: agentTraits.versionProbe.optional(),
  auth: agentTraits.auth.optional(),
  keepSecrets: agentTraits.keepSecrets.default([]),
  model: agentTraits.model.default([]),
  modelName: agentTraits.modelName.optional(),
  forwarding: agentTraits.forwarding.default({}),
  quirks: agentTraits.quirks.default([]),
  commandEnvironment: agentTraits.commandEnvironment.default({}),
  throughHost: agentTraits.throughHost.default([]),
  asks: agentTraits.asks.default(true),
  askModes: agentTraits.askModes.default([]),
});

/**
 * Facts about one agent. The first handle is the one that session keys carry. `builtIn` agents ship with the
 * host, which knows where their command lies. `alternatives` are tried in order when the command of `launch` is not
 * installed; `installCommand` is what its own documentation says to type. `auth` names the variables that the agent keeps and the files of
 * which one shows a sign-in; without it the agent needs none. Each variable alone shows one, unless `sufficient` lists the
 * sets that do. `login` is the command by which a person signs in, `keyMethods` are the ACP methods that need no person
 * when one of their variables is set. `model` lists the ways to choose a model, the best first.
 */
export type CatalogueAgent = z.infer<typeof catalogueAgentSchema>;

const catalogueSchema = closedObject({ agents: z.array(catalogueAgentSchema) }).superRefine(
  ({ agents }, context) => {
    const owners = new Map<string, string>();
    for (const [index, agent] of agents.entries()) {
      for (const name of new Set([agent.id, ...agent.handles])) {
        const owner = owners.get(name);
        if (owner !== undefined) {
          context.addIssue({
            code: "custom",
            path: ["agents", index],
            message: `has the name ${name}, which is already ${owner}'s`,
          });
        }
        owners.set(name, agent.id);
      }
    }
  },
);

function isPattern(text: string): boolean {
  try {
    return new RegExp(`${text}|`).exec("")?.length === 2;
  } catch {
    // Not a regular expression at all.
    return false;
  }
}

/** Every agent that the host knows without configuration. */
export type Catalogue = z.infer<typeof catalogueSchema>;

/** Reads the catalogue's data file; the problems name each place by its path. */
export function readCatalogue(value: unknown): Checked<Catalogue> {
  return check(catalogueSchema, value);
}
