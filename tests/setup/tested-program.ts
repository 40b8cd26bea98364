// Where the tests' set-up lays out the program as it is published.
import { fileURLToPath } from "node:url";

/** The folder of the package. */
export const testedPackage = fileURLToPath(new URL("../../dist/tested", import.meta.url));

/** The program's file. */
export const testedProgram = fileURLToPath(new URL("../../dist/tested/cli/dist/main.js", import.meta.url));

/** The folder of the bundled programs for tests. */
export const testPrograms = fileURLToPath(new URL("../../dist/test-programs", import.meta.url));
