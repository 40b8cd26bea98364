// Why a command cannot do what it was asked to: a code to act on, a sentence, and what mends it.

/** What is known of a failure beside its code and sentence. */
export interface CommandErrorOptions extends ErrorOptions {
  readonly exitCode: number;
  /** What a person can do about it; a command to type, where there is one. */
  readonly remedy?: string | undefined;
}

/** A failure that somebody can do something about; shown without a stack. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: string;
  readonly exitCode: number;
  readonly remedy: string | undefined;

  constructor(code: string, message: string, { exitCode, remedy, ...options }: CommandErrorOptions) {
    super(message, options);
    this.code = code;
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}
