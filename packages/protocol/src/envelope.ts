// The two forms of every JSON answer: success with a named member, and failure with a sentence and a code.
import { z } from "zod";
import { ERRORS } from "./errors.ts";
import type { ErrorCode, HostError } from "./errors.ts";

/** What a successful answer looks like: `success` and its named members beside it. */
export type SuccessEnvelope<Members extends object> = { success: true } & Members;

/** The schema of a successful answer with these members. */
export function successSchema<Shape extends z.ZodRawShape>(
  members: Shape,
): z.ZodObject<{ success: z.ZodLiteral<true> } & Shape> {
  return z.object({ success: z.literal(true), ...members });
}

/** Wraps the members of a successful answer. */
export function success<Members extends object>(members: Members): SuccessEnvelope<Members> {
  return { success: true, ...members };
}

const errorCodes = Object.keys(ERRORS) as ErrorCode[];

/** The schema of a failed answer. */
export const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    error: z.string().describe("A sentence for a person; for the two permission errors the code itself."),
    code: z.enum(errorCodes),
    permission: z.string().optional().describe("The permission that is missing."),
    message: z.string().optional().describe("The sentence, where `error` holds the code."),
  })
  .meta({ id: "Error", description: "A failed answer." });

/** What a failed answer looks like. */
export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>;

/** Tells an error in the words of the wire. */
export function errorEnvelope(error: HostError): ErrorEnvelope {
  const { code, message } = error;
  if (code !== "PERMISSION_REQUIRED" && code !== "PERMISSION_DENIED") {
    return { success: false, error: message, code };
  }
  // Clients that can ask for a permission recognise the moment by `error` being this very word.
  const permission = error.details["permission"];
  return {
    success: false,
    error: code,
    code,
    ...(typeof permission === "string" && { permission }),
    message,
  };
}
