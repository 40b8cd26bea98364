// Reads the params of a request field by field; what does not fit is refused with -32602, naming the field.
import { isAbsolute } from "node:path";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";

/** Params whose fields are not checked. */
export type Params = Readonly<Record<string, unknown>>;

export function invalidParams(field: string, expected: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `${field} must be ${expected}`, { field });
}

export function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readParams(params: unknown): Params {
  if (!isObject(params)) throw invalidParams("params", "an object");
  return params;
}

export function readString(params: Params, field: string): string {
  const value = params[field];
  if (typeof value !== "string" || value === "") throw invalidParams(field, "a non-empty string");
  return value;
}

/** Reads a string that may be absent; absent and null mean the same. */
export function readOptionalString(params: Params, field: string): string | undefined {
  return params[field] === undefined || params[field] === null ? undefined : readString(params, field);
}

export function readAbsolutePath(params: Params, field: string): string {
  const path = params[field];
  if (typeof path !== "string" || !isAbsolute(path)) throw invalidParams(field, "an absolute path");
  return path;
}

export function readOneOf<Word extends string>(params: Params, field: string, words: readonly Word[]): Word {
  const word = words.find((candidate) => candidate === params[field]);
  if (word === undefined) throw invalidParams(field, `one of ${words.join(", ")}`);
  return word;
}

/** A session or file that is asked for is not there. */
export const RESOURCE_NOT_FOUND = -32002;
