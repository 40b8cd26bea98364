// Hosts that come after each other and use the same held runs, for contracts of ports.
import type { HeldRun, ProcessPort, Run } from "../process/port.ts";
import { RunRecord } from "./run-record.ts";

/** Held runs, and the hosts that come after each other. */
export interface HostSuccession {
  /** The port of the next host; the one before it is fenced. */
  takeOver(): Promise<ProcessPort>;
  /** Ends everything. */
  close(): Promise<void>;
}

export async function only(port: ProcessPort, run: Run): Promise<HeldRun> {
  const found = (await port.held()).runs.find(({ id }) => id === run.id);
  if (found === undefined) throw new Error(`run ${run.id} is not held`);
  return found;
}

/** Attaches at an offset of the output and records. */
export async function attachAt(
  port: ProcessPort,
  { id }: { readonly id: string },
  output: number,
): Promise<{ run: Run; record: RunRecord }> {
  const record = new RunRecord({ output });
  return { run: await port.attach(id, record, { output }), record };
}
