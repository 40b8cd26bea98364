// The version of the program, as a constant: a bundle has no package.json beside it.

/** The version of this package. */
export const VERSION = "0.0.0";
