// Checks values against the JSON Schemas that AHP publishes: the few keywords they use.
import { z } from "zod";
import { readSchema } from "../fixtures.ts";
import { fieldsOf, type WireFields } from "./reference.ts";

const documentSchema = z.looseObject({ $defs: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Fields that the schemas require although their types let them be undefined or `null`. */
const neverRequired = new Set(["origin", "usage", "activity", "activeClient"]);

/** The definitions of one schema file. */
export class SchemaFile {
  readonly #definitions: { readonly [name: string]: WireFields };

  private constructor(definitions: { readonly [name: string]: WireFields }) {
    this.#definitions = definitions;
  }

  /** The file of a version; undefined when it is not there. */
  static read(version: string, name: string): SchemaFile | undefined {
    const document = readSchema(version, name);
    return document === undefined ? undefined : new SchemaFile(documentSchema.parse(document).$defs);
  }

  /** Whether there is a definition of that name. */
  has(name: string): boolean {
    return name in this.#definitions;
  }

  /** The problems of a value; empty when it is valid. */
  problems(name: string, value: unknown): readonly string[] {
    return this.#check({ $ref: `#/$defs/${name}` }, value, name);
  }

  #check(schema: WireFields, value: unknown, path: string): readonly string[] {
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      const target = this.#definitions[reference.replace("#/$defs/", "")];
      // Some files name types that they do not define: nothing can be said of those.
      return target ? this.#check(target, value, path) : [];
    }
    const choices = schema["oneOf"] ?? schema["anyOf"];
    if (Array.isArray(choices)) {
      const found = choices.map((choice) => this.#check(fieldsOf(choice), value, path));
      return found.some((problems) => problems.length === 0) ? [] : [`${path}: fits none of its choices`];
    }
    if ("const" in schema) return schema["const"] === value ? [] : [`${path}: has another value`];
    const allowed = schema["enum"];
    // A status is a set of bits, of which the schemas list the single ones.
    if (Array.isArray(allowed) && typeof value !== "number") {
      return allowed.includes(value) ? [] : [`${path}: ${String(value)} is none of its values`];
    }
    return this.#checkType(schema, value, path);
  }

  #checkType(schema: WireFields, value: unknown, path: string): readonly string[] {
    switch (schema["type"]) {
      case "string":
        // The generator of the schemas wrote this for types inside of types, which it had no name for.
        if (typeof value === "object" && /\.(items|content)$/.test(path)) return [];
        return typeof value === "string" ? [] : [`${path}: is no string`];
      case "number":
      case "boolean":
        return typeof value === schema["type"] ? [] : [`${path}: is no ${schema["type"]}`];
      case "array": {
        if (!Array.isArray(value)) return [`${path}: is no list`];
        const items = fieldsOf(schema["items"]);
        return value.flatMap((item, index) => this.#check(items, item, `${path}.${index}`));
      }
      case "object":
        return this.#checkObject(schema, value, path);
      default:
        return [];
    }
  }

  #checkObject(schema: WireFields, value: unknown, path: string): readonly string[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${path}: is no object`];
    const fields = fieldsOf(value);
    const required = (schema["required"] ?? []) as readonly string[];
    const missing = required.filter((name) => !(name in fields) && !neverRequired.has(name));
    const properties = fieldsOf(schema["properties"]);
    return [
      ...missing.map((name) => `${path}.${name}: is missing`),
      ...Object.entries(fields).flatMap(([name, inner]) =>
        name in properties ? this.#check(fieldsOf(properties[name]), inner, `${path}.${name}`) : [],
      ),
    ];
  }
}

/** The name under which the schemas define an action. */
export function actionName(type: string): string {
  return `${type
    .split("/")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Action`;
}
