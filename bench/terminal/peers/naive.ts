// The way most hosts begin: a string that grows by each chunk and is cut when it is over the limit. Its own program.
import { spawn } from "node:child_process";
import { serve } from "../isolated.ts";
import { measureRun, type PeerProgram } from "../peer.ts";

const limitBytes = 1024 * 1024;

serve<PeerProgram>({
  run: ({ file, args }) =>
    measureRun(
      () =>
        new Promise((resolve, reject) => {
          let bytes = 0;
          let output = "";
          const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
          const append = (data: Buffer): void => {
            bytes += data.length;
            output += data.toString();
            const overBytes = Buffer.byteLength(output) - limitBytes;
            if (overBytes > 0) output = output.slice(overBytes);
          };
          child.stdout.on("data", append);
          child.stderr.on("data", append);
          child.on("error", reject);
          child.on("close", () => resolve(bytes));
        }),
    ),
});
