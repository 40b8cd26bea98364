// Processes: spawning, reading to the last byte, ending trees, limits. Knows nothing of how output is shown.
export {
  type Audience,
  buildEnvironment,
  type EnvironmentParts,
  type RequestVariables,
} from "./environment.ts";
export {
  type ExitStatus,
  MARKER_VARIABLE,
  type TreeChoice,
  type TreeMechanism,
  type TreeProcess,
} from "./launch.ts";
export {
  DOCUMENTED_LIMITS,
  type LimitMeans,
  type LimitName,
  type LimitsInForce,
  type RunLimits,
} from "./limits.ts";
export { LoginEnvironment } from "./login-shell.ts";
export { DEFAULT_SIZE, type ScreenSize } from "./pty.ts";
export type { RunInput, RunStream } from "./run-io.ts";
export type { RunRequest } from "./run-request.ts";
export { Run, type RunExit, type RunKind, type RunSink } from "./run.ts";
export { Spawner, type SpawnerOptions } from "./spawner.ts";
