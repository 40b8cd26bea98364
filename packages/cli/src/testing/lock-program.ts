// Takes and gives back the lock of a home again and again, and says when it was not alone; for the lock's tests.
//
// Arguments: the home, how often, and the share of holdings that end by SIGKILL.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { acquireLock } from "../lock.ts";
import { identifyProcess } from "../process-identity.ts";

const [home = "", rounds = "1", killShare = "0"] = process.argv.slice(2);
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

while (held < Number(rounds)) {
  const attempt = await acquireLock(home);
  if (attempt.kind === "taken") {
    await nextTurn();
    continue;
  }
  enter();
  held += 1;
  await nextTurn();
  if (Math.random() < Number(killShare)) process.kill(process.pid, "SIGKILL");
  rmSync(inside);
  attempt.lock.release();
}
process.stdout.write(`held ${held}\n`);
