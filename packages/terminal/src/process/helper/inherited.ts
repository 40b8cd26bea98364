// Descriptors that a program got from the one that started it, and should not have.
import { closeSync, readFileSync, readdirSync } from "node:fs";
import { platform } from "../platform.ts";

/**
 * Closes what was inherited: the masters of pseudo-terminals, which the host cannot mark close-on-exec, and whatever
 * the host itself was given. Node marks everything it opens, so what is not marked is not ours.
 */
export function closeInherited(): void {
  if (!platform.hasProcFs) return;
  const closeOnExec = 0o2000000;
  for (const name of readdirSync("/proc/self/fd")) {
    if (Number(name) <= 2) continue;
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "latin1"))?.[1] ?? "";
      if ((Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(Number(name));
    } catch {
      // The descriptor of the listing itself, closed by now.
    }
  }
}
