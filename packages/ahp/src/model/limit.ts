// Limits of commands and sessions: how they are written, which are in force, and which one ended something.
import type { OpenEnum } from "./json.ts";
import { count, number, object, oneOf, optional, text } from "./shape.ts";

/** Limits of one command; a fraction is allowed except for `processes`. */
export interface CommandLimits {
  readonly wallClockSeconds?: number;
  readonly outputMebibytes?: number;
  readonly memoryMebibytes?: number;
  readonly processes?: number;
  readonly cpuSeconds?: number;
  readonly cpuCores?: number;
  readonly diskWriteMebibytes?: number;
}

/** Limits of one process of an agent, with what it starts itself; the host's commands for it have their own. */
export interface AgentLimits {
  readonly outputMebibytes?: number;
  readonly cpuSeconds?: number;
  readonly diskWriteMebibytes?: number;
}

/** Limits of all commands and agents of a session, of a key or of the host together. */
export interface SharedLimits {
  readonly memoryMebibytes?: number;
  readonly processes?: number;
  readonly cpuCores?: number;
  /** Commands that run at once. */
  readonly openTerminals?: number;
}

/** Limits that a session sets below those of the configuration. */
export interface SessionLimits {
  /** For each of its commands. */
  readonly command?: CommandLimits;
  /** For each process of its agent. */
  readonly agent?: AgentLimits;
  /** For its agent and commands together. */
  readonly session?: SharedLimits;
}

/** Limits of the sessions of a key or an app, which its owner set. */
export interface KeyLimits {
  /** For each command of its sessions. */
  readonly command?: CommandLimits;
  /** For all its sessions together. */
  readonly key?: SharedLimits;
}

/** The processes that a limit counts together. */
export type LimitLevel = "command" | "agent" | "session" | "key" | "host";

/** A limit of the host that ended something. */
export interface LimitFired {
  /** Which limit, such as `turn-time`, `wall-clock`, `memory`, `output`. */
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "bytes" | "count";
  /** Absent for a limit of a turn. */
  readonly level?: LimitLevel;
}

/** A limit in force, and what enforces it: `none` where nothing on the machine can. */
export interface LimitInForce extends LimitFired {
  readonly level: LimitLevel;
  readonly by: OpenEnum<"host" | "cgroup2" | "cgroup1" | "rlimit" | "proc" | "none">;
}

const nouns: Readonly<Record<string, string>> = {
  "turn-time": "turn time",
  "wall-clock": "time",
  processes: "process",
  "cpu-time": "CPU time",
  "cpu-cores": "CPU",
  "disk-writes": "disk write",
  "open-terminals": "terminal",
};

/** A limit for people, such as `session memory limit (512 MiB)`. */
export function limitWords({ name, value, unit, level }: LimitFired): string {
  const owner = level === undefined || level === "command" ? "" : `${level} `;
  return `${owner}${nouns[name] ?? name} limit (${amountWords(name, value, unit)})`;
}

/** The effect of a limit, such as `Stopped: memory limit (512 MiB)`. A refused process does not stop its command. */
export function limitOutcome(limit: LimitFired): string {
  return `${limit.name === "processes" ? "Reached" : "Stopped"}: ${limitWords(limit)}`;
}

function amountWords(name: string, value: number, unit: LimitFired["unit"]): string {
  if (unit === "bytes") return scaled(value, 1024, ["bytes", "KiB", "MiB", "GiB", "TiB"]);
  if (unit === "count") {
    return name === "cpu-cores" ? `${value} ${value === 1 ? "core" : "cores"}` : `${value}`;
  }
  if (value < 1000) return `${value} ms`;
  return value % 60_000 === 0 ? `${value / 60_000} min` : `${round(value / 1000)} s`;
}

/** In the largest unit that leaves at least one of it. */
function scaled(value: number, step: number, units: readonly string[]): string {
  const [unit = "", ...larger] = units;
  return value < step || larger.length === 0 ? `${round(value)} ${unit}` : scaled(value / step, step, larger);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const level = oneOf("command", "agent", "session", "key", "host");
const fired = { name: text, value: number, unit: oneOf("ms", "bytes", "count") };

export const limitFiredShape = object<LimitFired>({ ...fired, level: optional(level) });

export const limitInForceShape = object<LimitInForce>({ ...fired, level, by: text });

const commandLimitsShape = object<CommandLimits>({
  wallClockSeconds: optional(number),
  outputMebibytes: optional(number),
  memoryMebibytes: optional(number),
  processes: optional(count),
  cpuSeconds: optional(number),
  cpuCores: optional(number),
  diskWriteMebibytes: optional(number),
});

const agentLimitsShape = object<AgentLimits>({
  outputMebibytes: optional(number),
  cpuSeconds: optional(number),
  diskWriteMebibytes: optional(number),
});

const sharedLimitsShape = object<SharedLimits>({
  memoryMebibytes: optional(number),
  processes: optional(count),
  cpuCores: optional(number),
  openTerminals: optional(count),
});

export const keyLimitsShape = object<KeyLimits>({
  command: optional(commandLimitsShape),
  key: optional(sharedLimitsShape),
});

export const sessionLimitsShape = object<SessionLimits>({
  command: optional(commandLimitsShape),
  agent: optional(agentLimitsShape),
  session: optional(sharedLimitsShape),
});
