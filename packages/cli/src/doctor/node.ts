// Examines Node: its version.
import { mend, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** The oldest Node that Holdfast runs on. */
const floor = { major: 20, minor: 19 } as const;

/** Whether this Node is new enough. */
export async function examineNode({ nodeVersion }: Pick<Surroundings, "nodeVersion">): Promise<Verdict> {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  if (major > floor.major || (major === floor.major && minor >= floor.minor)) return ok(`v${nodeVersion}`);
  return mend(`v${nodeVersion} is too old: Holdfast needs ${floor.major}.${floor.minor} or newer`, {
    remedy: "Install a newer Node from https://nodejs.org, or with a version manager.",
    command: "nvm install --lts",
  });
}
