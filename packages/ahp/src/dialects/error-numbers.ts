// The numbers of errors in AHP's answers, and the one that moved.

/** The errors that AHP has numbers for. */
export type AhpErrorName =
  | "sessionNotFound"
  | "providerNotFound"
  | "sessionAlreadyExists"
  | "turnInProgress"
  | "unsupportedProtocolVersion"
  | "contentNotFound"
  | "authRequired"
  | "notFound"
  | "permissionDenied"
  | "alreadyExists"
  | "conflict";

/** A number for each error. */
export type ErrorNumbers = { readonly [Name in AhpErrorName]: number };

/** The numbers since 0.9, where missing content has the number of anything that is missing. */
export const errorNumbers: ErrorNumbers = {
  sessionNotFound: -32001,
  providerNotFound: -32002,
  sessionAlreadyExists: -32003,
  turnInProgress: -32004,
  unsupportedProtocolVersion: -32005,
  contentNotFound: -32008,
  authRequired: -32007,
  notFound: -32008,
  permissionDenied: -32009,
  alreadyExists: -32010,
  conflict: -32011,
};

/** The numbers up to 0.8. */
export const oldErrorNumbers: ErrorNumbers = { ...errorNumbers, contentNotFound: -32006 };
