// Runs that outlive their host: held in this process, or by a keeper process.
export {
  connectKeeper,
  type ConnectOptions,
  endKeeper,
  keeperStatus,
  runKeeper,
  watchKeeper,
} from "./connect.ts";
export { HeldRuns, type HeldRunsOptions } from "./held-runs.ts";
export { AttachedRun, HeldPort } from "./held-port.ts";
export type { HeldBounds } from "./held-storage.ts";
export type { KeeperPort } from "./keeper-port.ts";
export type { KeeperSettings, KeeperStatus } from "./message.ts";
