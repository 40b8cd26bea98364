// The agents that can be started, as AHP lists them.
import type { AgentInfo } from "../../model/root/agent.ts";

/** An agent in the root's list. */
export interface WireAgent {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly WireModel[];
}

/** A model of an agent. */
export interface WireModel {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
}

/** The agents of the catalogue that a session can be made with: AHP has no word for the others. */
export function showAgents(agents: readonly AgentInfo[]): readonly WireAgent[] {
  return agents
    .filter(({ launch, installation }) => launch === "acp" && installation.status === "installed")
    .map(({ provider, displayName, description, models }) => ({
      provider,
      displayName,
      description,
      models: models.map((model) => ({ ...model, provider })),
    }));
}
