// The spawn helper: a small process that forks for a host of any size, and cleans up when the host is gone (T1, T2).
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ORPHAN_GRACE_MS } from "../kill-grace.ts";
import { SandboxBackends } from "../../sandbox/backends.ts";
import { Sandboxes } from "../../sandbox/sandboxes.ts";
import { SYSTEM_PATH, systemProgramPath } from "../../sandbox/system-program.ts";
import { makeFifoFolder, privateFolder, removeStaleFifoFolders } from "./fifo-folder.ts";
import { closeInherited } from "./inherited.ts";
import { Launches } from "./launches.ts";
import { protectFromOomKiller } from "./oom-score.ts";
import { type HelperCommand, type HelperEvent, NO_CGROUPS_VARIABLE, readLines, toFailure } from "./wire.ts";

const backends = new SandboxBackends({ privateFolder: privateFolder(), ownProgram: ownProgram() });
const sandboxes = new Sandboxes(backends);
const launches = new Launches(sandboxes, process.env[NO_CGROUPS_VARIABLE] === undefined);
let fifoFolder: string | undefined;
let fifoCount = 0;

function report(event: HelperEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

async function makeFifos(count: number): Promise<string[]> {
  // Cleaners of the temporary folder remove what looks old to them.
  if (fifoFolder === undefined || !existsSync(fifoFolder)) {
    fifoFolder = makeFifoFolder();
    // Files left behind by earlier helpers are in nobody's way: they may stay if they cannot be removed.
    removeStaleFifoFolders().catch(() => {});
  }
  const folder = fifoFolder;
  const paths = Array.from({ length: count }, () => join(folder, String(fifoCount++)));
  const env = { PATH: SYSTEM_PATH };
  await promisify(execFile)(systemProgramPath("mkfifo"), ["-m", "600", ...paths], { env });
  return paths;
}

/** The folder of the package that this program belongs to; none when it came as text. */
function ownProgram(): string | undefined {
  const [, script] = process.argv;
  return script === undefined ? undefined : resolve(script, "../../..");
}

function answer(reply: number, value: Promise<unknown>): void {
  value.then(
    (result) => report({ on: "answer", reply, value: result }),
    (error: unknown) => report({ on: "refused", reply, failure: toFailure(error) }),
  );
}

function obey(command: HelperCommand): void {
  switch (command.do) {
    case "launch": {
      const { id, request } = command;
      launches
        .launch(id, request, (exit) => report({ on: "exited", id, exit }))
        .then(
          (launched) => report({ on: "launched", id, launched }),
          (error: unknown) => report({ on: "failed", id, failure: toFailure(error) }),
        );
      return;
    }
    case "signal":
      return launches.signal(command.id, command.signal);
    case "forget":
      return launches.forget(command.id);
    case "limit":
      return launches.limit(command.scopes);
    case "reap":
      // Best effort by its nature: the process to report a failure to is gone.
      launches.reap(command.leader).catch(() => {});
      return;
    case "fifos":
      return answer(command.reply, makeFifos(command.count));
    case "end":
      return answer(command.reply, launches.end(command.id, command.graceMs));
    case "isolation":
      return answer(command.reply, backends.report());
    case "openSandbox":
      return answer(command.reply, sandboxes.open(command.sandbox, command.spec));
    case "closeSandbox":
      return sandboxes.close(command.sandbox);
    case "members":
      return answer(command.reply, launches.members(command.id));
  }
}

async function leave(): Promise<void> {
  await launches.close(ORPHAN_GRACE_MS);
  await sandboxes.closeAll();
  if (fifoFolder !== undefined) rmSync(fifoFolder, { recursive: true, force: true });
  process.exit(0);
}

closeInherited();
protectFromOomKiller();
// A Ctrl-C in the host's terminal, or a service manager's TERM to the group, is for the host; the helper outlives it to clean up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.stdin.setEncoding("utf8");
process.stdin.on("data", readLines(obey));
process.stdin.on("end", () => void leave());
// The host is gone and nobody reads: what is left to do is to clean up, which the end of stdin starts.
process.stdout.on("error", () => {});
