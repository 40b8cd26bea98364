// Reads bodies as both families of clients write them: camelCase or snake_case, null for what is left out.
import { z } from "zod";

/** How a body is read before its schema sees it. */
export interface Reading {
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
