// Runs that outlive their host: held in this process, or by a keeper process.
export { HeldRuns, type HeldRunsOptions } from "./held-runs.ts";
export { AttachedRun, HeldPort } from "./held-port.ts";
export type { HeldBounds } from "./held-storage.ts";
