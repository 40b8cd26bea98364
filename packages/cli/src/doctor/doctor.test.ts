// `holdfast doctor` on machines from which something has really been taken away.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makePath, runDoctor } from "../testing/doctor-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";
/** A user who owns nothing; tests that run as root take this one. */
const nobody = { uid: 65_534, gid: 65_534 } as const;
const asNobody = ["setpriv", `--reuid=${nobody.uid}`, `--regid=${nobody.gid}`, "--clear-groups"];

/** A home with a configuration; by default with a port that is always free. */
function makeHome(folder: string, port = 0): string {
  const home = path.join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(path.join(home, "config.jsonc"), JSON.stringify({ listen: { port } }));
  return home;
}

async function takePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function canRun(words: readonly string[]): boolean {
  const [command = "", ...rest] = words;
  return spawnSync(command, rest).status === 0;
}

function v2Mount(): string | undefined {
  return ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].find((mount) =>
    existsSync(path.join(mount, "cgroup.controllers")),
  );
}

describe("doctor", () => {
  it(
    "[C70][C71] names what is missing and what installs it: bubblewrap, a known shell, a free port, a sign-in",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      const port = await takePort();
      const home = makeHome(folder, port);
      const PATH = makePath(path.join(folder, "bin"), { gemini: "echo 1.2.3" });
      const environment = { PATH, HOME: folder, SHELL: "/usr/bin/oddshell" };
      const { exitCode, healthy, find, stderr } = await runDoctor({ home, environment });
      expect({ exitCode, healthy, stderr }).toEqual({ exitCode: 8, healthy: false, stderr: "" });
      expect(find("bubblewrap")).toMatchObject({
        state: "note",
        summary: expect.stringContaining("not installed") as string,
      });
      if (existsSync("/usr/bin/apt-get")) {
        const command = isRoot ? "apt-get install bubblewrap" : "sudo apt-get install bubblewrap";
        expect(find("bubblewrap").command).toBe(command);
        expect(find("login-shell").command).toBe(command.replace("bubblewrap", "bash"));
      }
      expect(find("login-shell")).toMatchObject({
        state: "note",
        summary: expect.stringContaining("/usr/bin/oddshell is not known") as string,
      });
      expect(find("port")).toMatchObject({ state: "fix", command: "holdfast serve --port 0" });
      if (isLinux) expect(find("port").summary).toContain(`process ${process.pid}: `);
      expect(find("agent:gemini-cli")).toMatchObject({
        state: "note",
        summary: "version 1.2.3, but no sign-in for Gemini CLI was found",
        remedy: expect.stringContaining("GEMINI_API_KEY or GOOGLE_API_KEY") as string,
        command: "gemini",
      });
      expect(find("agent:qwen-cli").command).toBe("npm install -g @qwen-code/qwen-code");
      for (const id of ["node", "home", "config", "token", "storage", "pty", "agent:shell"]) {
        expect(find(id)).toMatchObject({ id, state: "ok" });
      }
      expect(find("host")).toMatchObject({ state: "note", command: "holdfast serve" });
      // It looked, and left nothing.
      expect(readdirSync(home)).toEqual(["config.jsonc"]);
    },
  );

  it(
    "[C71] names a cgroup that is not writable, and a disk that is full",
    { timeout: 60_000 },
    async (context) => {
      const mount = v2Mount();
      if (mount === undefined) return context.skip("this machine has no cgroup v2 that could be taken away");
      if (!isRoot || !canRun(["unshare", "-m", "true"])) {
        return context.skip("only who may unshare mounts can take a cgroup away");
      }
      const folder = temporaryFolder();
      const home = makeHome(folder);
      const script = `mount -o remount,ro,bind ${mount} && mount -t tmpfs -o size=1m tmpfs ${home} && exec "$@"`;
      const PATH = makePath(path.join(folder, "bin"));
      const { exitCode, find } = await runDoctor({
        home,
        environment: { PATH, HOME: folder, SHELL: "/usr/bin/oddshell" },
        wrapper: ["unshare", "-m", "/bin/sh", "-c", script, "sh"],
      });
      expect(exitCode).toBe(8);
      expect(find("cgroups")).toMatchObject({
        state: "note",
        summary: expect.stringContaining(`cgroup v2 at ${mount} is read-only: process groups hold`) as string,
        command: `mount -o remount,rw ${mount}`,
      });
      expect(find("disk")).toMatchObject({ state: "fix", command: `df -h ${home}` });
    },
  );

  it(
    "[C71] names a home that is not writable, and how an ordinary user comes by a cgroup",
    { timeout: 60_000 },
    async (context) => {
      if (process.platform === "win32") return context.skip("Windows has no such rights");
      const wrapper = isRoot ? asNobody : [];
      if (!canRun([...wrapper, "test", "-r", import.meta.filename])) {
        return context.skip("an ordinary user cannot read this repository");
      }
      const folder = temporaryFolder();
      const home = makeHome(folder);
      const PATH = makePath(path.join(folder, "bin"));
      chmodSync(folder, 0o755);
      chmodSync(home, 0o500);
      onTestFinished(() => chmodSync(home, 0o700));
      if (isRoot) chownSync(home, nobody.uid, nobody.gid);
      const environment = { PATH, HOME: "/nonexistent", SHELL: "/usr/bin/oddshell" };
      const { exitCode, find } = await runDoctor({ home, environment, wrapper });
      expect(exitCode).toBe(8);
      expect(find("home")).toMatchObject({
        state: "fix",
        summary: `${home} is not writable (EACCES)`,
        command: `chmod 700 ${home}`,
      });
      const cgroups = find("cgroups");
      if (isRoot && v2Mount() !== undefined) {
        expect(cgroups.summary).toContain("is not writable for you");
        expect(cgroups.command).toMatch(/^holdfast service install$|cgroup\.procs$/);
      }
    },
  );

  it(
    "[C70] finds no problem where all is well, with 0, and the host that runs",
    { timeout: 60_000 },
    async () => {
      const folder = temporaryFolder();
      const home = makeHome(folder);
      const environment = { PATH: process.env["PATH"] ?? "", HOME: folder, SHELL: "/usr/bin/oddshell" };
      const serving = new ProgramRun(["serve", "--json", "--home", home], {
        program: "main",
        environment,
      });
      onTestFinished(async () => void (await serving.stop()));
      const { url } = await serving.ready();
      const { exitCode, healthy, find } = await runDoctor({ home, environment });
      expect({ exitCode, healthy }).toEqual({ exitCode: 0, healthy: true });
      expect(find("host")).toMatchObject({
        state: "ok",
        summary: `version 0.0.0 is ready at ${url} (process ${serving.child.pid})`,
      });
    },
  );
});
