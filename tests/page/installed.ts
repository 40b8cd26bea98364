// Programs of this machine that tests of the page run in terminals.
import { execFileSync } from "node:child_process";

export function isInstalled(name: string): boolean {
  try {
    execFileSync("which", [name]);
    return true;
  } catch {
    // Not on this machine.
    return false;
  }
}
