// The tree of a command that another process waits for outside of its sandbox, without that process.
import { findChild } from "../process/tree/process-table.ts";
import { signalPid, type Tree } from "../process/tree/tree.ts";

/** Leaves the waiting process out, unless it is alone: then it has not started the command yet, or is about to end. */
export class WaitedTree implements Tree {
  readonly mechanism: Tree["mechanism"];
  readonly #all: Tree;
  readonly #waiter: number;

  constructor(all: Tree, waiter: number) {
    this.mechanism = all.mechanism;
    this.#all = all;
    this.#waiter = waiter;
  }

  async members(): Promise<number[]> {
    const all = await this.#all.members();
    const inside = all.filter((pid) => pid !== this.#waiter);
    return inside.length === 0 ? all : inside;
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await this.members()) signalPid(pid, signal);
  }

  kill(): Promise<void> {
    return this.#all.kill();
  }

  close(): void {
    this.#all.close();
  }
}

/** Signals the group of the command that a process waits for; the process itself while there is no command yet. */
export async function signalWaitedGroup(waiter: number, signal: NodeJS.Signals): Promise<void> {
  const command = await findChild(waiter);
  if (command === undefined) signalPid(waiter, signal);
  // In its first moment the command has no separate group.
  else if (!signalPid(-command, signal)) signalPid(command, signal);
}
