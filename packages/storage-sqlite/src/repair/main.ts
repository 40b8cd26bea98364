// A separate program for work on a database that may be damaged: a driver may end the process that reads one (D264).
import process from "node:process";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { StorageError } from "@holdfast/core/ports";
import { explainSqliteError } from "../driver.ts";
import { checkFile, verifyRows } from "./check-file.ts";
import { copyRange, openCopy, TargetError, type CopyRequest } from "./copy-range.ts";

/** One line of JSON for the parent, written before anything else can go wrong. */
function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Failures that are not the file's fault, such as a full disk or a missing driver. The opening by a host names them. */
const otherFaults = new Set<string>(["unavailable", "unusable", "too_new"]);

function failureOf(error: unknown): object {
  const explained = explainSqliteError(error, "the database");
  const isUnavailable = explained instanceof StorageError && otherFaults.has(explained.code);
  const { cause } = explained instanceof StorageError ? explained : { cause: undefined };
  const reason = cause instanceof Error ? cause : error;
  return { failed: reason instanceof Error ? reason.message : String(reason), isUnavailable };
}

/**
 * Ends this process when its parent has gone: a check would continue to hold a lock in the database, and it blocks the
 * thread that could notice. The parent writes nothing, so that a read returns only at the end.
 */
function endWithParent(): void {
  const wait = "require('node:fs').readSync(0, Buffer.alloc(1)); process.kill(process.pid, 'SIGKILL');";
  const watcher = new Worker(wait, { eval: true });
  // Without it, a check merely runs for longer.
  watcher.on("error", () => undefined);
  watcher.unref();
}

async function main([task, source = "", target = ""]: readonly string[]): Promise<void> {
  if (task !== "copy") endWithParent();
  if (task === "check") {
    for await (const message of checkFile(source)) send(message);
    return;
  }
  if (task === "verify") {
    await verifyRows(source);
    return send({ checked: true });
  }
  const copy = await openCopy(source, target);
  send({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      for (const progress of copyRange(copy, JSON.parse(line) as CopyRequest)) send(progress);
      send({ done: true });
    } catch (error) {
      send({ ...failureOf(error), isTarget: error instanceof TargetError });
    }
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  send(failureOf(error));
}
// A thread that waits for the parent cannot be stopped in order, and there is nothing to put in order.
process.stdout.end(() => process.kill(process.pid, "SIGKILL"));
