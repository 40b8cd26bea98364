// The benchmark's side of a host in a separate process, and the agents that such hosts get.
import { fileURLToPath } from "node:url";
import { Isolated } from "../terminal/isolated.ts";
import type { HostProgram } from "./host-program.ts";
import type { ServedHostOptions } from "./served-host.ts";

/** Floods, or ticks with the time at which it did. */
export const floodAgent = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../core/flood-agent.mjs", import.meta.url))],
};

/** Says a little in each turn, in a process that hundreds of can run at once. */
export const smallAgent = {
  command: "/bin/sh",
  args: [fileURLToPath(new URL("small-agent.sh", import.meta.url))],
};

/** Does something with a host that is started for it alone, and ends it. */
export async function withMeasuredHost<Result>(
  options: ServedHostOptions,
  work: (url: string, host: Isolated<HostProgram>) => Promise<Result>,
): Promise<Result> {
  const host = new Isolated<HostProgram>(new URL("host-program.ts", import.meta.url));
  try {
    return await work(await host.ask("open", options), host);
  } finally {
    await host.close();
  }
}
