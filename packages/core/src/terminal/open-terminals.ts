// How many commands run at once in each scope, and the refusal of one more.
import { HostError } from "@holdfast/protocol";
import type { RunScope } from "../limit/host-limits.ts";

const owners = { session: "this session", key: "this key's sessions", host: "this host" } as const;

export class OpenTerminals {
  readonly #counts = new Map<string, number>();

  /** Counts a command in its scopes until the returned function is called; throws where a scope is full. */
  enter(scopes: readonly RunScope[]): () => void {
    const limited = scopes.filter(({ openTerminals }) => openTerminals !== undefined);
    for (const scope of limited) {
      const { level, openTerminals = 0 } = scope;
      if ((this.#counts.get(nameOf(scope)) ?? 0) < openTerminals) continue;
      throw new HostError(
        "TOO_MANY_TERMINALS",
        `${openTerminals} commands of ${owners[level]} are already running. Wait for one to end, end one, or raise limits.${level}.openTerminals.`,
      );
    }
    return this.reenter(scopes);
  }

  /** The same for a command that an earlier host started, whatever the limits are now. */
  reenter(scopes: readonly RunScope[]): () => void {
    const limited = scopes.filter(({ openTerminals }) => openTerminals !== undefined);
    for (const scope of limited) this.#add(scope, 1);
    let hasLeft = false;
    return () => {
      if (!hasLeft) for (const scope of limited) this.#add(scope, -1);
      hasLeft = true;
    };
  }

  #add(scope: RunScope, change: 1 | -1): void {
    const name = nameOf(scope);
    const count = (this.#counts.get(name) ?? 0) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

function nameOf({ level, id }: RunScope): string {
  return `${level} ${id}`;
}
