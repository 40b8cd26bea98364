// Form of an agent, filled in at the keyboard field by field (C24).
import type { InputQuestion, InputRequest } from "@holdfast/ahp";
import { safeText } from "../../safe-text.ts";

export type FormRequest = Pick<InputRequest, "message" | "url" | "questions">;

/** Asks for one line; undefined when there is none. */
export type AskLine = (prompt: string) => Promise<string | undefined>;

type FieldValue = string | number | boolean | string[];

/** What was filled in, by the names of the fields. */
export type FormContent = Record<string, FieldValue>;

type SelectQuestion = Extract<InputQuestion, { kind: "single-select" | "multi-select" }>;

type Reading =
  | { readonly ok: true; readonly value: FieldValue | undefined }
  | { readonly ok: false; readonly why: string };

export function describeForm({ message = "The agent has a question", url }: FormRequest): string {
  const address = url === undefined ? "" : `\n  ${safeText(url)}`;
  return `${safeText(message)}${address}\n`;
}

/** What was filled in, by the names of the fields; undefined when the person went away. */
export async function fillIn(
  { questions = [] }: FormRequest,
  askLine: AskLine,
  write: (text: string) => void,
): Promise<FormContent | undefined> {
  const content: FormContent = {};
  for (const question of questions) {
    const value = await fillField(question, askLine, write);
    if (value === "gone") return undefined;
    if (value.given !== undefined) content[question.id] = value.given;
  }
  return content;
}

async function fillField(
  question: InputQuestion,
  askLine: AskLine,
  write: (text: string) => void,
): Promise<"gone" | { readonly given: FieldValue | undefined }> {
  for (;;) {
    const line = await askLine(promptOf(question));
    if (line === undefined) return "gone";
    const reading = readField(question, line.trim());
    if (reading.ok) return { given: reading.value };
    write(`  ${reading.why}\n`);
  }
}

function promptOf(question: InputQuestion): string {
  const { message, title, required = false } = question;
  const name = title === undefined || title === message ? message : `${title}: ${message}`;
  const options =
    "options" in question
      ? question.options.map(({ label }, index) => `\n    ${index + 1} ${safeText(label)}`).join("")
      : "";
  const hint = question.kind === "boolean" ? " (y/n)" : "";
  return `  ${safeText(name)}${hint}${required ? "" : " (may be left empty)"}${options}\n  > `;
}

function readField(question: InputQuestion, text: string): Reading {
  if (text === "") {
    if (question.required !== true) return { ok: true, value: undefined };
    return { ok: false, why: "This must be answered." };
  }
  switch (question.kind) {
    case "text":
      return { ok: true, value: text };
    case "number":
    case "integer":
      return readNumber(question, text);
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(text)) return { ok: true, value: true };
      if (/^(?:n|no|false)$/i.test(text)) return { ok: true, value: false };
      return { ok: false, why: "Answer y or n." };
    case "single-select":
      return readChoice(question, text);
    case "multi-select":
      return readOptions(question, text);
  }
}

function readNumber(
  { kind, min = -Infinity, max = Infinity }: Extract<InputQuestion, { kind: "number" | "integer" }>,
  text: string,
): Reading {
  const value = Number(text);
  const isWhole = kind === "number" || Number.isInteger(value);
  if (Number.isFinite(value) && isWhole && value >= min && value <= max) return { ok: true, value };
  return {
    ok: false,
    why: kind === "integer" ? "That is not a valid whole number." : "That is not a valid number.",
  };
}

function readChoice(question: Extract<InputQuestion, { kind: "single-select" }>, text: string): Reading {
  const id = findOption(question, text);
  if (id !== undefined) return { ok: true, value: id };
  return { ok: false, why: `Choose one of 1 to ${question.options.length}.` };
}

function readOptions(question: Extract<InputQuestion, { kind: "multi-select" }>, text: string): Reading {
  const values: string[] = [];
  for (const word of text.split(",")) {
    const id = findOption(question, word.trim());
    if (id === undefined) return { ok: false, why: "Enter the numbers, separated by commas." };
    values.push(id);
  }
  return { ok: true, value: values };
}

/** The id of an option that goes by this number or name; other words where they are allowed. */
function findOption(
  { options, allowFreeformInput = false }: SelectQuestion,
  text: string,
): string | undefined {
  const option = options[Number(text) - 1] ?? options.find(({ id, label }) => id === text || label === text);
  return option?.id ?? (allowFreeformInput ? text : undefined);
}
