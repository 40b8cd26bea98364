// Finds the reducer fixtures of AHP, which are published data and not part of this repository.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const fixtureSchema = z.looseObject({
  description: z.string(),
  reducer: z.string(),
  initial: z.record(z.string(), z.unknown()),
  actions: z.array(z.looseObject({ type: z.string() })),
  expected: z.record(z.string(), z.unknown()),
});

/** A state, what happens, and the state after it. */
export type ReducerFixture = z.infer<typeof fixtureSchema> & { readonly file: string };

const beside = fileURLToPath(new URL("../../../../../shared/fixtures/ahp/", import.meta.url));
const folder = process.env["HOLDFAST_AHP_FIXTURES"] ?? beside;

/** Whether the fixtures of a version are there. */
export function hasFixtures(version: string): boolean {
  return existsSync(join(folder, version));
}

/** Says why tests that need the fixtures are skipped. */
export const FIXTURES_MISSING = `the AHP fixtures are not in ${folder}: set HOLDFAST_AHP_FIXTURES to their folder`;

/** The reducer fixtures of a version; none when they are not there. */
export function readFixtures(version: string): readonly ReducerFixture[] {
  return readJson(join(folder, version, "reducers")).map(({ file, content }) => ({
    ...fixtureSchema.parse(content),
    file,
  }));
}

function readJson(path: string): readonly { readonly file: string; readonly content: unknown }[] {
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => ({ file, content: JSON.parse(readFileSync(join(path, file), "utf8")) as unknown }));
}

const roundTripSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  input: z.unknown(),
  acceptableOutputs: z.tuple([z.unknown()]),
});

/** A value on the wire, and how it looks after it was read and written again. */
export type RoundTrip = z.infer<typeof roundTripSchema> & { readonly file: string };

/** The round trips of a version; none when they are not there. */
export function readRoundTrips(version: string): readonly RoundTrip[] {
  return readJson(join(folder, version, "round-trips")).map(({ file, content }) => ({
    ...roundTripSchema.parse(content),
    file,
  }));
}

/** The JSON Schema of a version, such as `state`; undefined when it is not there. */
export function readSchema(version: string, name: string): unknown {
  const path = join(folder, version, "schema", `${name}.schema.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
