// What can go wrong between the host and what it keeps.

/** What went wrong, in words a program can switch on. */
export type StorageErrorCode =
  /** It was written by a newer Holdfast, and this one would damage it. */
  | "too_new"
  /** It cannot be opened: no driver, no permission, or no database. */
  | "unusable"
  /** A row cannot be read back. */
  | "damaged";

/** A failure of the storage, with a sentence that tells a person what to do. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
