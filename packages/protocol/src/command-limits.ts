// Limits of commands, sessions, keys and the host: what a value may be, for requests and for the configuration alike.
import type {
  AgentLimits,
  CommandLimits,
  KeyLimits,
  LimitFired,
  LimitInForce,
  SessionLimits,
  SharedLimits,
} from "@holdfast/ahp";
import { z } from "zod";
import { check, type Checked, closedObject } from "./schema.ts";

/** The most of each, so that none overflows when it is turned into bytes or milliseconds. */
const maxSeconds = 30 * 86_400;
const maxMebibytes = 64 * 1024 * 1024;
const maxCount = 4_000_000;

const seconds = z.number().min(0.001).max(maxSeconds);
const mebibytes = z.number().min(0.001).max(maxMebibytes);
const memory = z.number().min(1).max(maxMebibytes);
const whole = z.int().min(1).max(maxCount);
const cores = z.number().min(0.01).max(4096);

const commandShape = {
  wallClockSeconds: seconds.optional().describe("Time that a command may run."),
  outputMebibytes: mebibytes.optional().describe("Output that a command may write."),
  memoryMebibytes: memory.optional().describe("Memory of a command and all that it starts."),
  processes: whole.optional().describe("Processes of a command that are alive at once."),
  cpuSeconds: z.int().min(1).max(maxSeconds).optional().describe("CPU time of a command."),
  cpuCores: cores.optional().describe("CPU cores that a command may use at once, such as 0.5."),
  diskWriteMebibytes: mebibytes.optional().describe("What a command may write to disks."),
};

const agentShape = {
  outputMebibytes: mebibytes.optional().describe("Output that a process of an agent may write."),
  cpuSeconds: z
    .int()
    .min(1)
    .max(maxSeconds)
    .optional()
    .describe("CPU time of a process of an agent and all that it starts itself."),
  diskWriteMebibytes: mebibytes.optional().describe("What a process of an agent may write to disks."),
};

const sharedShape = {
  memoryMebibytes: memory.optional().describe("Memory of all agents and commands together."),
  processes: whole.optional().describe("Processes of all agents and commands that are alive at once."),
  cpuCores: cores.optional().describe("CPU cores that all agents and commands may use at once."),
  openTerminals: whole.optional().describe("Commands that may run at once."),
};

export const commandLimitsSchema = closedObject(commandShape).meta({
  id: "CommandLimits",
  description: "Limits of one command.",
}) satisfies z.ZodType<CommandLimits>;

const agentLimitsSchema = closedObject(agentShape).meta({
  id: "AgentLimits",
  description: "Limits of one process of an agent.",
}) satisfies z.ZodType<AgentLimits>;

const sharedLimitsSchema = closedObject(sharedShape).meta({
  id: "SharedLimits",
  description: "Limits of several agents and commands together.",
}) satisfies z.ZodType<SharedLimits>;

export const sessionLimitsSchema = closedObject({
  command: commandLimitsSchema.optional().describe("For each command of the session."),
  agent: agentLimitsSchema.optional().describe("For each process of its agent."),
  session: sharedLimitsSchema.optional().describe("For its agent and all its commands together."),
}).meta({
  id: "SessionLimits",
  description: "Limits of a session: at most those of the configuration.",
}) satisfies z.ZodType<SessionLimits>;

export const keyLimitsSchema = closedObject({
  command: commandLimitsSchema.optional().describe("For each command of its sessions."),
  key: sharedLimitsSchema.optional().describe("For all its sessions together."),
}).meta({
  id: "KeyLimits",
  description: "Limits of the sessions of a key or an app, beside those of the configuration.",
}) satisfies z.ZodType<KeyLimits>;

/** Reads the limits of a session that came by another way than the app API. */
export function readSessionLimits(value: unknown): Checked<SessionLimits> {
  return check(sessionLimitsSchema, value);
}

/** Limits by the name of a preset. */
const presets = {
  /** Five minutes and ten mebibytes, the limits in the example of ACP's documentation. */
  "short-commands": { wallClockSeconds: 300, outputMebibytes: 10 },
} as const satisfies Readonly<Record<string, CommandLimits>>;

/** The part of the configuration about limits; what is left out has no limit. */
export const limitsSchema = closedObject({
  preset: z
    .enum(["short-commands"])
    .optional()
    .describe("Limits for command where it sets none: short-commands is 300 seconds and 10 MiB of output."),
  command: closedObject(commandShape).default({}).describe("Limits of each command of an agent."),
  agent: closedObject(agentShape)
    .default({})
    .describe("Limits of each process of an agent, besides those of its session."),
  session: closedObject(sharedShape)
    .default({})
    .describe("Limits of each session: its agent and its commands together."),
  key: closedObject(sharedShape)
    .default({})
    .describe("Limits of all sessions of one API key or app together."),
  host: closedObject(sharedShape)
    .default({})
    .describe("Limits of everything that the host runs, people's terminals included."),
}).transform(({ preset, ...limits }) => ({
  ...limits,
  command: { ...(preset !== undefined && presets[preset]), ...limits.command },
}));

/** The limits of a configuration, presets filled in. */
export type LimitsConfig = z.output<typeof limitsSchema>;

const levelSchema = z.enum(["command", "agent", "session", "key", "host"]);

const firedShape = {
  name: z.string().describe("The name of the limit, such as wall-clock or memory."),
  value: z.number(),
  unit: z.enum(["ms", "bytes", "count"]),
};

export const limitFiredSchema = z.object({
  ...firedShape,
  level: levelSchema
    .optional()
    .describe("What it counts together: one command, an agent, a session, a key, the host."),
}) satisfies z.ZodType<LimitFired>;

export const limitInForceSchema = z
  .object({
    ...firedShape,
    level: levelSchema,
    by: z.string().describe("What enforces it: host, cgroup2, cgroup1, rlimit, proc; none if nothing can."),
  })
  .meta({ id: "LimitInForce", description: "A limit in force." }) satisfies z.ZodType<LimitInForce>;
