// The configuration of a host: what may stand in its file, what holds when a setting is left out.
import { z } from "zod";
import { agentTraits } from "./catalogue.ts";
import { limitsSchema } from "./command-limits.ts";
import { check, closedObject, toJsonSchema, type Checked, type JsonSchema } from "./schema.ts";
import { LIMITS } from "./limits.ts";
import {
  agentNameSchema,
  approvalPolicySchema,
  cwdSchema,
  isolationLevelSchema,
  lineSchema,
  modelSchema,
  timeoutSecondsSchema,
} from "./runtime-option.ts";

const environmentSchema = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
  z.string().refine((value) => !value.includes("\0"), { error: "must not contain a NUL character" }),
);

/** An origin as browsers send it. */
const originSchema = lineSchema(300).regex(
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/,
  "must be an origin, such as https://app.example, without a path",
);

const hostNameSchema = lineSchema(253).regex(
  /^(?:[A-Za-z0-9._-]+|(?=.*:.*:)[0-9A-Fa-f:.]+)$/,
  "must be a host name or an address, without a port",
);

/** Pipes, or a pseudo-terminal. */
const commandRunSchema = z.enum(["text", "tty"]);

const ownAgentSchema = closedObject({
  extends: agentNameSchema
    .optional()
    .describe("An agent of the catalogue, by id or handle, whose settings apply where this one has none."),
  command: z
    .string()
    .min(1)
    .optional()
    .describe("The program that speaks ACP on its standard input and output; required unless inherited."),
  args: z.array(z.string()).optional().describe("Its arguments."),
  env: environmentSchema.default({}).describe("Variables added to its environment."),
  cwd: cwdSchema.optional().describe("The directory to start it in; the session's directory if left out."),
  label: lineSchema(LIMITS.labelLength).optional().describe("The display name; the id if left out."),
  handles: z.array(agentNameSchema).optional().describe("Further names that select it."),
  ...closedObject(agentTraits).partial().shape,
});

const mcpServerSchema = closedObject({
  command: z
    .string()
    .min(1)
    .optional()
    .describe("The program that speaks MCP on its standard input and output."),
  args: z.array(z.string()).default([]).describe("Its arguments."),
  env: environmentSchema.default({}).describe("Variables added to its environment."),
  url: z.url().optional().describe("The address of the server, instead of a command."),
  transport: z.enum(["http", "sse"]).default("http").describe("The transport at its address."),
  headers: z
    .record(lineSchema(LIMITS.nameLength), z.string())
    .default({})
    .describe("HTTP headers sent to its address."),
}).refine(({ command, url }) => (command === undefined) !== (url === undefined), {
  error: "must have either a command or a url",
});

/** An agent of the user's own. */
export type OwnAgent = z.infer<typeof ownAgentSchema>;

const defaultsSchema = closedObject({
  agent: agentNameSchema.default("shell").describe("The agent of a session that names none."),
  cwd: cwdSchema
    .optional()
    .describe("The directory of a session that names none; the user's home if left out."),
  approvalPolicy: approvalPolicySchema.optional().describe("The policy of a session that names none."),
  timeoutSeconds: timeoutSecondsSchema.optional().describe("Time limit of a turn; no limit if left out."),
  model: modelSchema.optional().describe("The model of a session that names none."),
  runtimeMode: lineSchema(LIMITS.runtimeModeLength)
    .optional()
    .describe("The mode of a session that names none."),
});

const isolationSchema = closedObject({
  level: isolationLevelSchema
    .default("guard")
    .describe(
      "What agents and their commands see: guard hides the host's own files and processes, workspace also makes the machine read-only and hides credentials, none hides nothing.",
    ),
  require: z
    .boolean()
    .default(false)
    .describe("Whether a session is refused where this machine cannot isolate it."),
  writable: z
    .array(cwdSchema)
    .default([])
    .describe("Level workspace: further folders that agents and their commands may change."),
  visible: z
    .array(cwdSchema)
    .default([])
    .describe("Level workspace: credentials and sockets that are not hidden, by their paths."),
  hidden: z.array(cwdSchema).default([]).describe("Further folders and files that are hidden."),
  keepSecrets: z
    .array(z.string().min(1))
    .default([])
    .describe("Level workspace: secrets in the environment that commands keep, by the variable's name."),
});

const configSchema = closedObject({
  $schema: z.string().optional(),
  agents: z
    .record(agentNameSchema, ownAgentSchema)
    .superRefine(checkNames)
    .default({})
    .describe(
      "Custom agents, by id; one with the id or a handle of an agent of the catalogue changes that agent.",
    ),
  mcpServers: z
    .record(agentNameSchema, mcpServerSchema)
    .default({})
    .describe("MCP servers that sessions can select, by name."),
  defaults: defaultsSchema.prefault({}).describe("Defaults for new sessions."),
  allowedAgents: z
    .array(agentNameSchema)
    .optional()
    .describe("The only agents that may be started, by id or handle; all of them if left out."),
  policy: z
    .string()
    .min(1)
    .optional()
    .describe("The policy file, relative to the home; policy.jsonc if left out."),
  maxSessions: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe(
      "Sessions with a running agent above which no new session is created; idle sessions do not count, and can still resume.",
    ),
  acp: closedObject({
    enabled: z.boolean().default(true).describe("Whether agents may be started at all."),
    idleSeconds: z
      .number()
      .min(0.01)
      .max(LIMITS.maxTimeoutSeconds)
      .default(300)
      .describe("Idle time of a session after which its agent is stopped, if the agent can resume."),
    turnTextMebibytes: z
      .number()
      .min(0.01)
      .max(1024)
      .default(8)
      .describe(
        "The text of a turn that stays in memory; the beginning of a longer text is read from storage.",
      ),
    commandRun: commandRunSchema
      .default("text")
      .describe(
        "How commands of agents run: text on pipes, or tty on pseudo-terminals that people can type into.",
      ),
    commandRunOf: z
      .record(agentNameSchema, commandRunSchema)
      .optional()
      .describe("The same for single agents, by id."),
  })
    .prefault({})
    .describe("The Agent Client Protocol."),
  isolation: isolationSchema.prefault({}).describe("Isolation of agents and their commands."),
  apps: closedObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether a granted app on this machine may connect with only its app id, which is not a secret.",
      ),
    anyUser: z
      .boolean()
      .default(false)
      .describe(
        "Whether app ids are accepted from other users of this machine, and where the user cannot be determined.",
      ),
  })
    .prefault({})
    .describe("Apps that identify by an id instead of a key."),
  security: closedObject({
    agentsMayUseApi: z
      .array(agentNameSchema)
      .default([])
      .describe("Agents, by id or handle, whose processes may use the API with the owner's credentials."),
  })
    .prefault({})
    .describe("Rights of agents."),
  retention: closedObject({
    maxAgeDays: z.int().min(1).max(36_500).default(90).describe("How long a closed session is kept."),
    maxMebibytes: z
      .int()
      .min(16)
      .default(4096)
      .describe("Total size limit; above it the oldest closed sessions are removed, then logs."),
    auditDays: z.int().min(1).max(36_500).default(365).describe("How long the audit is kept."),
  })
    .prefault({})
    .describe("Retention of sessions, logs and the audit."),
  keeper: closedObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether agents and terminals run outside the host and survive its end; false: they end with the host.",
      ),
    awayMebibytes: z
      .int()
      .min(1)
      .max(16_384)
      .default(64)
      .describe("Output of an agent that is kept while no host runs; above it the agent waits."),
  })
    .prefault({})
    .describe("The process that holds agents and terminals while the host is restarted."),
  limits: limitsSchema
    .prefault({})
    .describe("Limits of commands and agents; without a value there is no limit."),
  listen: closedObject({
    host: z.string().min(1).default("127.0.0.1").describe("The address to listen on."),
    port: z.int().min(0).max(65_535).default(4747).describe("The port; 0 picks any free one."),
    allowRemote: z
      .boolean()
      .optional()
      .describe("Whether other machines may reach the host; without it the address must be this machine's."),
    allowedHosts: z
      .array(hostNameSchema)
      .optional()
      .describe("Names by which clients reach the host, beside its address; for a proxy in front of it."),
    allowedOrigins: z
      .array(originSchema)
      .optional()
      .describe("Origins of pages that may use the page's cookie and tickets like the host's own page."),
  })
    .prefault({})
    .describe("Where the host listens."),
});

/** No name may mean two agents of one's own. */
function checkNames(agents: Readonly<Record<string, OwnAgent>>, context: z.RefinementCtx): void {
  const owners = new Map(Object.keys(agents).map((id) => [id, id]));
  for (const [id, { handles = [] }] of Object.entries(agents)) {
    for (const handle of new Set(handles)) {
      const owner = owners.get(handle);
      if (owner !== undefined && owner !== id) {
        const message = `has the handle ${handle}, which is already ${owner}'s`;
        context.addIssue({ code: "custom", path: [id], message });
      }
      owners.set(handle, id);
    }
  }
}

/** The configuration of a host with every default filled in. */
export type Config = z.output<typeof configSchema>;

/** Reads a configuration that was parsed from its file; the problems name each setting by its path. */
export function readConfig(value: unknown): Checked<Config> {
  return check(configSchema, value);
}

/** The JSON Schema of the configuration file, for editors. */
export function configJsonSchema(): JsonSchema {
  return {
    title: "Holdfast configuration",
    ...toJsonSchema(configSchema, "input"),
  };
}
