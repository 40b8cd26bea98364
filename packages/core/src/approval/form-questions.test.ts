// Forms of agents in all the ways in which ACP writes their fields.
import { expect, test } from "vitest";
import { readQuestions } from "./form-questions.ts";

test("[V10] every kind of field is a question, with its bounds, its choices and what stands in it at first", () => {
  const questions = readQuestions({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", title: "Name", minLength: 2, maxLength: 9, default: "Ada", format: "email" },
      coats: { type: "integer", description: "How many coats?", minimum: 1, maximum: 4, default: 2 },
      share: { type: "number", minimum: 0.5 },
      glossy: { type: "boolean", default: true },
      colour: { type: "string", enum: ["red", "blue"], default: "blue" },
      tone: { type: "string", oneOf: [{ const: "l", title: "Light", description: "Nearly white" }] },
      places: { type: "array", items: { type: "string", enum: ["hall", "attic"] }, maxItems: 1 },
      walls: { type: "array", items: { anyOf: [{ const: "n", title: "North" }] }, default: ["n"] },
      odd: null,
    },
  });
  expect(questions).toEqual([
    {
      id: "name",
      title: "Name",
      message: "Name",
      required: true,
      kind: "text",
      min: 2,
      max: 9,
      format: "email",
      defaultValue: "Ada",
    },
    {
      id: "coats",
      message: "How many coats?",
      required: false,
      kind: "integer",
      min: 1,
      max: 4,
      defaultValue: 2,
    },
    { id: "share", message: "share", required: false, kind: "number", min: 0.5 },
    { id: "glossy", message: "glossy", required: false, kind: "boolean", defaultValue: true },
    {
      id: "colour",
      message: "colour",
      required: false,
      kind: "single-select",
      options: [
        { id: "red", label: "red" },
        { id: "blue", label: "blue", recommended: true },
      ],
    },
    {
      id: "tone",
      message: "tone",
      required: false,
      kind: "single-select",
      options: [{ id: "l", label: "Light", description: "Nearly white" }],
    },
    {
      id: "places",
      message: "places",
      required: false,
      kind: "multi-select",
      max: 1,
      options: [
        { id: "hall", label: "hall" },
        { id: "attic", label: "attic" },
      ],
    },
    {
      id: "walls",
      message: "walls",
      required: false,
      kind: "multi-select",
      options: [{ id: "n", label: "North", recommended: true }],
    },
    { id: "odd", message: "odd", required: false, kind: "text" },
  ]);
});

test.each([[{}], [{ properties: null }], [{ properties: [], required: "all" }]])(
  "[V10] a schema without sense has no questions: %j",
  (schema) => {
    expect(readQuestions(schema)).toEqual([]);
  },
);
