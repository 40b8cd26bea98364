// The checks of an AHP host, numbered; each uses only what the version of AHP says.
import type { Check } from "./check.ts";
import { connectionChecks } from "./connection-checks.ts";
import { terminalChecks } from "./terminal-checks.ts";

export const checks: readonly Check[] = [...connectionChecks, ...terminalChecks];
