// Further certificates of the machine, such as those of a proxy. Node reads them at each start, which takes three times as
// much CPU time as the start itself: among the programs that tests start, only npm gets them.
import process from "node:process";

const variable = "NODE_EXTRA_CA_CERTS";
/** For the other files that share the process. */
const keptIn = "VITEST_EXTRA_CA_CERTS";

if (process.env[variable] !== undefined) {
  process.env[keptIn] = process.env[variable];
  delete process.env[variable];
}

/** The environment of programs that ask the npm registry. */
export function npmEnvironment(): NodeJS.ProcessEnv {
  const certificates = process.env[keptIn];
  return { ...process.env, ...(certificates !== undefined && { [variable]: certificates }) };
}
