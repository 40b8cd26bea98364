// The version that the agent reports.

/** The version of this package. */
export const VERSION = "0.0.0";
