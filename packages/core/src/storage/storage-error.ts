// Errors of the storage.

/** Error codes of the storage. */
export type StorageErrorCode =
  /** It was written by a newer Holdfast, and this one would damage it. */
  | "too_new"
  /** It cannot be opened: no driver, no permission, or no database. */
  | "unusable"
  /** A row cannot be read back. */
  | "damaged"
  /** The file itself is damaged. */
  | "corrupt"
  /** It cannot be written at the moment: the disk is full, read-only or failing. What was written is still there. */
  | "unavailable"
  /** There was a database, and it is gone or empty. */
  | "missing";

/** A failure of the storage, with a sentence that says what to do. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
