// Owners of the host's processes by the marker in their environment: a person's terminal, or a session.
import { createHash, randomUUID } from "node:crypto";
import type { SessionUri, TerminalUri } from "@holdfast/ahp";
import { forwardTo, type ProcessPort } from "@holdfast/terminal/port";

/** Whom processes were started for. */
export type MarkedFor =
  | { readonly kind: "terminal"; readonly uri: TerminalUri }
  | { readonly kind: "session"; readonly uri: SessionUri };

/** Remembered of each kind; the oldest are forgotten first. */
const maxRemembered = 20_000;

/** The markers of one host. They begin with its name: other hosts, and programs that use the engine, make their own. */
export class ProcessOwners {
  readonly #prefix: string;
  readonly #terminals = new Map<string, MarkedFor>();
  readonly #sessions = new Map<string, MarkedFor>();

  /** The home names the host, also after a restart. */
  constructor(home: string) {
    this.#prefix = `${createHash("sha256").update(home).digest("hex").slice(0, 16)}.`;
  }

  /** Makes the marker of one run; one for nobody in particular is an agent's. */
  issue(markedFor?: MarkedFor): string {
    const marker = this.#prefix + randomUUID();
    if (markedFor !== undefined) this.restore(marker, markedFor);
    return marker;
  }

  /** Remembers a marker that an earlier host issued. */
  restore(marker: string, markedFor: MarkedFor): void {
    // Separate, so that the commands of agents do not push out the terminals of people.
    const owners = markedFor.kind === "terminal" ? this.#terminals : this.#sessions;
    owners.set(marker, markedFor);
    const [oldest] = owners.keys();
    if (owners.size > maxRemembered && oldest !== undefined) owners.delete(oldest);
  }

  find(marker: string): MarkedFor | undefined {
    return this.#terminals.get(marker) ?? this.#sessions.get(marker);
  }

  /** Whether this host, or one before it in the same home, made a marker. */
  isOwn(marker: string): boolean {
    return marker.startsWith(this.#prefix);
  }
}

/** A process port that marks every run as this host's. */
export function markRuns(processPort: ProcessPort, owners: ProcessOwners): ProcessPort {
  return forwardTo(processPort, {
    start: (request, sink) =>
      processPort.start({ ...request, marker: request.marker ?? owners.issue() }, sink),
  });
}
