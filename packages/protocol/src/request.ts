// Requests of the app API: their parts read by an operation's contract, in every spelling that clients use.
import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { HostError } from "./host-error.ts";
import type { Operation, OperationInput } from "./operation.ts";
import { check, problemSentence } from "./schema.ts";

/** A request as a server has it in hand: names and texts, nothing read yet. */
export interface RawRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** By their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body's text; empty and absent are the same. */
  readonly body?: string;
}

/** Reads the parts of a request by the operation's schemas; throws a `HostError` that names what does not fit. */
export function readRequest<Each extends Operation>(
  operation: Each,
  request: RawRequest,
): OperationInput<Each> {
  const input = {
    params: readPart(operation.params, request.params ?? {}, "The path", "INVALID_REQUEST"),
    query: readPart(operation.query, request.query ?? {}, "The query", "INVALID_REQUEST"),
    headers: readPart(operation.headers, request.headers ?? {}, "The headers", "INVALID_REQUEST"),
    body: readBody(operation, request.body ?? ""),
  };
  // Each part was read by the schema that the type is made from; the compiler cannot follow that through a generic.
  return input as OperationInput<Each>;
}

/** Reads a body that is no operation's by its schema; throws as `readRequest` does. */
export function readJsonBody<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  return readPart(schema, parseJson(text), "The body", "INVALID_REQUEST") as z.output<Schema>;
}

function readBody(operation: Operation, text: string): unknown {
  // Clients send their JSON content type with no body at all, and some of them a body where none belongs.
  if (operation.body === undefined) return undefined;
  const value = text.trim() === "" ? undefined : parseJson(text);
  const present = operation.bodyOptional === true ? (value ?? {}) : value;
  return readPart(operation.body, present, "The body", operation.invalidBody ?? "INVALID_REQUEST");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new HostError("INVALID_JSON", undefined, { cause });
  }
}

function readPart(schema: z.ZodType | undefined, value: unknown, whole: string, code: ErrorCode): unknown {
  if (schema === undefined) return undefined;
  const checked = check(schema, value);
  if (checked.ok) return checked.value;
  const sentences = checked.problems.map((problem) => problemSentence(problem, whole));
  throw new HostError(code, `${sentences.join("; ")}.`, { details: { problems: checked.problems } });
}

/** A whole number from 0 on, written in digits alone: a sign, a blank or a fraction is refused. */
export function wholeNumberSchema(limit: number = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,16}$/, "must be a whole number, in digits")
    .transform(Number)
    .refine((number) => number <= limit, { error: `must be at most ${limit}` });
}

/** A place in a session's events: those of every entry up to `seq`, or only the first `events` of that entry. */
export interface EventPlace {
  readonly seq: number;
  readonly events?: number | undefined;
}

/** The id of an event: its entry's number, and for all but the last event of an entry its place in it, such as `57.1`. */
export function eventIdSchema(): z.ZodType<EventPlace, string> {
  return z
    .string()
    .regex(/^\d{1,15}(?:\.[1-9]\d{0,8})?$/, "must be the id of an event, such as 57 or 57.1")
    .transform((id) => {
      const [seq, events] = id.split(".");
      return { seq: Number(seq), ...(events !== undefined && { events: Number(events) }) };
    });
}

/** `true` or `false`; left out, it is false. */
export function flagSchema(): z.ZodType<boolean, string | undefined> {
  return z.stringbool({ error: "must be true or false" }).default(false);
}

/** How a body is read before its schema sees it. */
interface Reading {
  /** Other spellings of a member, each with the name the schema knows; the schema's own name wins. */
  readonly spellings: Readonly<Record<string, string>>;
  /** Whether a member that is null counts as left out. */
  readonly nullIsAbsent: boolean;
}

/** A schema that first takes other spellings for its own; what is no object is left to the schema. */
export function readAs<Schema extends z.ZodType>(schema: Schema, reading: Reading): z.ZodPreprocess<Schema> {
  return z.preprocess((body) => rename(body, reading), schema);
}

function rename(body: unknown, { spellings, nullIsAbsent }: Reading): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).filter(([, value]) => !(nullIsAbsent && value === null));
  const present = new Set(members.map(([key]) => key));
  return Object.fromEntries(
    members.flatMap(([key, value]): [string, unknown][] => {
      const name = Object.hasOwn(spellings, key) ? (spellings[key] ?? key) : key;
      return name !== key && present.has(name) ? [] : [[name, value]];
    }),
  );
}
