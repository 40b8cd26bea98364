// Examines the token: whether it can be used, and whether others are kept from it.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { systemCode } from "../serve/start-error.ts";
import { readToken, TOKEN_FILE } from "../serve/token.ts";
import { quote } from "../shell-word.ts";
import { mend, note, ok, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";

/** Whether there is a token, readable by its owner alone. */
export async function examineToken({ home }: Pick<Surroundings, "home">): Promise<Verdict> {
  const file = path.join(home, TOKEN_FILE);
  if (!existsSync(file)) return ok("made at the first start");
  try {
    readToken(home);
  } catch (error) {
    const canRead = systemCode(error instanceof Error ? error.cause : error) !== "EACCES";
    return mend(error instanceof Error ? error.message : String(error), {
      command: canRead ? `rm ${quote(file)}` : `sudo chown "$(id -u)" ${quote(file)}`,
    });
  }
  if (process.platform === "win32" || (statSync(file).mode & 0o077) === 0) {
    return ok("valid, and readable by you alone");
  }
  return note("others can read it; the next start repairs that, but they may know it already", {
    remedy: "A new one is made when it is deleted.",
    command: `rm ${quote(file)} && holdfast serve`,
  });
}
