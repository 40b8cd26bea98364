// What can be set in a session: the host's own options, and the options, modes and commands that its agent offers.
import type { JsonValue, OpenEnum } from "../json.ts";

/** When the host asks a person before a tool runs; absent, the agent's own questions go to the caller. */
export type ApprovalPolicy = "approve-all" | "approve-reads" | "deny-all";

/** What an app chose for a session; it holds from the next turn on. */
export interface RuntimeOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly timeoutSeconds?: number;
  readonly runtimeMode?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly extras?: { readonly [name: string]: string };
}

/** A slash command that an agent understands. */
export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  /** What to write after the name. */
  readonly inputHint?: string;
}

/** The modes an agent works in. */
export interface SessionModes {
  readonly available: readonly SessionMode[];
  readonly currentModeId: string;
}

/** A mode such as asking before every change. */
export interface SessionMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

interface OptionText {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category?: OpenEnum<"mode" | "model" | "model_config" | "thought_level">;
}

/** A setting that an agent offers; the order of the list is the agent's. */
export type ConfigOption =
  | (OptionText & {
      readonly type: "select";
      readonly currentValue: string;
      readonly choices: readonly ConfigChoice[];
    })
  | (OptionText & { readonly type: "boolean"; readonly currentValue: boolean });

/** A value that a select option can take. */
export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  /** The heading under which the agent lists it. */
  readonly group?: string;
}

/** Chosen values by the id of their option. */
export interface ConfigValues {
  readonly [optionId: string]: JsonValue;
}

/** The options after some values were chosen; a value that an option cannot take is left out. */
export function chooseValues(
  options: readonly ConfigOption[],
  values: ConfigValues,
): readonly ConfigOption[] {
  const chosen = options.map((option) => chooseValue(option, values[option.id]));
  return chosen.some((option, index) => option !== options[index]) ? chosen : options;
}

function chooseValue(option: ConfigOption, value: JsonValue | undefined): ConfigOption {
  if (value === option.currentValue) return option;
  if (option.type === "boolean") {
    return typeof value === "boolean" ? { ...option, currentValue: value } : option;
  }
  const isOffered = option.choices.some((choice) => choice.value === value);
  return typeof value === "string" && isOffered ? { ...option, currentValue: value } : option;
}
