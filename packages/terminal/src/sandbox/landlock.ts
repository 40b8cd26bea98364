// Landlock rules for a sandbox. Landlock only adds rights, so a hidden folder is what no rule names.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { changeableVisible, existing, findRawDevices, isBelow } from "./bubblewrap.ts";
import { capabilityMask, forbiddenCapabilities } from "./capabilities.ts";
import type { EnterRequest, Entry, OpenSandbox } from "./open-sandbox.ts";
import type { SandboxReport, SandboxSpec } from "./sandbox.ts";

/** Gaps of Landlock at either level. */
export const LANDLOCK_GAPS: readonly string[] = [
  "The names of hidden files can be listed; their contents cannot be read.",
  "Nothing can be created directly in the folders above a hidden one.",
  "The host's processes can be seen and signalled, but not read or traced.",
  "Pipes of other commands and files of other shells in the temporary folders can be opened.",
  "Sockets in hidden folders, such as those of Docker, tmux and ssh-agent, can be connected to.",
  "sudo and other setuid programs do not work.",
];

/** Commands that are restricted one by one; nothing holds them together. */
export class LandlockSandbox implements OpenSandbox {
  readonly report: SandboxReport;
  readonly isAlive = true;
  readonly #file: string;
  readonly #spec: SandboxSpec;

  constructor(file: string, spec: SandboxSpec, report: SandboxReport) {
    this.#file = file;
    this.#spec = spec;
    this.report = report;
  }

  enter({ inside }: EnterRequest): Entry {
    const asRoot = process.getuid?.() === 0;
    const words = [
      this.#file,
      "restrict",
      ...landlockArgs(this.#spec, asRoot),
      ...(asRoot ? ["--drop", capabilityMask(forbiddenCapabilities())] : []),
      ...inside.flatMap((assignment) => ["--set", assignment]),
      "--",
    ];
    return { words, hasWaiter: false, preparesInside: false };
  }

  async isEmpty(): Promise<boolean> {
    return true;
  }

  close(): void {}
}

/** The rules as arguments of the `enter` program. Listing is allowed everywhere, or few programs would run. */
function landlockArgs(spec: SandboxSpec, asRoot: boolean): string[] {
  const { level, hidden, visible, readOnly, writable } = spec;
  // Root changes through these what the kernel executes outside.
  const kernel = asRoot ? ["/sys", "/proc"] : [];
  const closed = [...existing(hidden), ...findRawDevices("/dev")];
  const fixed = existing(spec.fixed ?? []).filter((path) => !isBelow(path, closed));
  const unchanged = existing([...readOnly, ...kernel])
    .filter((path) => !isBelow(path, [...closed, ...existing(writable)]))
    .concat(fixed);
  const shown = existing(visible);
  const changeable = changeableVisible(level, shown, existing(writable));
  // A right on a folder would hold for what is hidden in it, too.
  const free = [
    ...changeable.flatMap((path) => allExcept(path, fixed)),
    ...existing(writable)
      .filter((path) => !isBelow(path, closed))
      .flatMap((path) => allExcept(path, [...closed, ...fixed])),
  ];
  const rules = (option: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [option, path]);
  if (level === "guard") {
    return [
      ...rules("--list", ["/"]),
      ...rules("--write", allExcept("/", [...closed, ...unchanged])),
      ...rules(
        "--read",
        unchanged.flatMap((path) => allExcept(path, closed)),
      ),
      ...rules("--write", free),
    ];
  }
  return [
    ...rules("--list", ["/"]),
    ...rules("--read", [...allExcept("/", closed), ...shown]),
    ...rules("--write", allExcept("/dev", closed)),
    ...rules("--write", asRoot ? free : [...free, "/proc"]),
  ];
}

/** The paths that together hold everything below a folder but these; links are left out, for rights follow them. */
function allExcept(folder: string, closed: readonly string[]): string[] {
  if (closed.includes(folder)) return [];
  if (!closed.some((path) => path.startsWith(folder === "/" ? "/" : `${folder}/`))) return [folder];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .flatMap((entry) => allExcept(join(folder, entry.name), closed));
  } catch {
    // Not ours to read: nothing is allowed in it.
    return [];
  }
}
