// Values as queries and headers carry them: texts, read strictly.
import { z } from "zod";

/** A whole number from 0 on, written in digits alone: a sign, a blank or a fraction is refused. */
export function wholeNumberSchema(limit: number = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,16}$/, "must be a whole number, in digits")
    .transform(Number)
    .refine((number) => number <= limit, { error: `must be at most ${limit}` });
}

/** `true` or `false`; left out, it is false. */
export function flagSchema(): z.ZodType<boolean, string | undefined> {
  return z.stringbool({ error: "must be true or false" }).default(false);
}
