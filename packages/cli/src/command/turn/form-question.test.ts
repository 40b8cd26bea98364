// Forms field by field: what is taken, and what is asked for again.
import type { InputQuestion } from "@holdfast/ahp";
import { expect, it } from "vitest";
import { fillIn } from "./form-question.ts";

async function fill(questions: readonly InputQuestion[], ...lines: string[]): Promise<[unknown, string]> {
  let written = "";
  const content = await fillIn(
    { questions },
    () => Promise.resolve(lines.shift()),
    (text) => (written += text),
  );
  return [content, written];
}

const options = [
  { id: "u", label: "Ulm" },
  { id: "b", label: "Bonn" },
];

it("[C24] reads each kind of field as what it is, and leaves out what was left empty", async () => {
  const questions: InputQuestion[] = [
    { kind: "text", id: "name", message: "Name", required: true },
    { kind: "text", id: "note", message: "Note" },
    { kind: "number", id: "ratio", message: "Ratio", min: 0, max: 1 },
    { kind: "boolean", id: "sure", message: "Sure" },
    { kind: "single-select", id: "city", message: "City", options },
    { kind: "multi-select", id: "cities", message: "Cities", options, allowFreeformInput: true },
  ];
  expect(await fill(questions, "", "Ada", "", "2", "0.5", "maybe", "n", "3", "Bonn", "1, Jena")).toEqual([
    { name: "Ada", ratio: 0.5, sure: false, city: "b", cities: ["u", "Jena"] },
    "  This must be answered.\n  That is not a valid number.\n  Answer y or n.\n  Choose one of 1 to 2.\n",
  ]);
});

it("[C24] gives nothing when the person who was asked goes away", async () => {
  expect(await fill([{ kind: "text", id: "name", message: "Name" }])).toEqual([undefined, ""]);
});
