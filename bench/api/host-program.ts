// The host that is measured, in a process of its own: its agents and its clients are elsewhere.
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
  /** Answers when every session rests: its agent is stopped, its chat is let go. */
  rest: async (): Promise<void> => {
    const isAtWork = (): boolean =>
      served !== undefined &&
      (served.host.figures().agentsRunning > 0 || served.host.hub.list("chat").length > 0);
    while (isAtWork()) await sleep(lookEveryMs);
  },
  /** How many agents run. */
  countAgents: async (): Promise<number> => served?.host.figures().agentsRunning ?? 0,
  /** What is left in memory after everything that can go has gone. */
  measureMemory: async (): Promise<NodeJS.MemoryUsage> => {
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await sleep(50);
    }
    return process.memoryUsage();
  },
});

/** What the program answers to. */
export type HostProgram = typeof program;
