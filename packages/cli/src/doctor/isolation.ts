// Checks of process isolation: cgroups, PID namespaces and bubblewrap.
import { existsSync, readFileSync } from "node:fs";
import { messageOf } from "../command-error.ts";
import { asRoot, findProgram, installCommand } from "./find-program.ts";
import { note, ok, type CheckResult } from "./finding.ts";
import { probe, type Machine } from "./machine.ts";

interface Mount {
  readonly folder: string;
  readonly isReadOnly: boolean;
}

const effect = "process groups hold trees together, and a process that leaves its group may survive";

/** Whether the kernel holds trees together, so that nothing that an agent starts can get away. */
export async function examineCgroups({
  processPort,
  platform,
}: Pick<Machine, "processPort" | "platform">): Promise<CheckResult> {
  if (platform !== "linux") return ok("Linux only; process groups track process trees here");
  const { tree } = await probe(processPort, { kind: "text", command: "/bin/sh", args: ["-c", "exit 0"] });
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

/** How an ordinary user gets a delegated group. */
function delegationCure(folder: string): Pick<CheckResult, "remedy" | "command"> {
  if (existsSync("/run/systemd/system")) {
    return {
      remedy: "As a service, the host gets its own cgroup.",
      command: "holdfast service install",
    };
  }
  const group = `${folder}/holdfast`;
  return {
    remedy: "Creates a cgroup for you; start the host from the same shell.",
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

/** Whether a command can have processes that nobody outside sees, and that end with it. */
export async function examineNamespaces({
  environment,
  processPort,
  platform,
}: Pick<Machine, "environment" | "processPort" | "platform">): Promise<CheckResult> {
  if (platform !== "linux") return ok("Linux only");
  if (findProgram("unshare", environment) === undefined) {
    return note("unshare is not installed, so PID namespaces cannot be requested", {
      command: installCommand("util-linux"),
    });
  }
  try {
    await probe(processPort, {
      kind: "text",
      command: "/bin/sh",
      args: ["-c", "exit 0"],
      tree: "pid-namespace",
    });
    return ok("work; a terminal gets one when it asks for it");
  } catch (error) {
    return note(messageOf(error), userNamespaceCure());
  }
}

/** Whether agents and their commands can be kept from the host's files, as the configuration asks. */
export async function examineIsolation({
  processPort,
  platform,
  config,
}: Pick<Machine, "processPort" | "platform" | "config">): Promise<CheckResult> {
  const { level, require } = config.isolation;
  if (level === "none") {
    return note("off in the configuration: agents can read the token and everything else that you can", {
      remedy: "Set isolation.level to guard in the configuration.",
    });
  }
  const { backend, gaps, obstacles } = await processPort.isolation();
  if (backend !== "none") {
    const limits = gaps.length === 0 ? "" : ` ${gaps.join(" ")}`;
    return ok(`${level}, by ${backend}.${limits}`);
  }
  const reasons = obstacles.map(({ backend: tried, reason }) => `${tried}: ${reason}`).join("; ");
  const problem = `agents ${require ? "cannot be started" : "are not isolated"} (${reasons})`;
  if (platform !== "linux") return note(problem);
  return note(problem, {
    ...userNamespaceCure(),
    ...(findSystemBubblewrap() ? {} : { command: installCommand("bubblewrap") }),
  });
}

function findSystemBubblewrap(): boolean {
  return ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].some((file) => existsSync(file));
}

/** A typical sandbox: the machine read-only, a PID namespace, and separate devices. */
const trial = [
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-pid",
  "--die-with-parent",
];

export async function examineBubblewrap({
  environment,
  processPort,
  platform,
}: Pick<Machine, "environment" | "processPort" | "platform">): Promise<CheckResult> {
  if (platform !== "linux") return ok("Linux only; agents use other sandboxes here");
  const program = findProgram("bwrap", environment);
  if (program === undefined) {
    return note(
      "not installed: agents that sandbox their own commands with it run them without a sandbox, or not at all",
      {
        command: installCommand("bubblewrap"),
      },
    );
  }
  const { output, exitCode } = await probe(processPort, {
    kind: "text",
    command: program,
    args: [...trial, "/bin/sh", "-c", "echo works"],
  });
  if (exitCode === 0) return ok(`${program} works`);
  return note(`${program} cannot be used here: ${output}`, userNamespaceCure());
}

/** The setting of this kernel that lets ordinary users create namespaces. */
function userNamespaceCure(): Pick<CheckResult, "remedy" | "command"> {
  const switches = [
    { name: "kernel.apparmor_restrict_unprivileged_userns", value: 0 },
    { name: "kernel.unprivileged_userns_clone", value: 1 },
  ];
  const found = switches.find(({ name }) => existsSync(`/proc/sys/${name.replaceAll(".", "/")}`));
  if (found !== undefined) return { command: asRoot(`sysctl -w ${found.name}=${found.value}`) };
  return { remedy: "In a container, allow user namespaces: docker run --security-opt seccomp=unconfined …" };
}
