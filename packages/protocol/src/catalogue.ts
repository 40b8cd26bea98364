// The form of the agent catalogue: what is known about each agent, as data and not as code.
import { z } from "zod";
import { check, closedObject } from "./problem.ts";
import type { Checked } from "./problem.ts";
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
  args: z.array(z.string()).default([]),
  env: z.array(forwardedVariableSchema).min(1),
});

/** How one provider's credentials reach an agent. */
export type Forwarding = z.infer<typeof forwardingSchema>;

const quirkSchema = z.enum([
  /** A read of a missing file must be answered with empty text, or the agent cannot create files. */
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

const catalogueAgentSchema = closedObject({
  id: agentNameSchema,
  handles: z.array(agentNameSchema).min(1),
  label: z.string().min(1),
  builtIn: z.boolean().default(false),
  launch: launchSchema,
  alternatives: z.array(launchSchema).default([]),
  versionProbe: closedObject({ args: z.array(z.string()).min(1) }).optional(),
  auth: closedObject({
    env: z.array(variableName).default([]),
    files: z.array(z.string().startsWith("~/")).default([]),
  }).optional(),
  model: z.array(modelChoiceSchema).default([]),
  forwarding: z.record(agentNameSchema, forwardingSchema).default({}),
  quirks: z.array(quirkSchema).default([]),
});

/**
 * What is known about one agent. The first handle is the one that session keys carry. `builtIn` agents ship with the
 * host, which knows where their command lies. `alternatives` are tried in order when the command of `launch` is not
 * installed. `auth` names the variables and files of which one shows that the agent can log in; without it the agent
 * needs no login. `model` lists the ways to choose a model, the best first.
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

/** Every agent that the host knows of by itself. */
export type Catalogue = z.infer<typeof catalogueSchema>;

/** Reads the catalogue's data file; the problems name each place by its path. */
export function readCatalogue(value: unknown): Checked<Catalogue> {
  return check(catalogueSchema, value);
}
