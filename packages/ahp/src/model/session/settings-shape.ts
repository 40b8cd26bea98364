// The shapes of what can be set in a session.
import type { Changes } from "../immutable.ts";
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
import type {
  ApprovalPolicy,
  AvailableCommand,
  ConfigChoice,
  ConfigOption,
  ConfigValues,
  RuntimeOptions,
  SessionMode,
  SessionModes,
} from "./settings.ts";

const policyShape = oneOf<ApprovalPolicy>("approve-all", "approve-reads", "deny-all");

/** The shape of runtime options. */
export const runtimeOptionsShape = object<RuntimeOptions>({
  model: optional(text),
  cwd: optional(text),
  timeoutSeconds: optional(count),
  runtimeMode: optional(text),
  approvalPolicy: optional(policyShape),
  extras: optional(dictionary(text)),
});

/** The shape of changes of runtime options. */
export const runtimeOptionsChangesShape = object<Changes<RuntimeOptions>>({
  model: optional(nullable(text)),
  cwd: optional(nullable(text)),
  timeoutSeconds: optional(nullable(count)),
  runtimeMode: optional(nullable(text)),
  approvalPolicy: optional(nullable(policyShape)),
  extras: optional(nullable(dictionary(text))),
});

/** The shape of a list of slash commands. */
export const commandsShape = list(
  object<AvailableCommand>({ name: text, description: text, inputHint: optional(text) }),
);

/** The shape of an agent's modes. */
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

/** The shape of an agent's options. */
export const configOptionsShape = list(
  taggedUnion<ConfigOption, "type">("type", {
    select: { ...option, currentValue: text, choices: list(choiceShape) },
    boolean: { ...option, currentValue: flag },
  }),
);

/** The shape of chosen values. */
export const configValuesShape: Shape<ConfigValues> = jsonObject;
