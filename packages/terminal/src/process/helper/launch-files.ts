// Opens the files that become a child's stdin, stdout and stderr.
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { TerminalError } from "../../terminal-error.ts";
import type { LaunchIo } from "../launch.ts";
import { platform } from "../platform.ts";

/** The three files for the child, FIFOs unlinked: nobody else shall ever open them. */
export function openFiles(io: LaunchIo): number[] {
  const opened: number[] = [];
  // Non-blocking only while opening, lest a host that died meanwhile blocks us for ever; libuv makes 0, 1 and 2 of a child blocking again.
  const open = (path: string, flags: number): number => {
    const file = openSync(path, flags | constants.O_NONBLOCK | constants.O_NOCTTY);
    opened.push(file);
    return file;
  };
  try {
    const stdin = io.kind === "pipes" ? io.stdin : undefined;
    const input = stdin === undefined ? openNullDevice(open) : open(stdin, constants.O_RDONLY);
    // A tty run opens its device itself, to make it its controlling terminal; until then it is silent.
    if (io.kind === "tty") return [input, input, input];
    const output = open(io.output, constants.O_WRONLY);
    return [input, output, io.error === undefined ? output : open(io.error, constants.O_WRONLY)];
  } catch (error) {
    for (const file of opened) closeSync(file);
    throw error instanceof TerminalError
      ? error
      : new TerminalError("spawn_failed", `Could not open the run's own files: ${String(error)}`, {
          cause: error,
        });
  } finally {
    unlinkFifos(io);
  }
}

function openNullDevice(open: (path: string, flags: number) => number): number {
  try {
    return open(platform.nullDevice, constants.O_RDWR);
  } catch (error) {
    throw new TerminalError(
      "device_missing",
      `${platform.nullDevice} cannot be opened; commands read it in place of a keyboard, so the machine must have it`,
      { cause: error },
    );
  }
}

/** Removes the names of a launch's FIFOs; processes that have them open keep them. */
export function unlinkFifos(io: LaunchIo): void {
  for (const path of fifosOf(io)) {
    try {
      unlinkSync(path);
    } catch {
      // The folder was cleared under us; the open files are what counts.
    }
  }
}

function fifosOf(io: LaunchIo): string[] {
  if (io.kind === "tty") return [];
  return [io.output, io.stdin, io.error].filter((path) => path !== undefined);
}
