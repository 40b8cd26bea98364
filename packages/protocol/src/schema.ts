// Schemas of the contracts: checks with readable problems, closed objects, and JSON Schema.
import { z } from "zod";

/** One thing that is wrong with a value, and where: `agents.mine.args[0]`, empty for the value itself. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The outcome of a check: the value as the schema reads it, or everything that is wrong with it. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a value by a schema; the sentences name what was expected and what was there instead. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): Checked<z.output<Schema>> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return { ok: true, value: result.data };
  return {
    ok: false,
    problems: result.error.issues.map(({ path, message }) => ({ path: formatPath(path), message })),
  };
}

/** One sentence of a problem; `whole` names the value where the problem has no path. */
export function problemSentence({ path, message }: Problem, whole: string): string {
  return `${path === "" ? whole : path} ${message}`;
}

/** An object whose every key must be known; the message for another key lists those there are. */
export function closedObject<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
    .filter((key) => !key.startsWith("$"))
    .join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? `${unknownKeys(issue.keys)}; it has: ${known}` : undefined,
  });
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.expected === "int") return "must be a whole number";
      return `must be ${nounOfType(issue.expected)}, not ${nounOfValue(issue.input)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return describeBound("at least", issue.minimum, issue.origin);
    case "too_big":
      return describeBound("at most", issue.maximum, issue.origin);
    case "invalid_key":
      return `is not a valid name: it ${issue.issues[0]?.message ?? "does not fit"}`;
    case "unrecognized_keys":
      return unknownKeys(issue.keys);
    case "invalid_union":
      return "is none of the known kinds";
    default:
      return undefined;
  }
}

function describeBound(bound: "at least" | "at most", limit: number | bigint, origin: string): string {
  if (origin === "number") return `must be ${bound} ${limit}`;
  if (bound === "at least" && limit === 1) return "must not be empty";
  return `must have ${bound} ${limit} ${origin === "string" ? "characters" : "entries"}`;
}

function unknownKeys(keys: readonly string[]): string {
  return `has no member ${keys.map((key) => JSON.stringify(key)).join(", ")}`;
}

function nounOfType(expected: string): string {
  return expected === "record" ? "an object" : withArticle(expected);
}

function nounOfValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return withArticle(typeof value);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** A JSON Schema document, or a part of one. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * Writes a schema as JSON Schema 2020-12: of requests (`input`) or of responses (`output`).
 * Responses stay open: a client must not refuse a member that a later host adds.
 */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      const isOpen = def.type === "object" && !("catchall" in def && def.catchall !== undefined);
      if (isOpen) delete jsonSchema.additionalProperties;
      // The format says it already, in fewer than four hundred characters.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    },
  });
}
