// The limits of the configuration and of sessions: what may be requested, and what applies to a run.
import type { CommandLimits, KeyLimits, LimitInForce, SessionState, SharedLimits } from "@holdfast/ahp";
import { HostError, type LimitsConfig } from "@holdfast/protocol";
import type { LimitBackends, LimitScope, RunLimits } from "@holdfast/terminal/port";
import { findExcess, LIMIT_UNITS, strictestLimits, toRunLimits } from "@holdfast/terminal/terminal";
import { describeInForce } from "./limit-kind.ts";

/** A scope of the process port, with the limit that the host itself enforces. */
export interface RunScope extends LimitScope {
  /** Commands that may run in it at once. */
  readonly openTerminals?: number | undefined;
}

/** The part of a session's state that its limits depend on. */
type LimitedSession = Pick<SessionState, "resource" | "owner" | "runtimeOptions">;

/** The limits of one host. */
export class HostLimits {
  readonly #config: LimitsConfig;

  constructor(config: LimitsConfig) {
    this.#config = config;
  }

  /** Rejects limits of a session that are above those of the configuration or of its owner's key (A712). */
  checkSession(
    { limits = {} }: Pick<LimitedSession["runtimeOptions"], "limits">,
    owner: LimitedSession["owner"],
  ): void {
    const { command, agent, session } = this.#config;
    const remedy = (path: string): string => `raise ${path} in the configuration`;
    requireWithin("limits.command", limits.command, command, remedy);
    requireWithin("limits.agent", limits.agent, agent, remedy);
    requireWithin("limits.session", limits.session, session, remedy);
    const ofKey = keyLimitsOf(owner);
    requireWithin("limits.command", limits.command, ofKey.command ?? {}, keyRemedy);
    requireWithin("limits.session", limits.session, ofKey.key ?? {}, keyRemedy);
  }

  /** The limits of one command of a session: the strictest of the host's, the key's, the session's and its own. */
  commandLimits({ runtimeOptions, owner }: LimitedSession, requested: RunLimits = {}): RunLimits {
    const host = toRunLimits(this.#config.command);
    const key = toRunLimits(keyLimitsOf(owner).command ?? {});
    const session = toRunLimits(runtimeOptions.limits?.command ?? {});
    const strictest = strictestLimits(strictestLimits(host, key), session);
    const excess = findExcess(requested, strictest);
    if (excess !== undefined) {
      const [name = "", { factor = 1 } = {}] =
        Object.entries(LIMIT_UNITS).find(([, { limit }]) => limit === excess.name) ?? [];
      const isSessions = session[excess.name] === excess.ceiling;
      const isKeys = key[excess.name] === excess.ceiling;
      const othersRemedy = isKeys ? keyRemedy() : `raise limits.command.${name} in the configuration`;
      throw tooHigh(
        `limits.${name}`,
        excess.requested / factor,
        excess.ceiling / factor,
        isSessions ? `raise limits.command.${name} of the session` : othersRemedy,
      );
    }
    return strictestLimits(strictest, requested);
  }

  /** The limits of one process of a session's agent: the stricter of the host's and the session's. */
  agentLimits({ runtimeOptions }: LimitedSession): RunLimits {
    return strictestLimits(toRunLimits(this.#config.agent), toRunLimits(runtimeOptions.limits?.agent ?? {}));
  }

  /** The scopes around an agent or command of a session, or around a person's command; outermost first. */
  scopesOf(session?: LimitedSession): readonly RunScope[] {
    const { host, key } = this.#config;
    const scopes = [makeScope("host", "", host)];
    if (session === undefined) return scopes;
    const { owner, runtimeOptions, resource } = session;
    if (owner.kind === "app") {
      scopes.push(makeScope("key", owner.appId, lowest(key, keyLimitsOf(owner).key)));
    }
    const own = lowest(this.#config.session, runtimeOptions.limits?.session);
    scopes.push(makeScope("session", resource, own));
    return scopes;
  }

  /** All limits that apply in a session, and what enforces each; `backends` are those of its agent's run. */
  inForce(session: LimitedSession, backends: LimitBackends | undefined): readonly LimitInForce[] {
    const scopes = this.scopesOf(session).toReversed();
    const levels = [
      { level: "command" as const, limits: this.commandLimits(session) },
      { level: "agent" as const, limits: this.agentLimits(session) },
      ...scopes,
    ];
    return levels.flatMap((scope) => {
      const { level, limits } = scope;
      const kernel = Object.entries<number | undefined>({ ...limits }).flatMap(([name, value]) => {
        if (value === undefined) return [];
        const limit = name as keyof RunLimits;
        const isHosts = limit === "wallClockMs" || limit === "outputBytes";
        const by = isHosts ? "host" : (backends?.[limit as "processes"] ?? "none");
        return [describeInForce(limit, value, level, by)];
      });
      const { openTerminals } = scope as Partial<RunScope>;
      if (openTerminals === undefined) return kernel;
      const open = {
        name: "open-terminals",
        value: openTerminals,
        unit: "count",
        level,
        by: "host",
      } as const;
      return [...kernel, open];
    });
  }
}

/** Limits that the owner set for the key or app that a session belongs to. */
function keyLimitsOf(owner: LimitedSession["owner"]): KeyLimits {
  return owner.kind === "app" ? (owner.limits ?? {}) : {};
}

function keyRemedy(): string {
  return "ask the host's owner for a key with a higher limit";
}

function makeScope(level: RunScope["level"], id: string, limits: SharedLimits): RunScope {
  const { openTerminals, ...shared } = limits;
  return { level, id, limits: toRunLimits(shared), openTerminals };
}

type Named = CommandLimits & SharedLimits;

/** The lower of each value that one of them has. */
function lowest(one: SharedLimits, other: SharedLimits = {}): SharedLimits {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof SharedLimits>;
  const lower: { -readonly [Name in keyof SharedLimits]: number } = {};
  for (const name of names) {
    lower[name] = Math.min(one[name] ?? Number.POSITIVE_INFINITY, other[name] ?? Number.POSITIVE_INFINITY);
  }
  return lower;
}

function requireWithin(
  field: string,
  requested: Named = {},
  ceiling: Named,
  remedy: (path: string) => string,
): void {
  for (const [name, value] of Object.entries(requested) as [keyof Named, number | undefined][]) {
    const most = ceiling[name];
    if (value !== undefined && most !== undefined && value > most) {
      throw tooHigh(`${field}.${name}`, value, most, remedy(`${field}.${name}`));
    }
  }
}

function tooHigh(field: string, requested: number, most: number, remedy: string): HostError {
  const message = `${field}: ${requested} is above the limit in force, ${most}. Request at most ${most}, or ${remedy}.`;
  return new HostError("LIMIT_TOO_HIGH", message, { details: { field, most } });
}
