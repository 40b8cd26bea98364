// The option `--limit name=value` of `run`, `exec`, `keys create` and `apps grant` (C660).
import type { CommandLimits, KeyLimits, SessionLimits, SharedLimits } from "@holdfast/ahp";
import { InvalidArgumentError } from "commander";

/** Limits by the names of the API. */
export type GivenLimits = CommandLimits & SharedLimits;

const kibibytes = 1 / 1024;
const sizes = { K: kibibytes, M: 1, G: 1024, T: 1024 * 1024 } as const;
const times = { s: 1, m: 60, h: 3600 } as const;

interface LimitOption {
  readonly field: keyof GivenLimits;
  /** The letters that may follow the number; a number alone has the first one's unit, except a size. */
  readonly units: Readonly<Record<string, number>>;
  readonly example: string;
}

const options: Readonly<Record<string, LimitOption>> = {
  memory: { field: "memoryMebibytes", units: sizes, example: "512M" },
  processes: { field: "processes", units: {}, example: "100" },
  cpu: { field: "cpuCores", units: {}, example: "1.5" },
  time: { field: "wallClockSeconds", units: times, example: "5m" },
  "cpu-time": { field: "cpuSeconds", units: times, example: "60s" },
  output: { field: "outputMebibytes", units: sizes, example: "10M" },
  "disk-writes": { field: "diskWriteMebibytes", units: sizes, example: "1G" },
  terminals: { field: "openTerminals", units: {}, example: "8" },
};

const names = Object.keys(options).join(", ");
const bytesPerMebibyte = 1024 * 1024;

/** Reads one `name=value` and adds it to those before. */
export function readLimit(text: string, before: GivenLimits = {}): GivenLimits {
  const index = text.indexOf("=");
  const option = options[text.slice(0, Math.max(index, 0))];
  if (option === undefined) {
    throw new InvalidArgumentError(`A limit looks like memory=512M. The limits are ${names}.`);
  }
  const { field, units, example } = option;
  const match = /^(\d+(?:\.\d+)?)([A-Za-z]?)$/.exec(text.slice(index + 1));
  const letter = match?.[2] ?? "";
  const plain = units === sizes ? 1 / bytesPerMebibyte : 1;
  const factor = letter === "" ? plain : units[letter];
  const value = Number(match?.[1]) * (factor ?? Number.NaN);
  if (!Number.isFinite(value) || value <= 0) {
    const suffixes = Object.keys(units);
    const hint = suffixes.length === 0 ? "a number" : `a number with ${suffixes.join(", ")}`;
    throw new InvalidArgumentError(
      `${text.slice(0, index)} takes ${hint}, as in ${text.slice(0, index)}=${example}.`,
    );
  }
  return { ...before, [field]: value };
}

/** The limits of a session: amounts in use at once are for its agent and commands together, others for each command. */
export function toSessionLimits(given: GivenLimits): SessionLimits {
  const { command, shared } = splitLimits(given);
  return { ...(command && { command }), ...(shared && { session: shared }) };
}

/** The limits of a key: amounts in use at once are for all its sessions together, others for each command. */
export function toKeyLimits(given: GivenLimits): KeyLimits {
  const { command, shared } = splitLimits(given);
  return { ...(command && { command }), ...(shared && { key: shared }) };
}

function splitLimits(given: GivenLimits): { command?: CommandLimits; shared?: SharedLimits } {
  const { memoryMebibytes, processes, cpuCores, openTerminals, ...command } = given;
  const named = { memoryMebibytes, processes, cpuCores, openTerminals };
  const shared = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return {
    ...(Object.keys(command).length > 0 && { command }),
    ...(Object.keys(shared).length > 0 && { shared }),
  };
}

/** Limits as the option takes them. */
export function limitOptions(given: GivenLimits): string[] {
  return Object.entries(options).flatMap(([name, { field, units }]) => {
    const value = given[field];
    if (value === undefined) return [];
    const unit = units === sizes ? "M" : (Object.keys(units)[0] ?? "");
    return [`${name}=${value}${unit}`];
  });
}

/** The limits of one command. */
export function toCommandLimits({ openTerminals, ...command }: GivenLimits): CommandLimits {
  if (openTerminals === undefined) return command;
  throw new InvalidArgumentError("The limit terminals is for sessions: a command has one terminal.");
}
