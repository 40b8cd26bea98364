// Puts a small shell script before a command where something must happen in the child itself before it executes.
import { findSystemProgram } from "../../sandbox/system-program.ts";
import type { Executable } from "../command-line.ts";
import type { LaunchIo } from "../launch.ts";
import type { KernelLimits, LimitBackend, LimitName } from "../port.ts";

/** Steps that the child takes before it becomes the command. */
export interface Preparations {
  /** cgroups to join. */
  readonly groupFolders: readonly string[];
  /** Words to execute the command under, such as `unshare …`. */
  readonly prefix: readonly string[];
  /** Undefined where the prefix opens the terminal. */
  readonly io: LaunchIo | undefined;
  readonly limits: KernelLimits;
  /** Limits that a cgroup already enforces. */
  readonly enforcers: ReadonlyMap<LimitName, LimitBackend>;
}

/** A command with its script, and the limits that the script sets. */
export interface WrappedCommand extends Executable {
  readonly rlimits: readonly LimitName[];
}

/**
 * The command as it is when nothing must be prepared; `exec` keeps the pid otherwise. The script may run outside of the
 * command's sandbox, with the command's PATH: it names programs by their absolute paths.
 */
export function wrapCommand(command: Executable, preparations: Preparations): WrappedCommand {
  const { groupFolders, prefix, io } = preparations;
  const { lines, names } = rlimitLines(preparations);
  const script = [
    ...groupFolders.map((folder) => `echo 0 > ${quote(`${folder}/cgroup.procs`)} || exit 126`),
    ...lines,
  ];
  if (io?.kind === "tty") script.push(...ttyLines(io.device));
  const words = [...prefix, command.file, ...command.args];
  const [file = command.file, ...args] = words;
  if (script.length === 0) return { file, args, rlimits: names };
  return {
    file: "/bin/sh",
    args: ["-c", [...script, 'exec "$@"'].join("\n"), "holdfast", ...words],
    rlimits: names,
  };
}

/**
 * A session leader without a controlling terminal gets the one it opens first: so the shell opens the device by its
 * name, with no ioctl at hand. IUTF8 lets a backspace in cooked mode take a whole character.
 */
function ttyLines(device: string): string[] {
  const stty = findSystemProgram("stty");
  const open = `exec <>${quote(device)} >&0 2>&1`;
  return stty === undefined ? [open] : [open, `${quote(stty)} iutf8 2>/dev/null`];
}

function rlimitLines({ limits, enforcers }: Preparations): { lines: string[]; names: LimitName[] } {
  const lines: string[] = [];
  const names: LimitName[] = [];
  if (limits.cpuSeconds !== undefined) {
    // The soft limit sends XCPU, by which the exit can be explained; the hard one, a second later, kills.
    // Soft first: the kernel refuses a hard limit below the soft one.
    lines.push(...quietly(`ulimit -S -t ${limits.cpuSeconds}`, `ulimit -H -t ${limits.cpuSeconds + 1}`));
    names.push("cpuSeconds");
  }
  if (limits.memoryBytes !== undefined && !enforcers.has("memoryBytes")) {
    // Not the address space: Node, Go and the JVM reserve far more of it than they use.
    lines.push(...quietly(`ulimit -d ${Math.max(1, Math.floor(limits.memoryBytes / 1024))}`));
    names.push("memoryBytes");
  }
  if (limits.processes !== undefined && !enforcers.has("processes")) {
    // bash says -u where dash says -p.
    lines.push(quietly(`ulimit -u ${limits.processes}`, `ulimit -p ${limits.processes}`).join(" || "));
    // The kernel does not hold root to it.
    if (process.getuid?.() !== 0) names.push("processes");
  }
  return { lines, names };
}

/** A refusal means that the host itself has a lower limit, which holds; a message about it would be read as output. */
function quietly(...commands: string[]): string[] {
  return commands.map((command) => `${command} 2>/dev/null`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
