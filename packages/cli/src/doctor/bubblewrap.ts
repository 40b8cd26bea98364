// Examines bubblewrap, by which agents shut their commands in: whether it is there, and whether the kernel lets it work.
import { existsSync } from "node:fs";
import { asRoot, findProgram, installCommand } from "./find-program.ts";
import { note, ok, type Verdict } from "./finding.ts";
import { probe } from "./probe.ts";
import type { Surroundings } from "./surroundings.ts";

/** What a sandbox needs: the machine to look at, processes of its own, and its own devices. */
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

/** Whether bubblewrap can be used. */
export async function examineBubblewrap({
  environment,
  keeper,
  platform,
}: Pick<Surroundings, "environment" | "keeper" | "platform">): Promise<Verdict> {
  if (platform !== "linux") return ok("is for Linux alone; agents have other means here");
  const program = findProgram("bwrap", environment);
  if (program === undefined) {
    return note(
      "not installed: agents that shut their commands in with it run them without a sandbox, or not at all",
      {
        command: installCommand("bubblewrap"),
      },
    );
  }
  const { output, exitCode } = await probe(keeper, {
    kind: "text",
    command: program,
    args: [...trial, "/bin/sh", "-c", "echo works"],
  });
  if (exitCode === 0) return ok(`${program} works`);
  return note(`${program} cannot be used here: ${output}`, userNamespaceCure());
}

/** What lets ordinary users have namespaces of their own, by what this kernel has for it. */
export function userNamespaceCure(): Pick<Verdict, "remedy" | "command"> {
  const switches = [
    { name: "kernel.apparmor_restrict_unprivileged_userns", value: 0 },
    { name: "kernel.unprivileged_userns_clone", value: 1 },
  ];
  const found = switches.find(({ name }) => existsSync(`/proc/sys/${name.replaceAll(".", "/")}`));
  if (found !== undefined) return { command: asRoot(`sysctl -w ${found.name}=${found.value}`) };
  return { remedy: "In a container, allow user namespaces: docker run --security-opt seccomp=unconfined …" };
}
