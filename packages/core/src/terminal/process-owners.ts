// Owners of the host's processes by the marker in their environment: a person's terminal, or a session.
import { randomUUID } from "node:crypto";
import type { SessionUri, TerminalUri } from "@holdfast/ahp";

/** Whom processes were started for. */
export type MarkedFor =
  | { readonly kind: "terminal"; readonly uri: TerminalUri }
  | { readonly kind: "session"; readonly uri: SessionUri };

/** Remembered of each kind; the oldest are forgotten first, and then count as an agent's. */
const maxRemembered = 20_000;

/** The markers of one host. */
export class ProcessOwners {
  readonly #terminals = new Map<string, MarkedFor>();
  readonly #sessions = new Map<string, MarkedFor>();

  /** Makes the marker of one run. */
  issue(markedFor: MarkedFor): string {
    const marker = randomUUID();
    // Separate, so that the commands of agents do not push out the terminals of people.
    const owners = markedFor.kind === "terminal" ? this.#terminals : this.#sessions;
    owners.set(marker, markedFor);
    const [oldest] = owners.keys();
    if (owners.size > maxRemembered && oldest !== undefined) owners.delete(oldest);
    return marker;
  }

  find(marker: string): MarkedFor | undefined {
    return this.#terminals.get(marker) ?? this.#sessions.get(marker);
  }
}
