// The engine itself, with nothing set: what a user gets. Its own program.
import { TerminalEngine } from "@holdfast/terminal";
import { serve } from "../isolated.ts";
import { measureRun, type PeerProgram } from "../peer.ts";

const engine = new TerminalEngine();

serve<PeerProgram>({
  run: async ({ channel, file, args, expectedBytes }) => {
    let close = (): Promise<void> => Promise.resolve();
    const run = await measureRun(async () => {
      const terminal = await engine.open({ command: file, args, kind: channel === "pty" ? "tty" : "text" });
      close = () => terminal.close();
      return (await terminal.exited).finalOffset;
    });
    await close();
    if (run.bytes !== expectedBytes) throw new Error(`${run.bytes} of ${expectedBytes} bytes were read`);
    return run;
  },
});
