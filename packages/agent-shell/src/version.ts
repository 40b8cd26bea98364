// The version that the agent tells of itself.

/** The version of this package. */
export const VERSION = "0.0.0";
