// The entry point of @holdfast/server: a host on HTTP.
export { ownNames } from "./auth/address.ts";
export type { Caller, HostPort, StreamedTurn } from "./host-port.ts";
export type { Readiness, RunningWork } from "./http/host.ts";
export { startServer, type RunningServer, type ServerOptions } from "./server.ts";
