// The files that the host opens for an agent: those that the agent's own sandbox can see, because the host runs in none.
import type { SandboxSpec } from "@holdfast/terminal/port";
import { liesIn } from "../resource/files.ts";
import { followLinks } from "../resource/links.ts";

/** Through these, the host would act on itself and on the machine, or tell about itself. */
const kernelFolders = ["/proc", "/sys", "/dev"];
const processFolder = /^\/proc\/\d+(?:\/|$)/;

/** Whether a sandbox has a file, or may change it; the path is without links. */
export async function isReachable(
  spec: SandboxSpec,
  access: "read" | "write",
  realPath: string,
): Promise<boolean> {
  const isIn = async (paths: readonly string[]): Promise<boolean> =>
    liesIn(realPath, await Promise.all(paths.map((each) => followLinks(each))));
  if (processFolder.test(realPath)) return false;
  if ((await isIn(spec.hidden)) && !(await isIn(spec.visible))) return false;
  if (access === "read") return true;
  if (liesIn(realPath, kernelFolders) || (await isIn(spec.fixed ?? []))) return false;
  if (await isIn(spec.writable)) return true;
  return spec.level === "guard" && !(await isIn(spec.readOnly));
}
