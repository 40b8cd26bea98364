// The program as users run it: bundled, since from source each start would cost seconds and tests start it often.
import { fileURLToPath } from "node:url";

/** The program as it is published; `tests/setup/build.ts` lays it out before the first test. */
export const programFile = fileURLToPath(
  new URL("../../../../dist/tested/cli/dist/main.js", import.meta.url),
);

/** One of the programs beside this file, bundled by the same set-up. */
export function testProgramFile(name: string): string {
  return fileURLToPath(
    new URL(`../../../../dist/test-programs/cli/dist/testing/${name}.js`, import.meta.url),
  );
}
