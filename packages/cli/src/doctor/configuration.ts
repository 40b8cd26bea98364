// Examines the configuration: whether its file, if there is one, can be used.
import { existsSync } from "node:fs";
import path from "node:path";
import { mend, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether the configuration can be used. */
export async function examineConfiguration({
  home,
  configFault,
}: Pick<Surroundings, "home" | "configFault">): Promise<Verdict> {
  if (configFault === undefined) {
    const file = path.join(home, "config.jsonc");
    return ok(existsSync(file) ? `${file} is valid` : "the defaults");
  }
  return mend(configFault.replaceAll(/\s*\n\s*/g, " "), {
    remedy: "Mend the places that are named, and look again:",
    command: "holdfast config check",
  });
}
