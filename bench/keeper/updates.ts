// Updates of agents through two hosts on real storage: one that runs its agents, and one whose keeper holds them.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Host } from "@holdfast/core";
import { readConfig } from "@holdfast/protocol";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";
import type { ProcessPort } from "@holdfast/terminal/port";
import { updatesPerSecond } from "../core/updates.ts";

const updates = 100_000;
const agentProgram = fileURLToPath(new URL("../core/flood-agent.mjs", import.meta.url));
const agent = { command: process.execPath, args: [agentProgram] };

/** A host on one process port. */
export class UpdatesHost {
  readonly #host: Host;
  readonly #folder: string;

  private constructor(host: Host, folder: string) {
    this.#host = host;
    this.#folder = folder;
  }

  static async open(processPort: ProcessPort, folder: string): Promise<UpdatesHost> {
    mkdirSync(folder, { mode: 0o700 });
    const config = readConfig({ agents: { flood: agent } });
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    const host = new Host({
      processPort,
      storage: await openSqliteStorage({ file: path.join(folder, "holdfast.db") }),
      spool: await openFileSpool({ folder: path.join(folder, "spool") }),
      config: config.value,
      stateFolder: folder,
      shellAgent: { ...agent, version: "0" },
      log: () => {},
    });
    return new UpdatesHost(host, folder);
  }

  /** Milliseconds that a turn with all updates takes. */
  async measureMs(): Promise<number> {
    return (updates / (await updatesPerSecond(this.#host, this.#folder, updates))) * 1000;
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}

export { updates as updatesPerTurn };
