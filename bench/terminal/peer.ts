// A peer reads what a command writes; all of them are asked in turn, with the same commands.
import { type Handlers, Isolated } from "./isolated.ts";
import type { Workload } from "./workloads.ts";

/** One reading of a workload. */
export interface PeerRun {
  readonly bytes: number;
  /** From before the command is started until its end is known and everything is read. */
  readonly elapsedMs: number;
  /** User and system time of the reading process; the command's own is not in it. */
  readonly cpuMs: number;
}

/** Somebody who runs commands and reads their output. */
export interface Peer {
  readonly name: string;
  readonly channels: readonly Workload["channel"][];
  /** Asked only in the first rounds, because it takes long. */
  readonly isSlow: boolean;
  run(workload: Workload): Promise<PeerRun>;
  close(): Promise<void>;
}

/** The handlers of a peer that is a Node program. */
export interface PeerProgram extends Handlers {
  run(workload: Workload): Promise<PeerRun>;
}

/** A peer in a separate Node process. */
export function programPeer(
  name: string,
  program: URL,
  { channels, isSlow = false }: { channels: Peer["channels"]; isSlow?: boolean },
): Peer {
  const isolated = new Isolated<PeerProgram>(program);
  return {
    name,
    channels,
    isSlow,
    run: (workload) => isolated.ask("run", workload),
    close: () => isolated.close(),
  };
}

/** Measures one reading by this process; `read` resolves with the bytes it got. */
export async function measureRun(read: () => Promise<number>): Promise<PeerRun> {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const bytes = await read();
  const elapsedMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { bytes, elapsedMs, cpuMs: (user + system) / 1000 };
}
