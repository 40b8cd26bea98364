// The arguments with which a command joins the namespaces of a holder: the `enter` program, or util-linux without it.
import { capabilityMask, forbiddenCapabilities } from "./capabilities.ts";
import type { BubblewrapMode } from "./bubblewrap.ts";
import type { EnterRequest, Entry } from "./open-sandbox.ts";
import { findSystemProgram } from "./system-program.ts";

/** The programs that join. */
export type Joiner =
  | { readonly kind: "enter"; readonly file: string }
  | {
      readonly kind: "util-linux";
      readonly nsenter: string;
      readonly setpriv: string;
      readonly setsid: string;
    };

/** util-linux, where all of it is there. */
export function findUtilLinux(): Joiner | undefined {
  const [nsenter, setpriv, setsid] = ["nsenter", "setpriv", "setsid"].map(findSystemProgram);
  if (nsenter === undefined || setpriv === undefined || setsid === undefined) return undefined;
  return { kind: "util-linux", nsenter, setpriv, setsid };
}

/** The files of the programs that join. */
export function joinerFiles(joiner: Joiner): string[] {
  return joiner.kind === "enter" ? [joiner.file] : [joiner.nsenter, joiner.setpriv, joiner.setsid];
}

/** Joins the namespaces of `target`, the holder's first process. */
export function joinHolder(
  joiner: Joiner,
  target: number,
  mode: BubblewrapMode,
  request: EnterRequest,
): Entry {
  const words =
    joiner.kind === "enter"
      ? enterWords(joiner.file, target, mode, request)
      : utilLinuxWords(joiner, target, mode, request);
  return { words, hasWaiter: mode.hasProcesses, preparesInside: true };
}

function enterWords(
  file: string,
  target: number,
  { asRoot, hasProcesses }: BubblewrapMode,
  { cwd, device, inside }: EnterRequest,
): string[] {
  return [
    file,
    "join",
    "--target",
    String(target),
    ...(asRoot ? ["--drop", capabilityMask(forbiddenCapabilities())] : ["--user"]),
    ...(hasProcesses ? ["--pid"] : []),
    "--cwd",
    cwd,
    ...(device === undefined ? [] : ["--tty", device]),
    ...inside.flatMap((assignment) => ["--set", assignment]),
    "--",
  ];
}

/**
 * Entering a mount namespace leads to its root, so the directory is changed inside. A working directory from outside
 * would be a way out: its parents are those of the outside.
 */
const insideScript = 'cd "$1" || exit 126; shift';
const terminalScript = 'exec <>"$1" >&0 2>&1; stty iutf8 2>/dev/null; shift';

function utilLinuxWords(
  { nsenter, setpriv, setsid }: Extract<Joiner, { kind: "util-linux" }>,
  target: number,
  { asRoot, hasProcesses }: BubblewrapMode,
  { cwd, device, inside }: EnterRequest,
): string[] {
  const dropped = forbiddenCapabilities()
    .map((number) => `-cap_${number}`)
    .join(",");
  const script = [insideScript, ...(device === undefined ? [] : [terminalScript]), 'exec "$@"'];
  return [
    nsenter,
    "--target",
    String(target),
    ...(asRoot ? [] : ["--user", "--preserve-credentials"]),
    "--mount",
    ...(hasProcesses ? ["--pid"] : []),
    "--",
    ...(asRoot ? [setpriv, "--bounding-set", dropped, "--inh-caps", dropped] : []),
    // Without a PID namespace nsenter does not fork, and the command leads its session already.
    ...(hasProcesses ? [setsid] : []),
    "/bin/sh",
    "-c",
    script.join("\n"),
    "holdfast",
    cwd,
    ...(device === undefined ? [] : [device]),
    ...(inside.length === 0 ? [] : ["/usr/bin/env", ...inside]),
  ];
}
