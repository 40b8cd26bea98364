// The program as users run it, compiled: from source each start would cost seconds, and tests start it often.
import { fileURLToPath } from "node:url";

/** The compiled program; it is brought up to date before the first test. */
export const programFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** One of the programs beside this file, compiled too. */
export function testProgramFile(name: string): string {
  return fileURLToPath(new URL(`../../dist/testing/${name}.js`, import.meta.url));
}
