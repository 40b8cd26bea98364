// A host as the program makes it, on real storage in a folder, served over real sockets.
import path from "node:path";
import { Host } from "@holdfast/core";
import type { Storage } from "@holdfast/core/ports";
import { Spawner } from "@holdfast/terminal/process";
import { readConfig } from "@holdfast/protocol";
import { startServer } from "@holdfast/server";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";
import { API_KEY } from "./api-client.ts";

/** How a host is made. */
export interface ServedHostOptions {
  /** Home folder; the data of an earlier host is resumed. */
  readonly folder: string;
  /** The program that stands in for the agent `shell`. */
  readonly agent: { readonly command: string; readonly args: readonly string[] };
  /** How long a session is left alone before its agent is stopped. */
  readonly idleSeconds?: number;
}

/** A host that listens; it ends with its process. */
export interface ServedHost {
  readonly host: Host;
  readonly storage: Storage;
  readonly url: string;
}

function log(level: string, message: string, facts?: object): void {
  if (level === "error") process.stderr.write(`${message} ${JSON.stringify(facts)}\n`);
}

/** Opens the storage, resumes its sessions, and listens. */
export async function openServedHost({
  folder,
  agent,
  idleSeconds = 300,
}: ServedHostOptions): Promise<ServedHost> {
  const config = readConfig({ maxSessions: 10_000, acp: { idleSeconds } });
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  const storage = await openSqliteStorage({ file: path.join(folder, "holdfast.db") });
  const spool = await openFileSpool({ folder: path.join(folder, "spool") });
  const host = new Host({
    processPort: new Spawner(),
    storage,
    spool,
    config: config.value,
    stateFolder: folder,
    shellAgent: { ...agent, version: "0" },
    log,
  });
  const { hub } = host;
  const { url } = await startServer({
    host,
    token: API_KEY,
    listen: { host: "127.0.0.1", port: 0 },
    log,
    meta: storage.meta,
    isReady: () => ({ ready: hub.recording.isStoring }),
  });
  return { host, storage, url };
}
