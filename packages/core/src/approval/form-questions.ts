// The fields of an agent's form as questions, from the JSON Schema that it sends.
import {
  type InputOption,
  type InputQuestion,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "@holdfast/ahp";

/** The questions of a form; the rest of the schema stays in it. */
export function readQuestions(schema: JsonObject): InputQuestion[] {
  const required = new Set(listOf(schema["required"]));
  return Object.entries(fieldsOf(schema["properties"])).map(([id, property]) =>
    readQuestion(id, fieldsOf(property), required.has(id)),
  );
}

function readQuestion(id: string, property: JsonObject, required: boolean): InputQuestion {
  const title = textOf(property["title"]);
  const message = textOf(property["description"]) ?? title ?? id;
  const text = { id, message, ...(title !== undefined && { title }), required };
  const fallback = property["default"];
  switch (property["type"]) {
    case "number":
    case "integer": {
      const { type: kind } = property;
      const range = rangeOf(property, "minimum", "maximum");
      return { ...text, kind, ...range, ...(typeof fallback === "number" && { defaultValue: fallback }) };
    }
    case "boolean":
      return { ...text, kind: "boolean", ...(typeof fallback === "boolean" && { defaultValue: fallback }) };
    case "array": {
      const options = readOptions(fieldsOf(property["items"]), listOf(fallback)) ?? [];
      return { ...text, kind: "multi-select", options, ...rangeOf(property, "minItems", "maxItems") };
    }
    default:
      return { ...text, ...readText(property, fallback) };
  }
}

type TextQuestion = Extract<InputQuestion, { kind: "text" | "single-select" }>;
type WithoutText<Question> = Question extends InputQuestion
  ? Omit<Question, "id" | "title" | "message" | "required">
  : never;

/** Text, or one of a few choices. */
function readText(property: JsonObject, fallback: JsonValue | undefined): WithoutText<TextQuestion> {
  const options = readOptions(property, fallback === undefined ? [] : [fallback]);
  if (options !== undefined) return { kind: "single-select", options };
  const format = textOf(property["format"]);
  return {
    kind: "text",
    ...rangeOf(property, "minLength", "maxLength"),
    ...(format !== undefined && { format }),
    ...(typeof fallback === "string" && { defaultValue: fallback }),
  };
}

/** The choices, with labels where there are any; undefined where any text will do. */
function readOptions(schema: JsonObject, chosen: readonly JsonValue[]): InputOption[] | undefined {
  const plain = schema["enum"];
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(plain) && !Array.isArray(titled)) return undefined;
  const options = Array.isArray(plain)
    ? listOf(plain).flatMap((value) => (typeof value === "string" ? [{ id: value, label: value }] : []))
    : listOf(titled).flatMap(readTitled);
  return options.map((option) =>
    chosen.includes(option.id) ? Object.assign(option, { recommended: true }) : option,
  );
}

function readTitled(value: JsonValue): InputOption[] {
  const option = fieldsOf(value);
  const id = textOf(option["const"]);
  const description = textOf(option["description"]);
  if (id === undefined) return [];
  const label = textOf(option["title"]) ?? id;
  return [{ id, label, ...(description !== undefined && { description }) }];
}

function rangeOf(property: JsonObject, least: string, most: string): { min?: number; max?: number } {
  const { [least]: min, [most]: max } = property;
  return { ...(typeof min === "number" && { min }), ...(typeof max === "number" && { max }) };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
