// Operations on agents.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

/** The handlers of what concerns agents. */
export function agentHandlers(host: HostPort): Pick<Handlers, "listAgents"> {
  return {
    listAgents: async ({ query }) => success({ agents: await host.listAgents(query.includeModels) }),
  };
}
