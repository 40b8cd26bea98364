// What stands in a form of an agent, and the answers that are made of it.
import type { InputAnswer, InputAnswers, InputQuestion, InputValue } from "@holdfast/ahp";

/** What stands in each field. */
export interface FormValues {
  readonly [questionId: string]: InputValue;
}

/** What stands in the fields before a person writes. */
export function firstValues(questions: readonly InputQuestion[]): FormValues {
  return Object.fromEntries(
    questions.flatMap((question) => {
      const value = firstValue(question);
      return value === undefined ? [] : [[question.id, value] as const];
    }),
  );
}

/** The answers; what was left empty is skipped. */
export function readAnswers(questions: readonly InputQuestion[], values: FormValues): InputAnswers {
  return Object.fromEntries(questions.map(({ id }) => [id, answerOf(values[id])]));
}

function answerOf(value: InputValue | undefined): InputAnswer {
  return value === undefined || isEmpty(value) ? { state: "skipped" } : { state: "submitted", value };
}

function isEmpty(value: InputValue): boolean {
  switch (value.kind) {
    case "text":
    case "selected":
      return value.value === "";
    case "number":
      return Number.isNaN(value.value);
    default:
      return false;
  }
}

function firstValue(question: InputQuestion): InputValue | undefined {
  switch (question.kind) {
    case "text":
      return question.defaultValue === undefined ? undefined : { kind: "text", value: question.defaultValue };
    case "number":
    case "integer":
      return question.defaultValue === undefined
        ? undefined
        : { kind: "number", value: question.defaultValue };
    case "boolean":
      return { kind: "boolean", value: question.defaultValue ?? false };
    case "single-select": {
      const recommended = question.options.find((option) => option.recommended === true);
      return recommended && { kind: "selected", value: recommended.id };
    }
    case "multi-select":
      return {
        kind: "selected-many",
        value: question.options.filter(({ recommended }) => recommended === true).map(({ id }) => id),
      };
  }
}
