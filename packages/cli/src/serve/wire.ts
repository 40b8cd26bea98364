// Puts the host together from its concrete parts; nothing else names them.
import path from "node:path";
import { Host, type Log } from "@holdfast/core";
import type { Storage, TerminalSpool } from "@holdfast/core/ports";
import { InlineKeeper } from "@holdfast/keeper";
import { startServer } from "@holdfast/server";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";
import { APP_DATA_FOLDER, DATABASE_FILE, SPOOL_FOLDER } from "./home.ts";
import type { HostParts, ListeningHost } from "./serve.ts";
import { shellAgent } from "./shell-agent.ts";
import { findWebRoot } from "./web-root.ts";

/** What a host keeps, open. */
interface Kept {
  readonly storage: Storage;
  readonly spool: TerminalSpool;
  close(): Promise<void>;
}

const notKept = "What happens cannot be kept at the moment. Look at the disk, and at the log.";

/** Starts a host whose processes are its own children, on what its home keeps, and serves it. */
export async function startHost({ home, config, token, log, redactor }: HostParts): Promise<ListeningHost> {
  const kept = await openKept(home, log);
  const { storage, spool } = kept;
  let host: Host | undefined;
  try {
    const started = new Host({
      keeper: new InlineKeeper(),
      storage,
      spool,
      config,
      stateFolder: home,
      shellAgent: shellAgent(),
      log,
      redactor,
    });
    host = started;
    const { hub } = started;
    const webRoot = findWebRoot();
    const server = await startServer({
      host: started,
      token,
      listen: config.listen,
      log,
      meta: storage.meta,
      apps: config.apps,
      appDataFolder: path.join(home, APP_DATA_FOLDER),
      webhooks: { redactor },
      ...(webRoot !== undefined && { webRoot }),
      isReady: () => (hub.isKeeping ? { ready: true } : { ready: false, reason: notKept }),
    });
    return {
      url: server.url,
      close: () =>
        closeInTurn([
          () => server.stop(),
          // Whoever is called when a turn ends is called for those that end here, too (A83).
          () => started.close(),
          () => server.close(),
          () => kept.close(),
        ]),
    };
  } catch (error) {
    await closeInTurn([async () => host?.close(), () => kept.close()]);
    throw error;
  }
}

/** Closes one after the other, whatever becomes of those before. */
async function closeInTurn(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => failures.push(error));
  const [cause] = failures;
  // The log shows an error with its cause.
  if (failures.length > 0) throw new AggregateError(failures, "The host did not end in order", { cause });
}

async function openKept(home: string, log: Log): Promise<Kept> {
  const onFault = (error: unknown): void => log("error", "Something could not be kept", { error });
  const storage = await openSqliteStorage({ file: path.join(home, DATABASE_FILE), onFault });
  try {
    const spool = await openFileSpool({ folder: path.join(home, SPOOL_FOLDER), onFault });
    return {
      storage,
      spool,
      async close(): Promise<void> {
        try {
          await spool.close();
        } finally {
          storage.close();
        }
      },
    };
  } catch (error) {
    storage.close();
    throw error;
  }
}
