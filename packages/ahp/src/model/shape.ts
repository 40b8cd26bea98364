// Checks that a value from outside has the shape of a type; the compiler checks that each shape covers its type.
import { isId, type Id, type IdKind } from "./ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** Where a check stands, and the first thing it found wrong. */
interface Trail {
  readonly path: string[];
  problem?: string;
}

/** Says whether a value has a shape; if not, it leaves the reason in the trail. */
export type Shape<Type> = (value: unknown, trail: Trail) => value is Type;

/** A field that may be absent or `undefined`. */
export interface OptionalShape<Type> {
  readonly optional: Shape<Type>;
}

/** A shape for each field of a type: an optional one where the type says so, and nowhere else. */
export type FieldShapes<Type> = {
  readonly [Key in keyof Type]-?: undefined extends Type[Key]
    ? OptionalShape<Exclude<Type[Key], undefined>>
    : Shape<Type[Key]>;
};

/** The outcome of a check: the value itself, or a line that says where it is wrong. */
export type Checked<Type> =
  | { readonly ok: true; readonly value: Type }
  | { readonly ok: false; readonly problem: string };

/** Checks a value that came from outside; fields that the shape does not know are kept. */
export function checkShape<Type>(shape: Shape<Type>, value: unknown): Checked<Type> {
  const trail: Trail = { path: [] };
  if (shape(value, trail)) return { ok: true, value };
  return { ok: false, problem: trail.problem ?? "The value has the wrong shape." };
}

export const text: Shape<string> = expecting("a string", (value) => typeof value === "string");
/** Text of a bounded number of characters. */
export function shortText(maxLength: number): Shape<string> {
  return expecting(
    `a string of at most ${maxLength} characters`,
    (value) => typeof value === "string" && value.length <= maxLength,
  );
}
export function id<Kind extends IdKind>(kind: Kind): Shape<Id<Kind>> {
  return (value, trail): value is Id<Kind> => isId(kind, value) || fail(trail, `the name of a ${kind}`);
}
export const number: Shape<number> = expecting("a finite number", (value) => Number.isFinite(value));
/** A whole number from zero up: a count, a size, an offset. */
export const count: Shape<number> = expecting(
  "a whole number from 0 up",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const flag: Shape<boolean> = expecting("true or false", (value) => typeof value === "boolean");
/** A JSON object whose fields are not looked into. */
export const jsonObject: Shape<JsonObject> = expecting("an object", isJsonObject);
/** A JSON value that is not looked into. */
export const jsonValue: Shape<JsonValue> = expecting(
  "a JSON value",
  (value) => value !== undefined && typeof value !== "function",
);

export function optional<Type>(shape: Shape<Type>): OptionalShape<Type> {
  return { optional: shape };
}

export function literal<const Value extends string | boolean>(expected: Value): Shape<Value> {
  return expecting(JSON.stringify(expected), (value) => value === expected);
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Shape<Value> {
  return expecting(`one of ${values.join(", ")}`, (value) => values.some((known) => known === value));
}

export function nullable<Type>(shape: Shape<Type>): Shape<Type | null> {
  return (value, trail): value is Type | null => value === null || shape(value, trail);
}

export function list<Item>(item: Shape<Item>): Shape<readonly Item[]> {
  return (value, trail): value is readonly Item[] => {
    if (!Array.isArray(value)) return fail(trail, "a list");
    return value.every((entry, index) => within(trail, String(index), item, entry));
  };
}

export function dictionary<Item>(item: Shape<Item>): Shape<{ readonly [key: string]: Item }> {
  return (value, trail): value is { readonly [key: string]: Item } => {
    if (!isJsonObject(value)) return fail(trail, "an object");
    return Object.entries(value).every(
      ([key, entry]) => entry === undefined || within(trail, key, item, entry),
    );
  };
}

export function object<Type extends object>(fields: FieldShapes<Type>): Shape<Type> {
  const entries: readonly Field[] = Object.entries(fields);
  return (value, trail): value is Type =>
    isJsonObject(value) ? hasFields(value, entries, trail) : fail(trail, "an object");
}

/** A union whose members differ by the text in one field; each is given by its other fields. */
export function taggedUnion<Type extends object, Tag extends keyof Type & string>(
  tag: Tag,
  members: {
    readonly [Value in Type[Tag] & string]: FieldShapes<
      Omit<Extract<Type, { readonly [Key in Tag]: Value }>, Tag>
    >;
  },
): Shape<Type> {
  const names = Object.keys(members);
  const fieldsByName = new Map<unknown, readonly Field[]>();
  for (const [name, fields] of Object.entries<object>(members)) {
    fieldsByName.set(name, Object.entries(fields));
  }
  return (value, trail): value is Type => {
    if (!isJsonObject(value)) return fail(trail, "an object");
    const fields = fieldsByName.get(value[tag]);
    if (fields) return hasFields(value, fields, trail);
    trail.path.push(tag);
    return fail(trail, `one of ${names.join(", ")}`);
  };
}

type Field = readonly [key: string, shape: Shape<unknown> | OptionalShape<unknown>];

function hasFields(
  value: { readonly [key: string]: unknown },
  fields: readonly Field[],
  trail: Trail,
): boolean {
  return fields.every(([key, field]) => {
    const entry = value[key];
    if (typeof field === "function") return within(trail, key, field, entry);
    return entry === undefined || within(trail, key, field.optional, entry);
  });
}

function expecting<Type>(expected: string, test: (value: unknown) => boolean): Shape<Type> {
  return (value, trail): value is Type => test(value) || fail(trail, expected);
}

function within(trail: Trail, key: string, shape: Shape<unknown>, value: unknown): boolean {
  trail.path.push(key);
  const fits = shape(value, trail);
  if (fits) trail.path.pop();
  return fits;
}

function fail(trail: Trail, expected: string): false {
  trail.problem = `${trail.path.join(".") || "value"}: expected ${expected}`;
  return false;
}
