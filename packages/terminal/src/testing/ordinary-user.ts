// An ordinary user for tests that run as root, with a copy of the engine where that user can read it.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Far from the numbers that machines give to their users. */
const firstId = 1_000_000_000;

/** The number of the ordinary user of this process. */
export const ordinaryUserId = firstId + process.pid;

/** Words that execute others as the ordinary user. */
export const asOrdinaryUser: readonly string[] = [
  "setpriv",
  `--reuid=${ordinaryUserId}`,
  `--regid=${ordinaryUserId}`,
  "--clear-groups",
];

/**
 * A user that lives as long as a test file. It has a number and no name: adding a name to a machine locks a file
 * that other tests want at the same time, and a name cannot be removed while a process of that user is still ending.
 */
export class OrdinaryUser {
  readonly #folder = mkdtempSync(join(tmpdir(), "ordinary-user-"));

  constructor() {
    chmodSync(this.#folder, 0o755);
    execFileSync(process.execPath, [
      join(root, "node_modules/typescript/bin/tsc"),
      "-p",
      join(root, "packages/terminal/src/testing"),
      "--outDir",
      join(this.#folder, "dist"),
    ]);
    writeFileSync(join(this.#folder, "package.json"), '{ "type": "module" }');
    cpSync(join(root, "node_modules/@lydell"), join(this.#folder, "node_modules/@lydell"), {
      recursive: true,
    });
  }

  /** Runs a program of this folder as this user, with one argument, and gives its output. */
  async run(mechanism: string, program = "end-shapes-program"): Promise<string> {
    const words = [
      ...asOrdinaryUser,
      process.execPath,
      join(this.#folder, `dist/testing/${program}.js`),
      mechanism,
    ];
    const group = mechanism === "cgroup" ? this.#delegateGroup() : undefined;
    const join0 = group === undefined ? "" : `echo 0 > ${group}/cgroup.procs && `;
    const child = spawn("/bin/sh", ["-c", `${join0}exec "$@"`, "sh", ...words], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"], HOME: "/tmp" },
      cwd: "/",
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (group !== undefined) rmdirSync(group);
    if (code !== 0) throw new Error(`${program} by ${mechanism} ended with ${String(code)}`);
    return output;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** The steps of a service manager for a user's service. */
  #delegateGroup(): string {
    const group = join(cgroupMount() ?? "", `hf-test-${process.pid}`);
    mkdirSync(group);
    for (const file of ["", "cgroup.procs", "cgroup.threads", "cgroup.subtree_control"]) {
      chownSync(join(group, file), ordinaryUserId, ordinaryUserId);
    }
    return group;
  }
}

/** Where the v2 hierarchy is mounted and can be killed in; undefined when nowhere. */
export function cgroupMount(): string | undefined {
  return ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].find(
    (mount) => existsSync(join(mount, "cgroup.procs")) && existsSync(join(mount, "cgroup.controllers")),
  );
}
