// Examines PID namespaces, which a terminal may ask for: whether unshare is there, and whether the kernel lets it work.
import { userNamespaceCure } from "./bubblewrap.ts";
import { findProgram, installCommand } from "./find-program.ts";
import { note, ok, type Verdict } from "./finding.ts";
import { probe } from "./probe.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether a command can have processes that nobody outside sees, and that end with it. */
export async function examineNamespaces({
  environment,
  keeper,
  platform,
}: Pick<Surroundings, "environment" | "keeper" | "platform">): Promise<Verdict> {
  if (platform !== "linux") return ok("are for Linux alone");
  if (findProgram("unshare", environment) === undefined) {
    return note("unshare is not installed, so that PID namespaces cannot be asked for", {
      command: installCommand("util-linux"),
    });
  }
  try {
    await probe(keeper, {
      kind: "text",
      command: "/bin/sh",
      args: ["-c", "exit 0"],
      tree: "pid-namespace",
    });
    return ok("work; a terminal gets one when it asks for it");
  } catch (error) {
    return note(error instanceof Error ? error.message : String(error), userNamespaceCure());
  }
}
