// Reads the cases: what a state is before, what happens, what it is after.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const caseSchema = z.strictObject({
  name: z.string(),
  /** The SPEC rule that the case shows. */
  rule: z.string().regex(/^M\d+$/),
  kind: z.enum(["root", "session", "chat", "terminal"]),
  /** The fields in which the state differs from a new one. */
  before: z.record(z.string(), z.unknown()),
  actions: z.array(z.looseObject({ type: z.string() })).min(1),
  /** The fields that changed, `null` for one that went away; all others are as before. `same`: the very same object. */
  after: z.union([z.literal("same"), z.record(z.string(), z.unknown())]),
});

/** One case. */
export type Case = z.infer<typeof caseSchema>;

/** All cases, in the order of their files. */
export function readCases(): readonly Case[] {
  const folder = fileURLToPath(new URL("../model/cases/", import.meta.url));
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => z.array(caseSchema).parse(JSON.parse(readFileSync(folder + file, "utf8"))));
}
