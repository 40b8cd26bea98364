// Plain child_process: both streams read, chunks thrown away. Its own program.
import { spawn } from "node:child_process";
import { serve } from "../isolated.ts";
import { measureRun, type PeerProgram } from "../peer.ts";

serve<PeerProgram>({
  run: ({ file, args }) =>
    measureRun(
      () =>
        new Promise((resolve, reject) => {
          let bytes = 0;
          const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
          const count = (chunk: Buffer): void => void (bytes += chunk.length);
          child.stdout.on("data", count);
          child.stderr.on("data", count);
          child.on("error", reject);
          child.on("close", () => resolve(bytes));
        }),
    ),
});
