// The one error of the client: a code to act on, a sentence for a person, and what caused it.
import type { OpenEnum, Remedy } from "@holdfast/ahp";
import type { ErrorCode } from "@holdfast/protocol";

/** Client-side errors: no connection, no response in time, a stream that cannot be resumed, an invalid response. */
export type ClientErrorCode =
  | "CONNECTION_FAILED"
  | "HOST_NOT_RESPONDING"
  | "STREAM_BROKEN"
  | "INVALID_RESPONSE";

/** The code of an error: the host's, the client's, or one of a newer host. */
export type HoldfastErrorCode = OpenEnum<ErrorCode | ClientErrorCode>;

/** Details of an error beside its code and message. */
export interface HoldfastErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly permission?: string | undefined;
  readonly remedy?: Remedy | undefined;
}

/** Everything that the client throws, but for the reason of an abort, which is thrown as it is. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly code: HoldfastErrorCode;
  /** The HTTP status; absent when there was no answer. */
  readonly status: number | undefined;
  /** The permission that is missing, where that is the reason. */
  readonly permission: string | undefined;
  /** Steps for a person, such as the command that signs in to an agent. */
  readonly remedy: Remedy | undefined;

  constructor(code: HoldfastErrorCode, message: string, options: HoldfastErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status;
    this.permission = options.permission;
    this.remedy = options.remedy;
  }
}

/** The error that a response other than 2xx reports (X8). */
export async function readFailure(response: Response): Promise<HoldfastError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const { error, code, message, permission, remedy } = readMembers(text);
  // Of the two permission errors, `error` is the code and `message` the sentence.
  const sentence = [message, error].find((each) => typeof each === "string" && each !== "");
  return new HoldfastError(
    typeof code === "string" ? code : "UNKNOWN",
    typeof sentence === "string" ? sentence : `The host answered ${status} and did not say why.`,
    {
      status,
      permission: typeof permission === "string" ? permission : undefined,
      remedy: isRemedy(remedy) ? remedy : undefined,
    },
  );
}

function isRemedy(value: unknown): value is Remedy {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}

function readMembers(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A proxy's page or nothing at all: then only the status is known.
    return {};
  }
}
