// Tables of the contracts: operations, error numbers, settings.
import {
  configJsonSchema,
  ERRORS,
  openApiDocument,
  OPERATIONS,
  type JsonSchema,
  type Operation,
} from "@holdfast/protocol";
import { code, markdownTable } from "./markdown-table.ts";

/** Every operation of the OpenAPI document, in its order. */
export function operationTable(): string {
  const { paths } = openApiDocument({ version: "0" });
  const permissions = new Map(
    Object.values<Operation>(OPERATIONS).map(({ name, permission }) => [name, permission]),
  );
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, responses }]) => [
      code(operationId),
      code(`${method.toUpperCase()} ${path}`),
      `${summary}${isStream(responses) ? " (stream)" : ""}`,
      code(permissions.get(operationId) ?? ""),
    ]),
  );
  return markdownTable(["operation", "request", "what it does", "permission"], rows);
}

/** Every error code with the numbers it travels as. */
export function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([name, { status, rpcCode }]) => [
    code(name),
    String(status),
    String(rpcCode),
  ]);
  return markdownTable(["code", "HTTP", "JSON-RPC"], rows);
}

/** Every setting of the configuration. */
export function configurationTable(): string {
  return markdownTable(["setting", "default", "what it does"], settingsOf(configJsonSchema(), ""));
}

function isStream(
  responses: ReturnType<typeof openApiDocument>["paths"][string][string]["responses"],
): boolean {
  return Object.keys(responses["200"]?.content ?? {}).includes("text/event-stream");
}

function settingsOf({ properties = {} }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (typeof schema === "boolean" || name === "$schema") return [];
    const path = `${prefix}${name}`;
    const { additionalProperties: each } = schema;
    const isMap = typeof each === "object" && each.properties !== undefined;
    const inner = isMap ? settingsOf(each, `${path}.ID.`) : settingsOf(schema, `${path}.`);
    if (inner.length > 0) return inner;
    const { default: value, description = "" } = schema;
    return [[code(path), value === undefined ? "" : code(JSON.stringify(value)), description]];
  });
}
