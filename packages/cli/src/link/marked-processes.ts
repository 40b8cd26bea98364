// Processes of this machine that carry the marker of a home's hosts in their environment.
import { readdirSync, readFileSync } from "node:fs";
import { ProcessOwners } from "@holdfast/core";
import { MARKER_VARIABLE } from "@holdfast/terminal/process";

export interface MarkedProcess {
  readonly pid: number;
  readonly marker: string;
  readonly command: string;
}

/** The marked processes that this user may look at; none where the system has no /proc. */
export function findMarkedProcesses(home: string): MarkedProcess[] {
  const owners = new ProcessOwners(home);
  return readNames().flatMap((name) => {
    const variables = read(`/proc/${name}/environ`).split("\0");
    const marker = variables
      .find((each) => each.startsWith(`${MARKER_VARIABLE}=`))
      ?.slice(MARKER_VARIABLE.length + 1);
    if (marker === undefined || !owners.isOwn(marker)) return [];
    const command = read(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim();
    return [{ pid: Number(name), marker, command }];
  });
}

function readNames(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // There is no /proc.
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended since, or is another user's.
    return "";
  }
}
