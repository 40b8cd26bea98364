// Takes and gives back the lock of a home again and again, and says when it was not alone; for the lock's tests.
//
// Arguments: the home, how often, and how it ends a holding: `release`; `abandon`, which leaves the lock as a holder
// that was killed does; or `die`, which now and then is just that.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { acquireLock, type LockHolder } from "../serve/lock.ts";
import { identifyProcess } from "../serve/process-identity.ts";
import { replaceFile } from "../serve/whole-file.ts";

const [home = "", rounds = "1", ending = "release"] = process.argv.slice(2);
const inside = path.join(home, "inside");
let held = 0;

function enter(): void {
  for (;;) {
    try {
      const descriptor = openSync(inside, "wx");
      writeFileSync(descriptor, String(process.pid));
      closeSync(descriptor);
      return;
    } catch {
      const other = Number(readFileSync(inside, "utf8"));
      if (identifyProcess(other) !== undefined) {
        process.stdout.write(`not alone: ${other}\n`);
        process.exit(1);
      }
      // A holder that was killed left it behind, as it left its lock.
      rmSync(inside, { force: true });
    }
  }
}

function abandon(holder: LockHolder): void {
  replaceFile(path.join(home, "lock"), JSON.stringify({ ...holder, birth: "before this process" }));
}

while (held < Number(rounds)) {
  const attempt = await acquireLock(home);
  if (attempt.kind === "taken") {
    await nextTurn();
    continue;
  }
  enter();
  held += 1;
  await nextTurn();
  if (ending === "die" && Math.random() < 0.08) process.kill(process.pid, "SIGKILL");
  rmSync(inside);
  if (ending === "abandon") abandon(attempt.lock.holder);
  else attempt.lock.release();
}
process.stdout.write(`held ${held}\n`);
