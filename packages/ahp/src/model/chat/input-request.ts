// A question that an agent asks a person, with its fields and the answers given so far.
import type { Actor } from "../failure.ts";
import type { InputRequestId, ToolCallId } from "../ids.ts";
import type { JsonObject, Timestamp, Uri } from "../json.ts";

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
