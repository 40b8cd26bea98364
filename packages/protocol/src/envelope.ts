// The two forms of every JSON response: success with a named member, and failure with a sentence and a code.
import type { Remedy } from "@holdfast/ahp";
import { z } from "zod";
import { ERRORS, type ErrorCode } from "./errors.ts";
import type { HostError } from "./host-error.ts";

/** A successful response: `success` with its named members beside it. */
export type SuccessEnvelope<Members extends object> = { success: true } & Members;

export function successSchema<Shape extends z.ZodRawShape>(
  members: Shape,
): z.ZodObject<{ success: z.ZodLiteral<true> } & Shape> {
  return z.object({ success: z.literal(true), ...members });
}

/** Wraps the members of a successful response. */
export function success<Members extends object>(members: Members): SuccessEnvelope<Members> {
  return { success: true, ...members };
}

const errorCodes = Object.keys(ERRORS) as ErrorCode[];

export const remedySchema = z
  .object({
    text: z.string().describe("A sentence."),
    command: z.string().optional().describe("A shell command that does it in a terminal."),
  })
  .meta({ id: "Remedy", description: "What a person can do about an error." }) satisfies z.ZodType<Remedy>;

const offeredOptionSchema = z.object({ optionId: z.string(), kind: z.string().optional() });

export const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    error: z.string().describe("A sentence for a person; for the two permission errors the code itself."),
    code: z.enum(errorCodes),
    permission: z.string().optional().describe("The permission that is missing."),
    message: z.string().optional().describe("The sentence, where `error` holds the code."),
    detailCode: z.string().optional().describe("A finer code, such as sign_in_needed."),
    remedy: remedySchema.optional(),
    options: z
      .array(offeredOptionSchema)
      .optional()
      .describe("The options of a request, where the decision names none of them."),
  })
  .meta({ id: "Error", description: "A failed answer." });

/** A failed response. */
export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>;

/** An error as the wire carries it. */
export function errorEnvelope(error: HostError): ErrorEnvelope {
  const { code, message } = error;
  if (code !== "PERMISSION_REQUIRED" && code !== "PERMISSION_DENIED") {
    const { remedy, detailCode } = error.details;
    const options = z.array(offeredOptionSchema).safeParse(error.details["options"]);
    return {
      success: false,
      error: message,
      code,
      ...(typeof detailCode === "string" && { detailCode }),
      ...(isRemedy(remedy) && { remedy }),
      ...(options.success && { options: options.data }),
    };
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

function isRemedy(value: unknown): value is Remedy {
  return remedySchema.safeParse(value).success;
}
