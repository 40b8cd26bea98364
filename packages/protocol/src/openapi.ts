// The OpenAPI 3.1 document of the app API; nothing of an operation is written by hand.
import type { z } from "zod";
import { errorEnvelopeSchema } from "./envelope.ts";
import { ERRORS, type ErrorCode } from "./errors.ts";
import { EVENT_STREAM_TYPE } from "./events.ts";
import { toJsonSchema, type JsonSchema } from "./schema.ts";
import { SHARED_ERRORS, type Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";

/** One operation in the document. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: OpenApiContent }>
  >;
}

/** Content types with the schemas of what they carry. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** The document as a whole. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

/** Builds the document from the table of operations. */
export function openApiDocument(options: { version: string; serverUrl?: string }): OpenApiDocument {
  const components = new Components();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of Object.values<Operation>(OPERATIONS)) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Holdfast app API",
      version: options.version,
      description: "Sessions with coding agents over HTTP and server-sent events.",
    },
    ...(options.serverUrl !== undefined && { servers: [{ url: options.serverUrl }] }),
    security: [{ apiKey: [] }, { bearer: [] }, { appId: [] }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        bearer: { type: "http", scheme: "bearer" },
        appId: { type: "apiKey", in: "header", name: "x-app-id" },
      },
    },
  };
}

function describeOperation(operation: Operation, components: Components): OpenApiOperation {
  const { body } = operation;
  const contentType = operation.stream ? EVENT_STREAM_TYPE : "application/json";
  return {
    operationId: operation.name,
    summary: operation.summary,
    parameters: [
      ...describeParameters(operation.params, "path", components),
      ...describeParameters(operation.query, "query", components),
      ...describeParameters(operation.headers, "header", components),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: { "application/json": { schema: components.refer(body, "input") } },
      },
    }),
    responses: {
      "200": {
        description: operation.stream ? "The events, each as it comes." : "Success.",
        content: { [contentType]: { schema: components.refer(operation.response, "output") } },
      },
      ...describeErrors([...operation.errors, ...SHARED_ERRORS], components),
    },
  };
}

function describeParameters(
  schema: z.ZodObject | undefined,
  place: "path" | "query" | "header",
  components: Components,
): OpenApiOperation["parameters"] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.refer(schema, "input");
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property === true || property === false ? {} : property,
  }));
}

function describeErrors(codes: readonly ErrorCode[], components: Components): OpenApiOperation["responses"] {
  const envelope = components.refer(errorEnvelopeSchema, "output");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, together]) => [
      String(status),
      {
        description: together.map((code) => `${code}: ${ERRORS[code].message}`).join("\n\n"),
        content: {
          "application/json": {
            schema: { allOf: [envelope, { properties: { code: { enum: [...together] } } }] },
          },
        },
      },
    ]),
  );
}

/** Collects the named schemas of a document while others refer to them. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Writes a schema for use inside the document; what has a name goes to the components. */
  refer(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const { $schema: _dialect, $defs = {}, ...rest } = moveReferences(toJsonSchema(schema, io));
    for (const [name, definition] of Object.entries($defs)) this.#add(name, definition);
    return rest;
  }

  #add(name: string, definition: JsonSchema): void {
    const present = this.schemas[name];
    if (present !== undefined && JSON.stringify(present) !== JSON.stringify(definition)) {
      throw new Error(`Two different schemas are named ${name}`);
    }
    this.schemas[name] = definition;
  }
}

function moveReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  ) as JsonSchema;
}
