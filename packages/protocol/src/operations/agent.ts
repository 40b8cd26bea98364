// Operations on agents: which there are, and whether they can be used.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";
import { flagSchema } from "../query.ts";

const modelSourceSchema = z.enum(["provider_api", "fallback"]).nullable();

/** One agent as the list shows it. */
export const agentInfoSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    handles: z.array(z.string()).describe("The short names that a new session may be asked for by."),
    installed: z.boolean(),
    authReady: z.boolean().describe("Whether a login or key for the agent was found."),
    version: z.string().nullable().optional(),
    status: z.enum(["installed", "not_installed"]),
    supported: z.boolean().optional(),
    terminalOnly: z.boolean().optional(),
    supportsProviderForwarding: z.boolean().optional(),
    forwardableProviders: z.array(z.string()).optional(),
    models: z
      .array(z.object({ id: z.string(), name: z.string().optional() }))
      .optional()
      .describe("Only when asked for by includeModels."),
    modelSource: modelSourceSchema.optional(),
    source: modelSourceSchema
      .optional()
      .describe("The same as modelSource, for clients that read this name."),
    modelError: z.string().nullable().optional(),
    error: z
      .string()
      .nullable()
      .optional()
      .describe("The same as modelError, for clients that read this name."),
  })
  .meta({ id: "AgentInfo", description: "An agent that the host knows." });

/** One agent as the list shows it. */
export type AgentInfo = z.infer<typeof agentInfoSchema>;

/** What was found out about an agent's models. */
export interface ModelListing {
  readonly models: readonly { id: string; name?: string }[];
  readonly source: "provider_api" | "fallback" | null;
  readonly error: string | null;
}

/** The members of `AgentInfo` that tell of models, under the names of both families of clients. */
export function modelMembers({
  models,
  source,
  error,
}: ModelListing): Required<Pick<AgentInfo, "models" | "modelSource" | "source" | "modelError" | "error">> {
  return { models: [...models], modelSource: source, source, modelError: error, error };
}

/** `GET /sdk/acp/agents`. */
export const listAgents = defineOperation({
  name: "listAgents",
  method: "GET",
  path: "/sdk/acp/agents",
  summary: "List the agents",
  permission: "acp.agent",
  query: z.object({
    includeModels: flagSchema().describe("Whether to list each agent's models: true or false."),
  }),
  stream: false,
  response: successSchema({ agents: z.array(agentInfoSchema) }),
  errors: [],
});
