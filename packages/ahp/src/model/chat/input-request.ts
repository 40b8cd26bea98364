// A question from an agent to a person, and its answers.
import type { Actor } from "../failure.ts";
import type { InputRequestId, ToolCallId } from "../ids.ts";
import type { JsonObject, Timestamp, Uri } from "../json.ts";
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

/** A form to fill in, or an address to visit. */
export interface InputRequest {
  readonly id: InputRequestId;
  readonly message?: string;
  /** Set when the person must go somewhere rather than fill in a form. */
  readonly url?: Uri;
  readonly questions?: readonly InputQuestion[];
  /** The agent's own schema of the form, against which the answer is made. */
  readonly requestedSchema?: JsonObject;
  readonly toolCallId?: ToolCallId;
  readonly answers?: InputAnswers;
  readonly requestedAt: Timestamp;
  readonly expiresAt?: Timestamp;
}

interface QuestionText {
  readonly id: string;
  readonly title?: string;
  readonly message: string;
  readonly required?: boolean;
}

/** One field of a form. */
export type InputQuestion =
  | (QuestionText & {
      readonly kind: "text";
      readonly format?: string;
      readonly min?: number;
      readonly max?: number;
      readonly defaultValue?: string;
    })
  | (QuestionText & {
      readonly kind: "number";
      readonly min?: number;
      readonly max?: number;
      readonly defaultValue?: number;
    })
  | (QuestionText & {
      readonly kind: "integer";
      readonly min?: number;
      readonly max?: number;
      readonly defaultValue?: number;
    })
  | (QuestionText & { readonly kind: "boolean"; readonly defaultValue?: boolean })
  | (QuestionText & {
      readonly kind: "single-select";
      readonly options: readonly InputOption[];
      readonly allowFreeformInput?: boolean;
    })
  | (QuestionText & {
      readonly kind: "multi-select";
      readonly options: readonly InputOption[];
      readonly allowFreeformInput?: boolean;
      readonly min?: number;
      readonly max?: number;
    });

/** A choice that a select question offers. */
export interface InputOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly recommended?: boolean;
}

/** Answers by the id of their question. */
export interface InputAnswers {
  readonly [questionId: string]: InputAnswer;
}

/** An answer that is being written, is given, or was left out. */
export type InputAnswer =
  | { readonly state: "draft"; readonly value: InputValue }
  | { readonly state: "submitted"; readonly value: InputValue }
  | { readonly state: "skipped" };

/** The value of an answer. */
export type InputValue =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "selected"; readonly value: string; readonly freeformValues?: readonly string[] }
  | {
      readonly kind: "selected-many";
      readonly value: readonly string[];
      readonly freeformValues?: readonly string[];
    };

/** How a question ended; `by` is the host when its turn ended first. */
export interface InputResponse {
  readonly response: "accept" | "decline" | "cancel";
  readonly by: Actor;
}

const valueShape = taggedUnion<InputValue, "kind">("kind", {
  text: { value: text },
  number: { value: number },
  boolean: { value: flag },
  selected: { value: text, freeformValues: optional(list(text)) },
  "selected-many": { value: list(text), freeformValues: optional(list(text)) },
});

export const inputAnswerShape = taggedUnion<InputAnswer, "state">("state", {
  draft: { value: valueShape },
  submitted: { value: valueShape },
  skipped: {},
});

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
