// Arguments of bubblewrap for a sandbox: what is bound, hidden and read-only. Pure, but for looking at paths.
import { type Stats, accessSync, constants, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { SandboxSpec } from "./sandbox.ts";

/** How the sandbox is made on this machine. */
export interface BubblewrapMode {
  /** Root needs no user namespace, and one would take other users away from it. */
  readonly asRoot: boolean;
  /** False where `/proc` is masked, as in containers: then processes share the machine's PIDs. */
  readonly hasProcesses: boolean;
  /** A program that the sandbox's first process executes; it may lie in a hidden folder. */
  readonly program?: string | undefined;
}

/** All arguments before the holder's own command. */
export function bubblewrapArgs(spec: SandboxSpec, mode: BubblewrapMode): string[] {
  return [
    ...(mode.asRoot ? ["--cap-drop", "ALL"] : ["--unshare-user"]),
    ...(mode.hasProcesses ? ["--unshare-pid"] : []),
    ...(spec.level === "workspace" ? workspaceBase(spec) : ["--dev-bind", "/", "/"]),
    ...(mode.hasProcesses ? ["--proc", "/proc"] : []),
    ...(mode.asRoot ? kernelArgs() : []),
    ...deviceArgs(),
    ...hideArgs(spec, mode.program),
    ...readOnlyArgs(spec, mode.program),
    ...fixedArgs(spec, mode.program),
  ];
}

/** The whole machine read-only, its devices, and what may be written to. */
function workspaceBase({ writable }: SandboxSpec): string[] {
  const binds = existing(writable).flatMap((path) => ["--bind", path, path]);
  return ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", ...binds];
}

/** Files by which root changes what the kernel executes outside of every sandbox. */
function kernelArgs(): string[] {
  const paths = ["/sys", "/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];
  return paths.flatMap((path) => ["--ro-bind-try", path, path]);
}

/** Disks and memory as devices, for users that may open them: they hold every file there is. */
function deviceArgs(): string[] {
  return findRawDevices("/dev").flatMap((path) => ["--dev-bind", "/dev/null", path]);
}

/** Memory, and disks besides their block devices: through SCSI and NVMe commands, or as flash. */
const rawDevice = /^(?:mem|kmem|port|nvme\d+|ng\d+n\d+|sg\d+|mtd\d+(?:ro)?|kcore|raw\d*)$/;
/** Its devices take SCSI commands, and have the numbers of their disks for names. */
const rawFolder = "bsg";

export function findRawDevices(folder: string, depth = 0): string[] {
  const found: string[] = [];
  for (const entry of readEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth < 2 && entry.name !== "pts" && entry.name !== "shm") {
      found.push(...findRawDevices(path, depth + 1));
    }
    const isRawName = rawDevice.test(entry.name) || basename(folder) === rawFolder;
    const isRaw = entry.isBlockDevice() || (entry.isCharacterDevice() && isRawName);
    if (isRaw && isReadable(path)) found.push(path);
  }
  return found;
}

function readEntries(folder: string): ReturnType<typeof readDirectory> {
  try {
    return readDirectory(folder);
  } catch {
    // Closed to us, and so to the sandbox.
    return [];
  }
}

const readDirectory = (folder: string) => readdirSync(folder, { withFileTypes: true });

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** An empty folder in its place, which cannot be written to: a program that takes it for real fails early. */
function hideArgs(spec: SandboxSpec, program: string | undefined): string[] {
  const { level, hidden, visible, writable } = spec;
  const shown = existing(visible);
  const changeable = changeableVisible(level, shown, existing(writable));
  return outermost(existing(hidden)).flatMap((path) => {
    if (statOf(path)?.isDirectory() !== true) return ["--ro-bind", "/dev/null", path];
    const bindInside = (option: string, all: readonly string[]): string[] =>
      all.flatMap((each) => (each.startsWith(`${path}/`) ? [option, each, each] : []));
    const fixed = shown.filter((each) => !changeable.includes(each));
    const binds = [...bindInside("--ro-bind", fixed), ...bindInside("--bind", changeable)];
    if (program?.startsWith(`${path}/`) === true) binds.push("--ro-bind", program, program);
    return ["--perms", "0555", "--tmpfs", path, ...binds, "--remount-ro", path];
  });
}

function bindReadOnly(path: string, spec: SandboxSpec, program: string | undefined): string[] {
  return ["--ro-bind", path, path, ...hideInside(path, spec, program)];
}

/** A folder is bound as it is outside: what is hidden in it must be hidden again. */
function hideInside(path: string, spec: SandboxSpec, program: string | undefined): string[] {
  const hidden = existing(spec.hidden).filter((each) => each !== path && isBelow(each, [path]));
  return hidden.length === 0 ? [] : hideArgs({ ...spec, hidden }, program);
}

/** A session root inside a read-only folder, or around it, stays writable: somebody works on that program. */
function readOnlyArgs(spec: SandboxSpec, program: string | undefined): string[] {
  const { readOnly, hidden, writable } = spec;
  const roots = existing(writable);
  return existing(readOnly)
    .filter((path) => !isBelow(path, existing(hidden)) && !isBelow(path, roots))
    .flatMap((path) => {
      const inside = roots.filter((each) => isBelow(each, [path]) && !isBelow(each, existing(hidden)));
      return [
        ...bindReadOnly(path, spec, program),
        ...inside.flatMap((each) => ["--bind", each, each]),
        // A root may have hidden folders, too.
        ...inside.flatMap((each) => hideInside(each, spec, program)),
      ];
    });
}

function fixedArgs(spec: SandboxSpec, program: string | undefined): string[] {
  const gone = existing(spec.hidden);
  return existing(spec.fixed ?? []).flatMap((path) =>
    isBelow(path, gone) ? [] : bindReadOnly(path, spec, program),
  );
}

/** Real paths of those that exist, shortest first, each once: a mount on a link would be a mount on nothing. */
export function existing(paths: readonly string[]): string[] {
  const real = paths.flatMap((path) => {
    try {
      return [realpathSync(path)];
    } catch {
      return [];
    }
  });
  return [...new Set(real)].toSorted((one, other) => one.length - other.length);
}

/** Of the visible paths, and the writable ones below them, those that can be changed. */
export function changeableVisible(
  level: SandboxSpec["level"],
  visible: readonly string[],
  writable: readonly string[],
): string[] {
  if (level === "guard") return [...visible];
  return [
    ...visible.filter((path) => isBelow(path, writable)),
    ...writable.filter((path) => isBelow(path, visible) && !visible.includes(path)),
  ];
}

/** Those that are not below another one. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter(
    (path) =>
      !isBelow(
        path,
        paths.filter((other) => other !== path),
      ),
  );
}

/** Whether a path is one of these or below one of them. */
export function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false });
}
