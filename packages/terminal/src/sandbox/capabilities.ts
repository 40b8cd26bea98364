// Capabilities that a sandboxed root loses, because each of them leads out of the sandbox.
import { readFileSync } from "node:fs";

/** By number, as the kernel counts them; the reason says how it would lead out. */
const forbidden: readonly { readonly number: number; readonly name: string; readonly reason: string }[] = [
  { number: 2, name: "DAC_READ_SEARCH", reason: "opens files by handle, whatever hides their path" },
  { number: 12, name: "NET_ADMIN", reason: "redirects the host's port" },
  { number: 13, name: "NET_RAW", reason: "reads the token from the loopback interface" },
  { number: 16, name: "SYS_MODULE", reason: "loads code into the kernel" },
  { number: 17, name: "SYS_RAWIO", reason: "reads memory of the kernel and of devices" },
  { number: 19, name: "SYS_PTRACE", reason: "reads memory of the host" },
  { number: 21, name: "SYS_ADMIN", reason: "unmounts what hides the home, and enters other namespaces" },
  { number: 22, name: "SYS_BOOT", reason: "starts another kernel" },
  { number: 25, name: "SYS_TIME", reason: "sets the clock by which sign-ins and approvals expire" },
  { number: 27, name: "MKNOD", reason: "makes a device to read the disk with" },
  { number: 30, name: "AUDIT_CONTROL", reason: "switches the kernel's audit off" },
  { number: 32, name: "MAC_OVERRIDE", reason: "switches the security module off" },
  { number: 33, name: "MAC_ADMIN", reason: "changes the security module's rules" },
  { number: 38, name: "PERFMON", reason: "reads memory of the host" },
  { number: 39, name: "BPF", reason: "reads memory of the host" },
  { number: 40, name: "CHECKPOINT_RESTORE", reason: "opens files of other processes" },
];

/** The numbers that this kernel has. */
export function forbiddenCapabilities(last: number = lastCapability()): readonly number[] {
  return forbidden.map(({ number }) => number).filter((number) => number <= last);
}

/** The same as a bit mask, in hexadecimal digits. */
export function capabilityMask(numbers: readonly number[]): string {
  return numbers.reduce((mask, number) => mask | (1n << BigInt(number)), 0n).toString(16);
}

function lastCapability(): number {
  try {
    return Number(readFileSync("/proc/sys/kernel/cap_last_cap", "utf8"));
  } catch {
    // Kernels before 3.2 had these.
    return 34;
  }
}
