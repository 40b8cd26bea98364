// The shapes of questions to a person and their answers.
import {
  dictionary,
  flag,
  id,
  jsonObject,
  list,
  number,
  object,
  optional,
  taggedUnion,
  text,
} from "../shape.ts";
import type { InputAnswer, InputOption, InputQuestion, InputRequest, InputValue } from "./input-request.ts";

const valueShape = taggedUnion<InputValue, "kind">("kind", {
  text: { value: text },
  number: { value: number },
  boolean: { value: flag },
  selected: { value: text, freeformValues: optional(list(text)) },
  "selected-many": { value: list(text), freeformValues: optional(list(text)) },
});

/** The shape of an answer. */
export const inputAnswerShape = taggedUnion<InputAnswer, "state">("state", {
  draft: { value: valueShape },
  submitted: { value: valueShape },
  skipped: {},
});

/** The shape of answers by question. */
export const inputAnswersShape = dictionary(inputAnswerShape);

const optionsShape = list(
  object<InputOption>({ id: text, label: text, description: optional(text), recommended: optional(flag) }),
);
const question = { id: text, title: optional(text), message: text, required: optional(flag) };
const bounds = { min: optional(number), max: optional(number) };

const questionShape = taggedUnion<InputQuestion, "kind">("kind", {
  text: { ...question, ...bounds, format: optional(text), defaultValue: optional(text) },
  number: { ...question, ...bounds, defaultValue: optional(number) },
  integer: { ...question, ...bounds, defaultValue: optional(number) },
  boolean: { ...question, defaultValue: optional(flag) },
  "single-select": { ...question, options: optionsShape, allowFreeformInput: optional(flag) },
  "multi-select": { ...question, ...bounds, options: optionsShape, allowFreeformInput: optional(flag) },
});

/** The shape of a question to a person. */
export const inputRequestShape = object<InputRequest>({
  id: id("input request"),
  message: optional(text),
  url: optional(text),
  questions: optional(list(questionShape)),
  requestedSchema: optional(jsonObject),
  toolCallId: optional(id("tool call")),
  answers: optional(inputAnswersShape),
  requestedAt: text,
  expiresAt: optional(text),
});
