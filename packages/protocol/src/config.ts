// The configuration of a host: what may stand in its file, what holds when a setting is left out.
import { z } from "zod";
import { toJsonSchema } from "./json-schema.ts";
import type { JsonSchema } from "./json-schema.ts";
import { LIMITS } from "./limits.ts";
import { check, closedObject } from "./problem.ts";
import type { Checked } from "./problem.ts";
import {
  agentNameSchema,
  approvalPolicySchema,
  cwdSchema,
  lineSchema,
  modelSchema,
  timeoutSecondsSchema,
} from "./runtime-option.ts";

const environmentSchema = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
  z.string().refine((value) => !value.includes("\0"), { error: "must not contain a NUL character" }),
);

const hostNameSchema = lineSchema(253).regex(
  /^(?:[A-Za-z0-9._-]+|(?=.*:.*:)[0-9A-Fa-f:.]+)$/,
  "must be a host name or an address, without a port",
);

const ownAgentSchema = closedObject({
  command: z.string().min(1).describe("The program that speaks ACP on its standard input and output."),
  args: z.array(z.string()).default([]).describe("Its arguments."),
  env: environmentSchema.default({}).describe("Variables added to its environment."),
  cwd: cwdSchema.optional().describe("Where it is started; the session's directory if left out."),
  label: lineSchema(LIMITS.labelLength).optional().describe("What people see; the id if left out."),
});

const mcpServerSchema = closedObject({
  command: z
    .string()
    .min(1)
    .optional()
    .describe("The program that speaks MCP on its standard input and output."),
  args: z.array(z.string()).default([]).describe("Its arguments."),
  env: environmentSchema.default({}).describe("Variables added to its environment."),
  url: z.url().optional().describe("Where it is, instead of a command."),
  transport: z.enum(["http", "sse"]).default("http").describe("How it is spoken to at its address."),
  headers: z
    .record(lineSchema(LIMITS.nameLength), z.string())
    .default({})
    .describe("What is sent to its address."),
}).refine(({ command, url }) => (command === undefined) !== (url === undefined), {
  error: "must have either a command or a url",
});

/** An agent of the user's own. */
export type OwnAgent = z.infer<typeof ownAgentSchema>;

const defaultsSchema = closedObject({
  agent: agentNameSchema.default("shell").describe("The agent where none is named."),
  cwd: cwdSchema
    .optional()
    .describe("The directory of a session that names none; the user's home if left out."),
  approvalPolicy: approvalPolicySchema.optional().describe("The policy of a session that names none."),
  timeoutSeconds: timeoutSecondsSchema.optional().describe("How long a turn may take; no limit if left out."),
  model: modelSchema.optional().describe("The model of a session that names none."),
  runtimeMode: lineSchema(LIMITS.runtimeModeLength)
    .optional()
    .describe("The mode of a session that names none."),
});

const configSchema = closedObject({
  $schema: z.string().optional(),
  agents: z.record(agentNameSchema, ownAgentSchema).default({}).describe("Agents of your own, by their ids."),
  mcpServers: z
    .record(agentNameSchema, mcpServerSchema)
    .default({})
    .describe("MCP servers that a session's agent may be given, by their names."),
  defaults: defaultsSchema.prefault({}).describe("What a new session is given where it does not say."),
  allowedAgents: z
    .array(agentNameSchema)
    .optional()
    .describe("The only agents that may be started, by id or handle; all of them if left out."),
  maxSessions: z.int().min(1).max(10_000).default(64).describe("How many sessions may be open at once."),
  acp: closedObject({
    enabled: z.boolean().default(true).describe("Whether agents may be started at all."),
    idleSeconds: z
      .number()
      .min(0.01)
      .max(LIMITS.maxTimeoutSeconds)
      .default(300)
      .describe(
        "How long a session may be left alone before its agent is stopped, if it can be brought back.",
      ),
  })
    .prefault({})
    .describe("The Agent Client Protocol."),
  apps: closedObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether a granted app on this machine may come in with its app id alone."),
  })
    .prefault({})
    .describe("Apps that are known by an id instead of a key."),
  retention: closedObject({
    maxAgeDays: z.int().min(1).max(36_500).default(90).describe("How long a closed session is kept."),
    maxMebibytes: z
      .int()
      .min(16)
      .default(4096)
      .describe("How much is kept in all; above it the oldest closed sessions go, then logs."),
    auditDays: z.int().min(1).max(36_500).default(365).describe("How long the audit is kept."),
  })
    .prefault({})
    .describe("What is let go of in time."),
  listen: closedObject({
    host: z.string().min(1).default("127.0.0.1").describe("The address to listen on."),
    port: z.int().min(0).max(65_535).default(4747).describe("The port; 0 takes any that is free."),
    allowRemote: z
      .boolean()
      .optional()
      .describe("Whether other machines may reach the host; without it the address must be this machine's."),
    allowedHosts: z
      .array(hostNameSchema)
      .optional()
      .describe("Names under which others reach the host, beside its address; for a proxy in front of it."),
  })
    .prefault({})
    .describe("Where the host listens."),
});

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
