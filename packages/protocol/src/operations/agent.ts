// Operations on agents: which there are, and whether they can be used.
import { z } from "zod";
import { remedySchema, successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";
import { flagSchema } from "../request.ts";

const modelSourceSchema = z
  .enum(["provider_api", "fallback"])
  .nullable()
  .describe("provider_api: this version of the agent reported them; fallback: another version did.");

export const agentInfoSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    handles: z.array(z.string()).describe("Short names that a new session may use for the agent."),
    installed: z.boolean(),
    authReady: z.boolean().describe("Whether a login or key for the agent was found."),
    version: z.string().nullable().optional(),
    status: z.enum(["installed", "not_installed"]),
    remedy: remedySchema.optional().describe("How to sign in to the agent, where no sign-in was found."),
    installCommand: z
      .string()
      .optional()
      .describe("A command that installs the agent; only for one that is not installed."),
    supported: z.boolean().optional(),
    terminalOnly: z.boolean().optional(),
    supportsProviderForwarding: z.boolean().optional(),
    forwardableProviders: z.array(z.string()).optional(),
    models: z
      .array(z.object({ id: z.string(), name: z.string().optional() }))
      .optional()
      .describe("Only with includeModels."),
    modelSource: modelSourceSchema.optional(),
    source: modelSourceSchema
      .optional()
      .describe("The same as modelSource, for clients that read this name."),
    modelError: z.string().nullable().optional().describe("Why the agent could not be asked."),
    modelsReportedAt: z
      .string()
      .nullable()
      .optional()
      .describe("When the agent last reported its models, as an ISO date."),
    error: z
      .string()
      .nullable()
      .optional()
      .describe("The same as modelError, for clients that read this name."),
  })
  .meta({ id: "AgentInfo", description: "An agent that the host knows." });

/** One agent as the list shows it. */
export type AgentInfo = z.infer<typeof agentInfoSchema>;

/** Models of an agent, as far as known. */
export interface ModelListing {
  readonly models: readonly { id: string; name?: string }[];
  readonly source: "provider_api" | "fallback" | null;
  readonly error: string | null;
  readonly at: string | null;
}

/** The members of `AgentInfo` about models, under the names of both families of clients. */
export function modelMembers({ models, source, error, at }: ModelListing): ModelMembers {
  return {
    models: [...models],
    modelSource: source,
    source,
    modelError: error,
    error,
    modelsReportedAt: at,
  };
}

type ModelMembers = Required<
  Pick<AgentInfo, "models" | "modelSource" | "source" | "modelError" | "error" | "modelsReportedAt">
>;

export const listAgents = defineOperation({
  name: "listAgents",
  method: "GET",
  path: "/sdk/acp/agents",
  summary: "List the agents",
  permission: "acp.agent",
  query: z.object({
    includeModels: flagSchema().describe(
      "Whether to list each agent's models. An installed agent that has never reported any is started once to ask it; the response then takes up to 20 s.",
    ),
  }),
  stream: false,
  response: successSchema({ agents: z.array(agentInfoSchema) }),
  errors: [],
});
