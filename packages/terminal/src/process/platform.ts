// Differences between operating systems; everything else asks here.
import { existsSync } from "node:fs";

const { platform: os } = process;

/** Features of this machine's operating system that the engine uses. */
export const platform = {
  /** FIFOs, sessions and process groups: everything but Windows. */
  isPosix: os !== "win32",
  isLinux: os === "linux",
  isDarwin: os === "darwin",
  /** The Linux process table as files; elsewhere `ps` is asked. */
  hasProcFs: os === "linux" && existsSync("/proc/self/stat"),
  nullDevice: os === "win32" ? "\\\\.\\NUL" : "/dev/null",
} as const;
