// Remembers which models agents offered when they last said so: nobody else knows.
import type { ModelListing } from "@holdfast/protocol";
import type { SelectOption } from "./model-choice.ts";

/** The models of each agent, by its id. */
export class ReportedModels {
  readonly #byAgent = new Map<string, ModelListing["models"]>();

  /** Keeps what an agent offers now. */
  note(agentId: string, { choices }: SelectOption): void {
    this.#byAgent.set(
      agentId,
      choices.map(({ value, name }) => ({ id: value, name })),
    );
  }

  /** What an agent offered last; nothing, from no source, when none of its sessions has said anything yet. */
  list(agentId: string): ModelListing {
    const models = this.#byAgent.get(agentId);
    return { models: models ?? [], source: models === undefined ? null : "provider_api", error: null };
  }
}
