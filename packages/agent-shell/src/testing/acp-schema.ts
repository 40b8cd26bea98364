// Checks messages against the official JSON schema of ACP v1, strictly: a field that the schema does not name is wrong.
import { createRequire } from "node:module";

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  not?: Schema;
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  "x-method"?: string;
  "x-side"?: string;
}

/** Result of checking a value: its faults, and the known fields (`undefined`: the schema does not restrict fields). */
interface Validation {
  readonly faults: string[];
  readonly known: Set<string> | undefined;
}

const { $defs: definitions } = createRequire(import.meta.url)(
  "@agentclientprotocol/sdk/schema/v1/schema.json",
) as { $defs: Record<string, Schema> };

/** The faults of the params of a request or notification that an agent sends. */
export function findParamsFaults(method: string, params: unknown): string[] {
  if (method === "$/cancel_request") return validate(named("CancelRequestNotification"), params, method);
  return validate(find(method, "client", /Request$|Notification$/), params, method);
}

/** The faults of the result that an agent gives. */
export function findResultFaults(method: string, result: unknown): string[] {
  return validate(find(method, "agent", /Response$/), result, `${method} result`);
}

/** The faults of an error that an agent gives. */
export function findErrorFaults(error: unknown): string[] {
  return validate(named("Error"), error, "error");
}

function find(method: string, side: string, name: RegExp): Schema {
  for (const [key, schema] of Object.entries(definitions)) {
    if (schema["x-method"] === method && schema["x-side"] === side && name.test(key)) return schema;
  }
  throw new Error(`ACP v1 has no ${method} that ${side}s answer`);
}

function named(name: string): Schema {
  const schema = definitions[name];
  if (schema === undefined) throw new Error(`The schema has no ${name}`);
  return schema;
}

function validate(schema: Schema, value: unknown, path: string): string[] {
  const { faults, known } = check(schema, value, path);
  if (known === undefined || !isFields(value)) return faults;
  const unknown = Object.keys(value).filter((key) => !known.has(key));
  return [...faults, ...unknown.map((key) => `${path}.${key} is not in the schema`)];
}

function check(schema: Schema, value: unknown, path: string): Validation {
  const own = [...checkValue(schema, value, path)];
  const validations: Validation[] = [{ faults: own, known: undefined }];
  const reference = schema.$ref?.split("/").at(-1);
  if (reference !== undefined) validations.push(check(named(reference), value, path));
  for (const part of schema.allOf ?? []) validations.push(check(part, value, path));
  for (const parts of [schema.anyOf, schema.oneOf]) {
    if (parts !== undefined) validations.push(checkAny(parts, value, path, parts === schema.oneOf));
  }
  if (schema.not !== undefined && check(schema.not, value, path).faults.length === 0) {
    own.push(`${path} is forbidden`);
  }
  if (isFields(value)) validations.push(checkFields(schema, value, path));
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries()) {
      own.push(...validate(schema.items, item, `${path}[${index}]`));
    }
  }
  return join(validations);
}

function* checkValue(schema: Schema, value: unknown, path: string): Generator<string> {
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (types !== undefined && !types.some((type) => isOfType(value, type))) {
    yield `${path} is not ${types.join(" or ")}`;
  }
  if (schema.const !== undefined && value !== schema.const) {
    yield `${path} is not ${JSON.stringify(schema.const)}`;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) yield `${path} is none of the enum`;
  if (typeof value === "number" && value < (schema.minimum ?? value)) yield `${path} is too small`;
  if (typeof value === "number" && value > (schema.maximum ?? value)) yield `${path} is too large`;
  if (typeof value === "string" && value.length < (schema.minLength ?? 0)) yield `${path} is too short`;
}

function checkFields(schema: Schema, value: Record<string, unknown>, path: string): Validation {
  const { properties, additionalProperties: rest } = schema;
  const faults = (schema.required ?? [])
    .filter((key) => value[key] === undefined)
    .map((key) => `${path}.${key} is missing`);
  const known = new Set<string>();
  for (const [key, field] of Object.entries(value)) {
    const property = properties?.[key];
    if (property !== undefined) faults.push(...validate(property, field, `${path}.${key}`));
    else if (typeof rest === "object") faults.push(...validate(rest, field, `${path}.${key}`));
    if (property !== undefined || typeof rest === "object" || rest === true) known.add(key);
  }
  return { faults, known: properties === undefined && rest === undefined ? undefined : known };
}

function checkAny(parts: Schema[], value: unknown, path: string, isExactlyOne: boolean): Validation {
  const validations = parts.map((part) => check(part, value, path));
  const fitting = validations.filter((validation) => validation.faults.length === 0);
  if (fitting.length === 0) {
    const [closest] = validations.toSorted((left, right) => left.faults.length - right.faults.length);
    return closest ?? { faults: [`${path} fits nothing`], known: undefined };
  }
  if (isExactlyOne && fitting.length > 1) return { faults: [`${path} is ambiguous`], known: undefined };
  return join(fitting);
}

function join(validations: Validation[]): Validation {
  let known: Set<string> | undefined;
  for (const validation of validations) {
    for (const key of validation.known ?? []) (known ??= new Set()).add(key);
    if (validation.known !== undefined) known ??= new Set();
  }
  return { faults: validations.flatMap((validation) => validation.faults), known };
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null": {
      return value === null;
    }
    case "array": {
      return Array.isArray(value);
    }
    case "object": {
      return isFields(value);
    }
    case "integer": {
      return Number.isInteger(value);
    }
    default: {
      return typeof value === type;
    }
  }
}
