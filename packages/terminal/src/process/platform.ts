// Where operating systems are told apart; everything else asks here.
import { existsSync } from "node:fs";

const { platform: os } = process;

/** What this machine's operating system offers the engine. */
export const platform = {
  /** FIFOs, sessions and process groups: everything but Windows. */
  isPosix: os !== "win32",
  isLinux: os === "linux",
  isDarwin: os === "darwin",
  /** The Linux process table as files; elsewhere `ps` is asked. */
  hasProcFs: os === "linux" && existsSync("/proc/self/stat"),
  nullDevice: os === "win32" ? "\\\\.\\NUL" : "/dev/null",
} as const;
