// Examines pseudo terminals: opens one and runs something in it.
import { mend, note, ok, type Verdict } from "./finding.ts";
import { probe } from "./probe.ts";
import type { Surroundings } from "./surroundings.ts";

/** Succeeds only where its input is a terminal, and says which. */
const script = "test -t 0 && tty && stty size";

/** Whether commands can have a screen. */
export async function examinePty({
  keeper,
  platform,
}: Pick<Surroundings, "keeper" | "platform">): Promise<Verdict> {
  if (platform === "win32") {
    return note("terminals with a screen are not supported on Windows; text runs are");
  }
  try {
    const { output, exitCode } = await probe(keeper, {
      kind: "tty",
      command: "/bin/sh",
      args: ["-c", script],
    });
    const [device = "", size = ""] = output.split(/\r?\n/);
    if (exitCode === 0) {
      return ok(`opened ${device} (${size.split(" ").toReversed().join("×")}) and ran a command in it`);
    }
    return broken(`a command in a terminal failed: ${output}`);
  } catch (error) {
    return broken(`no terminal can be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function broken(summary: string): Verdict {
  return mend(summary, {
    remedy: "The native part comes as an optional package, which an install may have left out.",
    command: "npm install -g holdfast --include=optional",
  });
}
