// The client's surroundings in Node: variables of the environment, and the host of this machine's home.
import process from "node:process";
import { findHome, readHome } from "./home.ts";
import type { Surroundings } from "./surroundings.ts";

/** A program: its variables are the environment's, its host is the one that runs in the user's home. */
export const surroundings: Surroundings = {
  variable: (name) => process.env[name],
  findHost: () => readHome(findHome(process.env)),
};
