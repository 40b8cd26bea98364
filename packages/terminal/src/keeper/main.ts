// The keeper: a small process that holds runs while hosts stop and start (K720).
import { existsSync } from "node:fs";
import process from "node:process";
import { closeInherited } from "../process/helper/inherited.ts";
import { protectFromOomKiller } from "../process/helper/oom-score.ts";
import { RELEASE_GRACE_MS } from "../process/kill-grace.ts";
import { ProcessGroupTree } from "../process/tree/process-group.ts";
import { endTree } from "../process/tree/tree.ts";
import { Spawner } from "../process/spawner.ts";
import { EXIT_SECOND_KEEPER, type KeeperSettings } from "./message.ts";
import { HeldRuns } from "./held-runs.ts";
import { openLog } from "./keeper-log.ts";
import { Leaders } from "./leaders.ts";
import { makeKey } from "./key.ts";
import { KeeperLock } from "./lock.ts";
import { findPlace } from "./place.ts";
import { KeeperServer } from "./server.ts";

const defaultIdleMs = 60_000;

async function main(): Promise<void> {
  const [, , home = "", json = "{}"] = process.argv;
  const {
    version = "unknown",
    idleMs = defaultIdleMs,
    bounds,
    useCgroups,
  } = JSON.parse(json) as KeeperSettings;
  process.title = "holdfast keeper";
  closeInherited();
  protectFromOomKiller();
  if (!existsSync(home)) throw new Error(`there is no home ${home}`);
  const place = findPlace(home);
  const log = openLog(place.log);
  const lock = new KeeperLock(place.lock);
  const holder = lock.take();
  if (holder !== undefined) {
    log(`another keeper, ${holder}, holds the runs of this home`);
    process.exit(EXIT_SECOND_KEEPER);
  }
  const leaders = new Leaders(place.leaders);
  const leftovers = leaders.takeLeftovers();
  if (leftovers.length > 0) log(`ending what ${leftovers.length} runs of an earlier keeper left`);
  for (const leader of leftovers) {
    // Best effort: there is nobody to report a failure to.
    endTree(new ProcessGroupTree(leader), 0, []).catch(() => {});
  }
  const spawner = new Spawner({ environment: {}, useCgroups, privateFolder: place.folder });
  const runs = new HeldRuns(spawner, { bounds, folder: place.heldFolder, leaders });
  const leave = async (reason: string): Promise<void> => {
    clearInterval(idleWatch);
    log(reason);
    await runs.close(RELEASE_GRACE_MS);
    // In this order: a host that sees its connection end can start another keeper at once.
    server.stopListening();
    lock.close();
    await server.close();
    process.exit(0);
  };
  const server = new KeeperServer({
    place,
    runs,
    // Before anyone can connect: hosts read it first.
    key: makeKey(place.key),
    version,
    helperPid: () => spawner.helperPid,
    log,
    onEnded: () => void leave("ended"),
    onHomeGone: () => void leave("the home was removed"),
  });
  const idleWatch = watchIdle(
    idleMs,
    () => server.hasHost || !runs.isEmpty,
    () => void leave("idle"),
  );
  // Ctrl-C in the host's terminal, or the end of its session, is for the host.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("SIGTERM", () => void leave("SIGTERM"));
  await server.listen();
  log(`version ${version} listens`);
}

/** Calls `onIdle` once nothing has been in use for this time. */
function watchIdle(idleMs: number, isInUse: () => boolean, onIdle: () => void): NodeJS.Timeout {
  let usedAtMs = performance.now();
  return setInterval(
    () => {
      if (isInUse()) usedAtMs = performance.now();
      else if (performance.now() - usedAtMs >= idleMs) onIdle();
    },
    Math.min(1000, Math.max(10, idleMs / 4)),
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
