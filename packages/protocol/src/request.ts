// Reads a request by the contract of its operation, or says what is wrong with it.
import type { z } from "zod";
import { HostError } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";
import type { Operation, OperationInput } from "./operation.ts";
import { check, problemSentence } from "./problem.ts";

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
