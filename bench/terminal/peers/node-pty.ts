// Plain @lydell/node-pty: its own spawn and its own events, strings thrown away. Its own program.
import { spawn } from "@lydell/node-pty";
import { serve } from "../isolated.ts";
import { measureRun, type PeerProgram } from "../peer.ts";

serve<PeerProgram>({
  run: ({ file, args }) =>
    measureRun(
      () =>
        new Promise((resolve) => {
          let bytes = 0;
          // Without an encoding it hands out buffers, though its types know only strings.
          const terminal = spawn(file, [...args], { cols: 80, rows: 24, encoding: null });
          terminal.onData((data: string | Buffer) => (bytes += data.length));
          terminal.onExit(() => resolve(bytes));
        }),
    ),
});
