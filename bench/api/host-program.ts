// The measured host in a separate process; its agents and clients run elsewhere.
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { serve } from "../terminal/isolated.ts";
import { openServedHost, type ServedHost, type ServedHostOptions } from "./served-host.ts";

const lookEveryMs = 20;
let served: ServedHost | undefined;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The questions that the benchmark asks. */
const program = serve({
  /** Starts the host; gives where it listens. */
  open: async (options: ServedHostOptions): Promise<string> => {
    served = await openServedHost(options);
    return served.url;
  },
  /** Responds when every session is idle: its agent is stopped, its chat unloaded. */
  rest: async (): Promise<void> => {
    const isAtWork = (): boolean =>
      served !== undefined &&
      (served.host.stats().agentsRunning > 0 || served.host.hub.list("chat").length > 0);
    while (isAtWork()) await sleep(lookEveryMs);
  },
  /** How many agents run. */
  countAgents: async (): Promise<number> => served?.host.stats().agentsRunning ?? 0,
  /** What is left in memory after everything that can go has gone. */
  measureMemory: async (): Promise<NodeJS.MemoryUsage> => {
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await sleep(50);
    }
    return process.memoryUsage();
  },
});

/** Requests that the program handles. */
export type HostProgram = typeof program;
