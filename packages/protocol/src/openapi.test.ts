// The OpenAPI document: every operation is in it, and it holds together.
import { describe, expect, it } from "vitest";
import { ERRORS } from "./errors.ts";
import { openApiDocument } from "./openapi.ts";
import { SHARED_ERRORS } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

const document = openApiDocument({ version: "1.2.3", serverUrl: "http://127.0.0.1:4747" });
const operations = Object.values<Operation>(OPERATIONS);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every value under a key, at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const deeper = valuesOf(key, inner);
    return name === key ? deeper.concat(inner) : deeper;
  });
}

describe("the OpenAPI document", () => {
  it("[P24] says what it is and survives JSON unchanged", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.2.3");
    expect(document.servers).toEqual([{ url: "http://127.0.0.1:4747" }]);
    expect(openApiDocument({ version: "1" })).not.toHaveProperty("servers");
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it("[P24] has each operation of the table once, and no other", () => {
    expect(described.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      Object.keys(OPERATIONS).toSorted(),
    );
  });

  it.each(operations)("[P24] describes the request and the response of $name", (operation) => {
    const { method, path, name, body, bodyOptional, stream } = operation;
    const entry = document.paths[path]?.[method.toLowerCase()];
    expect(entry?.operationId).toBe(name);
    expect(entry?.requestBody?.required).toBe(body === undefined ? undefined : bodyOptional !== true);
    expect(Object.keys(entry?.responses["200"]?.content ?? {})).toEqual([
      stream ? "text/event-stream" : "application/json",
    ]);
  });

  it.each(operations)("[P24] lists every error of $name under its status", (operation) => {
    const responses = document.paths[operation.path]?.[operation.method.toLowerCase()]?.responses;
    for (const code of [...operation.errors, ...SHARED_ERRORS]) {
      const response = responses?.[String(ERRORS[code].status)];
      expect(response?.description).toContain(`${code}: `);
      expect(valuesOf("enum", response?.content).flat()).toContain(code);
    }
  });

  it.each(described)(
    "[P25] $method $path declares exactly the parameters in its path",
    ({ path, operation }) => {
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name)).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
      );
      expect(inPath.every(({ required }) => required)).toBe(true);
    },
  );

  it("[A42] a header that means something to an operation is among its parameters", () => {
    const headersOf = (path: string, method: string): string[] =>
      (document.paths[path]?.[method]?.parameters ?? [])
        .filter((parameter) => parameter.in === "header" && !parameter.required)
        .map(({ name }) => name);
    expect(headersOf("/sdk/acp/session/{key}/chat/stream", "post")).toEqual(["idempotency-key"]);
    expect(headersOf("/sdk/acp/terminals/{id}/stream", "get")).toEqual(["last-event-id"]);
    expect(headersOf("/sdk/acp/sessions", "get")).toEqual([]);
  });

  it("[P25] every reference leads to a component, and every component is referred to", () => {
    const references = new Set(valuesOf("$ref", document).map(String));
    const components = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(references).toEqual(new Set(components));
    expect(components.length).toBeGreaterThan(8);
  });

  it("[P25] every security requirement is a declared scheme", () => {
    const schemes = Object.keys(document.components.securitySchemes);
    expect(document.security.flatMap((requirement) => Object.keys(requirement))).toEqual(schemes);
  });

  it("[P26] options are closed to unknown members, answers are open to new ones", () => {
    const { RuntimeOptions, SessionStatus, AgentInfo } = document.components.schemas;
    expect(RuntimeOptions?.additionalProperties).toBe(false);
    expect(SessionStatus).not.toHaveProperty("additionalProperties");
    expect(AgentInfo).not.toHaveProperty("additionalProperties");
  });
});
