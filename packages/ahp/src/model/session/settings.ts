// The settings of a session: runtime options, modes, config options and commands.
import type { Changes } from "../immutable.ts";
import type { JsonValue, OpenEnum } from "../json.ts";
import { sessionLimitsShape, type SessionLimits } from "../limit.ts";
import {
  count,
  dictionary,
  flag,
  jsonObject,
  list,
  nullable,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
  type Shape,
} from "../shape.ts";

/** When the host asks a person before a tool runs; absent, the agent's own questions go to the caller. */
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number];

/** The names of the approval policies. */
export const APPROVAL_POLICIES = ["approve-all", "approve-reads", "deny-all", "ask"] as const;

/** Settings that an app chose for a session; they apply from the next turn on. */
export interface RuntimeOptions {
  readonly model?: string;
  readonly cwd?: string;
  readonly timeoutSeconds?: number;
  readonly runtimeMode?: string;
  readonly approvalPolicy?: ApprovalPolicy;
  readonly extras?: { readonly [name: string]: string };
  readonly limits?: SessionLimits;
}

/** A slash command that an agent understands. */
export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  /** The text to write after the name. */
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

const policyShape = oneOf(...APPROVAL_POLICIES);

export const runtimeOptionsShape = object<RuntimeOptions>({
  model: optional(text),
  cwd: optional(text),
  timeoutSeconds: optional(count),
  runtimeMode: optional(text),
  approvalPolicy: optional(policyShape),
  extras: optional(dictionary(text)),
  limits: optional(sessionLimitsShape),
});

export const runtimeOptionsChangesShape = object<Changes<RuntimeOptions>>({
  model: optional(nullable(text)),
  cwd: optional(nullable(text)),
  timeoutSeconds: optional(nullable(count)),
  runtimeMode: optional(nullable(text)),
  approvalPolicy: optional(nullable(policyShape)),
  extras: optional(nullable(dictionary(text))),
  limits: optional(nullable(sessionLimitsShape)),
});

export const commandsShape = list(
  object<AvailableCommand>({ name: text, description: text, inputHint: optional(text) }),
);

export const modesShape = object<SessionModes>({
  available: list(object<SessionMode>({ id: text, name: text, description: optional(text) })),
  currentModeId: text,
});

const option = { id: text, name: text, description: optional(text), category: optional(text) };
const choiceShape = object<ConfigChoice>({
  value: text,
  name: text,
  description: optional(text),
  group: optional(text),
});

export const configOptionsShape = list(
  taggedUnion<ConfigOption, "type">("type", {
    select: { ...option, currentValue: text, choices: list(choiceShape) },
    boolean: { ...option, currentValue: flag },
  }),
);

export const configValuesShape: Shape<ConfigValues> = jsonObject;
