// The version of the program, as a constant: a bundle has no package.json beside it.

export const VERSION = "0.0.0";
