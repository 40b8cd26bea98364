// JSON Schema from the contracts' own schemas.
import { z } from "zod";

/** A JSON Schema document, or a part of one. */
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * Writes a schema as JSON Schema 2020-12: what may be sent (`input`) or what is answered (`output`).
 * Answers stay open: a client must not refuse a member that a later host adds.
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
