// Examines what holds process trees together: cgroup v2 where it is writable, process groups elsewhere.
import { existsSync, readFileSync } from "node:fs";
import { asRoot } from "./find-program.ts";
import { note, ok, type Verdict } from "./finding.ts";
import { probe } from "./probe.ts";
import type { Surroundings } from "./surroundings.ts";

interface Mount {
  readonly folder: string;
  readonly isReadOnly: boolean;
}

const effect = "process groups hold trees together, and a process that leaves its group may survive";

/** Whether the kernel holds trees together, so that nothing that an agent starts can get away. */
export async function examineCgroups({
  keeper,
  platform,
}: Pick<Surroundings, "keeper" | "platform">): Promise<Verdict> {
  if (platform !== "linux") return ok("are for Linux alone; process groups hold trees together here");
  const { tree } = await probe(keeper, { kind: "text", command: "/bin/sh", args: ["-c", "exit 0"] });
  const mount = findMount();
  if (tree === "cgroup") {
    return ok(`v2 is writable at ${mount?.folder}: the kernel holds process trees together`);
  }
  if (mount === undefined) {
    return note(`no cgroup v2 is mounted: ${effect}`, {
      remedy: "The kernel needs cgroup v2, and the host a place in it that it may write to.",
      command: asRoot("mount -t cgroup2 cgroup2 /sys/fs/cgroup"),
    });
  }
  if (mount.isReadOnly) {
    return note(`cgroup v2 at ${mount.folder} is read-only: ${effect}`, {
      remedy: "In a container this needs more rights: docker run --privileged --cgroupns=private …",
      command: asRoot(`mount -o remount,rw ${mount.folder}`),
    });
  }
  return note(
    `cgroup v2 at ${mount.folder} is not writable for you: ${effect}`,
    delegationCure(mount.folder),
  );
}

/** How an ordinary user comes by a group of their own. */
function delegationCure(folder: string): Pick<Verdict, "remedy" | "command"> {
  if (existsSync("/run/systemd/system")) {
    return {
      remedy: "As a service, the host is given a group of its own.",
      command: "holdfast service install",
    };
  }
  const group = `${folder}/holdfast`;
  return {
    remedy: "Gives you a group of your own; start the host from the same shell.",
    command: `sudo mkdir ${group} && sudo chown -R "$USER" ${group} && echo $$ | sudo tee ${group}/cgroup.procs`,
  };
}

function findMount(): Mount | undefined {
  for (const line of readFileSync("/proc/self/mounts", "utf8").split("\n")) {
    const [, folder = "", type, options = ""] = line.split(" ");
    if (type === "cgroup2") return { folder, isReadOnly: options.split(",").includes("ro") };
  }
  return undefined;
}
