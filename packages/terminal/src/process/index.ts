// Processes: spawning, reading to the last byte, ending trees, limits. Knows nothing of how output is shown.
export { needsShell } from "./command-line.ts";
export { buildEnvironment, mergeVariables, SCREEN_VARIABLES } from "./environment.ts";
export { protectFromOomKiller } from "./helper/oom-score.ts";
export { MARKER_VARIABLE } from "./launch.ts";
export { DOCUMENTED_LIMITS, findExcess, strictestLimits } from "./limits.ts";
export type * from "./port.ts";
export type { ChildRun } from "./run.ts";
export type { PeerSocket } from "./socket-holders.ts";
export { SocketPeers, type PeerProcess, type SocketEnds } from "./socket-peer.ts";
export { Spawner, type SpawnerOptions } from "./spawner.ts";
