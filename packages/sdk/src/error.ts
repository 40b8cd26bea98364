// The one error of the client: a code to act on, a sentence for a person, and what caused it.
import type { OpenEnum } from "@holdfast/ahp";
import type { ErrorCode } from "@holdfast/protocol";

/** What goes wrong on this side of the wire: no connection, a stream that cannot be taken up, an answer that is none. */
export type ClientErrorCode = "CONNECTION_FAILED" | "STREAM_BROKEN" | "INVALID_RESPONSE";

/** The code of an error: the host's, the client's, or one of a newer host. */
export type HoldfastErrorCode = OpenEnum<ErrorCode | ClientErrorCode>;

/** What may be known of an error beside its code and sentence. */
export interface HoldfastErrorOptions extends ErrorOptions {
  readonly status?: number | undefined;
  readonly permission?: string | undefined;
}

/** Everything that the client throws, but for the reason of an abort, which is thrown as it is. */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly code: HoldfastErrorCode;
  /** The HTTP status; absent when there was no answer. */
  readonly status: number | undefined;
  /** The permission that is missing, where that is the reason. */
  readonly permission: string | undefined;

  constructor(code: HoldfastErrorCode, message: string, options: HoldfastErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = options.status;
    this.permission = options.permission;
  }
}

/** The error that an answer other than 2xx tells of (X8). */
export async function readFailure(response: Response): Promise<HoldfastError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const { error, code, message, permission } = readMembers(text);
  // Of the two permission errors, `error` is the code and `message` the sentence.
  const sentence = [message, error].find((each) => typeof each === "string" && each !== "");
  return new HoldfastError(
    typeof code === "string" ? code : "UNKNOWN",
    typeof sentence === "string" ? sentence : `The host answered ${status} and did not say why.`,
    { status, permission: typeof permission === "string" ? permission : undefined },
  );
}

function readMembers(text: string): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A proxy's page or nothing at all: the status is then all there is to tell.
    return {};
  }
}
