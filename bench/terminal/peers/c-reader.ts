// The C reader: compiled when there is a compiler, started again for each run.
import { execFile, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Peer, PeerRun } from "../peer.ts";

const source = fileURLToPath(new URL("reader.c", import.meta.url));

/** The C reader, or the reason why there is none. */
export function makeCReader(folder: string): Peer | string {
  const program = path.join(folder, "reader");
  let reason = "no C compiler (cc, gcc or clang) was found";
  for (const compiler of ["cc", "gcc", "clang"]) {
    const outcome = spawnSync(compiler, ["-O2", "-o", program, source, "-lutil"], { encoding: "utf8" });
    if (outcome.status === 0) return cReader(program);
    if (outcome.error === undefined) reason = `${compiler} failed: ${outcome.stderr.trim()}`;
  }
  return reason;
}

function cReader(program: string): Peer {
  return {
    name: "c",
    channels: ["pty", "pipe"],
    isSlow: false,
    run: async ({ channel, file, args, expectedBytes }) => {
      const { stdout } = await promisify(execFile)(program, [channel, file, ...args]);
      const run = JSON.parse(stdout) as PeerRun;
      if (run.bytes !== expectedBytes) {
        throw new Error(`C reader: ${run.bytes} of ${expectedBytes} bytes were read`);
      }
      return run;
    },
    close: () => Promise.resolve(),
  };
}
