// The life of a sandbox: with its processes, with its helper, and after its end.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SandboxSpec } from "../process/port.ts";
import { Spawner } from "../process/spawner.ts";
import {
  findChild,
  readCommandLine,
  readParentPid,
  readProcessTable,
} from "../process/tree/process-table.ts";
import { prepareShell, removeShellFolder } from "../shell-integration/index.ts";
import { guardLeaks } from "../testing/leaks.ts";
import { recordRun, untilGone } from "../testing/run-record.ts";
import { findRawDevices } from "./bubblewrap.ts";
import { findSystemProgram } from "./system-program.ts";

guardLeaks();
const repository = realpathSync(fileURLToPath(new URL("../../../../", import.meta.url)));

const own = process.getuid?.() === 0 ? "bubblewrap-root" : "bubblewrap-user";
const spec: SandboxSpec = { level: "guard", hidden: [], visible: [], readOnly: [], writable: [] };

function newSpawner(): Spawner {
  const spawner = new Spawner({ environment: process.env });
  onTestFinished(() => spawner.close(0));
  return spawner;
}

/** The processes of all sandboxes of a helper. */
async function holdersOf(helperPid: number | undefined): Promise<number[]> {
  const rows = await readProcessTable();
  const children = rows.filter((row) => row.parentPid === helperPid).map(({ pid }) => pid);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("bwrap"));
}

/** The first bubblewrap that a helper starts, in its first moment; undefined if it ended unseen. */
async function untilBubblewrap(helperPid: number, isOver: () => boolean): Promise<number | undefined> {
  while (!isOver()) {
    const child = await findChild(helperPid);
    if (child !== undefined && readCommandLine(child).includes("bwrap")) return child;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

/** Stops the group of processes; returns whether its leader was still running, and not waiting to be reaped. */
function stopGroup(group: number): boolean {
  try {
    process.kill(-group, "SIGSTOP");
    if (readParentPid(group) !== undefined) return true;
    process.kill(-group, "SIGCONT");
    return false;
  } catch {
    return false;
  }
}

/**
 * A helper whose probe of the machine, which opens the first sandbox, is stopped some milliseconds after its bubblewrap
 * started. On a busy machine a probe may end before anyone looks; then the next one is tried.
 */
async function stopInProbe(
  delayMs: number,
): Promise<{ helper: number; group: number; probing: Promise<unknown> }> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const spawner = newSpawner();
    await (await recordRun(spawner, { command: "true" })).record.ended();
    const helper = spawner.helperPid ?? 0;
    let isOver = false;
    const probing = spawner
      .isolation()
      .catch((error: unknown) => error)
      .finally(() => (isOver = true));
    const group = await untilBubblewrap(helper, () => isOver);
    if (group === undefined) continue;
    await sleep(delayMs);
    if (stopGroup(group)) return { helper, group, probing };
    await probing;
  }
  throw new Error("Every probe ended before it could be stopped");
}

describe.runIf(process.platform === "linux")("a sandbox", () => {
  it.each(process.env["HOLDFAST_LONG"] === undefined ? [1, 4] : [0, 1, 2, 4])(
    "[T702] leaves no process when its helper is killed while bubblewrap starts (%i ms)",
    async (delayMs) => {
      // It continues when the helper is gone.
      const { helper, group, probing } = await stopInProbe(delayMs);
      process.kill(helper, "SIGKILL");
      await untilGone([helper]);
      const members = (await readProcessTable()).filter((row) => row.groupId === group).map(({ pid }) => pid);
      process.kill(-group, "SIGCONT");
      await untilGone(members);
      await probing;
      expect(members).toContain(group);
    },
  );

  it.runIf(process.getuid?.() === 0)("[T640] finds every device that holds a disk or the memory", () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "devices-")));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const raw = ["mem", "nvme0", "ng0n1", "ng12n34", "sg0", "mtd0", "mtd0ro", "raw/raw1"];
    raw.push("bsg/0:0:0:0", "bsg/ufs-bsg0");
    const other = ["null", "tty0", "ng", "input/event0", "nvme-fabrics"];
    for (const name of [...raw, ...other]) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      // Those of the null device: nothing can go wrong with them.
      execFileSync("mknod", [path.join(folder, name), "c", "1", "3"]);
    }
    const found = findRawDevices(folder).map((file) => path.relative(folder, file));
    expect(found.toSorted()).toEqual(raw.toSorted());
  });

  it.each([own, "landlock"])(
    "[T704] of %s hides what lies in a read-only folder, and lets a root in it be changed",
    async (backend) => {
      const folder = mkdtempSync(path.join(tmpdir(), "read-only-"));
      for (const name of ["secret", "work/secret", "work/src", "other"]) {
        mkdirSync(path.join(folder, name), { recursive: true });
      }
      for (const name of ["secret", "work/secret"]) writeFileSync(path.join(folder, name, "file"), "visible");
      const hidden = ["secret", "work/secret"].map((name) => path.join(folder, name));
      const read = "cat secret/file work/secret/file 2>/dev/null; touch made other/made 2>/dev/null";
      const change = "echo changed > work/src/file && cat work/src/file";
      vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", backend);
      const spawner = newSpawner();
      vi.unstubAllEnvs();
      for (const parts of [
        { readOnly: [folder], writable: [path.join(folder, "work")], changes: "changed\n" },
        { readOnly: [], fixed: [folder], writable: [], changes: "" },
      ]) {
        const { changes, ...paths } = parts;
        const sandbox = await spawner.openSandbox({ ...spec, hidden, ...paths });
        const command = `${read}; (${change}) 2>/dev/null; ls`;
        const { run, record } = await recordRun(spawner, { command, cwd: folder, sandbox: sandbox.id });
        await record.exited();
        expect(record.text()).toBe(`${changes}other\nsecret\nwork\n`);
        run.release();
      }
      rmSync(folder, { recursive: true });
    },
  );

  it.each([own, "landlock"])(
    "[T649] of %s under workspace lets visible paths be changed only where they are writable",
    async (backend) => {
      const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "visible-")));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      for (const name of ["home/shown/own", "home/both/inside", "home/secret", "other"]) {
        mkdirSync(path.join(folder, name), { recursive: true });
        writeFileSync(path.join(folder, name, "file"), name);
      }
      writeFileSync(path.join(folder, "home/shown/file"), "home/shown");
      const at = (...names: string[]): string[] => names.map((name) => path.join(folder, name));
      vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", backend);
      const spawner = newSpawner();
      vi.unstubAllEnvs();
      const sandbox = await spawner.openSandbox({
        level: "workspace",
        hidden: at("home"),
        visible: at("home/shown", "home/both/inside", "other"),
        readOnly: [],
        writable: at("home/both", "home/shown/own"),
      });
      const names = "home/shown home/shown/own home/both/inside home/secret other";
      const look = `for name in ${names}; do cat $name/file && echo " read"; (touch $name/new) && echo "$name changed"; done`;
      const command = `(${look}) 2>/dev/null`;
      const { run, record } = await recordRun(spawner, { command, cwd: folder, sandbox: sandbox.id });
      await record.exited();
      run.release();
      expect(record.text().trim().split("\n")).toEqual([
        "home/shown read",
        "home/shown/own read",
        "home/shown/own changed",
        "home/both/inside read",
        "home/both/inside changed",
        "other read",
      ]);
    },
  );

  it("[T701] counts only the command's processes, and names the limit as it was requested", async (context) => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const command = "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3 & done 2>/dev/null; jobs -p | wc -l; wait";
    const limits = { processes: 5 };
    const { run, record } = await recordRun(spawner, { command, limits, sandbox: sandbox.id });
    const { limit } = await record.exited();
    run.release();
    const isHeld = run.limits.processes?.by.startsWith("cgroup") === true;
    if (!isHeld) return context.skip("no pids controller here");
    expect(limit).toEqual({ name: "processes", value: 5, level: "command" });
  });

  it("[T21] refuses a run that asks for another PID namespace", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const nested = recordRun(spawner, { command: "true", sandbox: sandbox.id, tree: "pid-namespace" });
    await expect(nested).rejects.toMatchObject({ code: "not_supported", field: "tree" });
  });

  it("[T644] ends with its last process, not before", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const command = "sleep 1000 > /dev/null 2>&1 & echo $!";
    const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
    await record.exited();
    const [survivor] = await run.members();
    const holders = await holdersOf(spawner.helperPid);
    sandbox.close();
    const late = recordRun(spawner, { command: "true", sandbox: sandbox.id });
    await expect(late).rejects.toMatchObject({ code: "not_supported" });
    expect(await holdersOf(spawner.helperPid)).toEqual(holders);
    expect(survivor?.command).toBe("sleep 1000");
    process.kill(survivor?.pid ?? 0, "SIGKILL");
    await untilGone(holders);
    run.release();
  });

  it("[T644] ends at once when it is empty", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const holders = await holdersOf(spawner.helperPid);
    expect(holders).toHaveLength(1);
    sandbox.close();
    await untilGone(holders);
  });

  it("[T644] ends with a helper that is killed, and works again with the next", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox({ ...spec, hidden: ["/usr/share"] });
    const command = "setsid env -i sleep 1000 & echo ready; wait";
    const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
    await record.seen(/ready/);
    const members = await run.members();
    expect(members.length).toBeGreaterThanOrEqual(2);
    process.kill(spawner.helperPid ?? 0, "SIGKILL");
    expect(await record.exited()).toMatchObject({ lost: true });
    await untilGone(members.map(({ pid }) => pid));
    const again = await recordRun(spawner, { command: "ls /usr/share", sandbox: sandbox.id });
    expect(await again.record.exited()).toMatchObject({ exitCode: 0 });
    expect(again.record.text()).toBe("");
    run.release();
    again.run.release();
  });

  it("[T644] is opened again when somebody ended it", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const holders = await holdersOf(spawner.helperPid);
    for (const pid of holders) process.kill(pid, "SIGKILL");
    await untilGone(holders);
    const { run, record } = await recordRun(spawner, { command: "exit 4", sandbox: sandbox.id });
    expect(await record.exited()).toMatchObject({ exitCode: 4 });
    run.release();
  });

  it("[T643] is not ended by what it runs", async () => {
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const holders = await holdersOf(spawner.helperPid);
    for (const command of [
      "kill -9 1; kill 1; kill -HUP 1",
      "pkill sleep; pkill sh; killall -q sleep; true",
    ]) {
      const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
      await record.exited();
      run.release();
    }
    expect(await holdersOf(spawner.helperPid)).toEqual(holders);
  });

  it("[T648] hides the folders of other shells", async () => {
    const shell = await prepareShell({ shell: "bash", env: {} });
    if (!shell.integrated) throw new Error("not integrated");
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const command = `cat ${shell.folder}/nonce`;
    const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
    expect(await record.exited()).toMatchObject({ exitCode: 1 });
    expect(record.text()).not.toContain(shell.nonce);
    run.release();
    await removeShellFolder(shell);
  });

  it.for(["bash", "zsh", "fish"])("[T642] lets %s report its commands", async (name, context) => {
    const program = findSystemProgram(name);
    if (program === undefined) return context.skip(`${name} is not installed`);
    const folder = mkdtempSync(path.join(tmpdir(), "sandboxed-shell-"));
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "xterm", LANG: "C.UTF-8" };
    const shell = await prepareShell({ shell: program, env, folder });
    const { run, record } = await recordRun(spawner, { ...shell, kind: "tty", sandbox: sandbox.id });
    await record.seen(/\]633;B/);
    run.write(Buffer.from("sh -c 'exit 7'\r"));
    await record.seen(/\]633;D;7/);
    expect(record.text()).toMatch(/\]633;C.*\]633;D;7/s);
    run.write(Buffer.from("exit\r"));
    expect(await record.exited()).toMatchObject({ signal: null });
    run.release();
    await removeShellFolder(shell);
    rmSync(folder, { recursive: true });
  });

  it("[T648] hides the files of all helpers of the user", async () => {
    const folder = path.join(tmpdir(), `holdfast-private-${process.getuid?.()}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, "another-helpers"), "");
    const spawner = newSpawner();
    const sandbox = await spawner.openSandbox(spec);
    const { run, record } = await recordRun(spawner, { command: `ls -A ${folder}`, sandbox: sandbox.id });
    expect(await record.exited()).toMatchObject({ exitCode: 0 });
    // The program that holds the sandbox may be there, where it had to be compiled.
    expect(record.text()).toMatch(/^(?:enter-\S+\n)?$/);
    expect(existsSync(path.join(folder, "another-helpers"))).toBe(true);
    run.release();
  });

  it.each(["landlock", "bubblewrap-root,bubblewrap-user"])(
    "[T648] of %s lets temporary files be made",
    async (names) => {
      vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", names);
      const spawner = newSpawner();
      vi.unstubAllEnvs();
      const sandbox = await spawner.openSandbox(spec);
      // Landlock cannot protect the helper and let the folder around it be written to.
      const isUsable = (temporary: string): boolean =>
        names !== "landlock" || !repository.startsWith(`${temporary}/`);
      const folders = [tmpdir(), "/tmp", "/dev/shm"].filter(isUsable);
      const command = `for folder in ${folders.join(" ")}; do rm $(mktemp -p $folder) && echo made; done`;
      const { run, record } = await recordRun(spawner, { command, sandbox: sandbox.id });
      await record.exited();
      expect(record.text()).toBe("made\n".repeat(folders.length));
      run.release();
    },
  );

  it("[T645] is refused, with the reasons, where no backend works", async () => {
    vi.stubEnv("HOLDFAST_SANDBOX_BACKENDS", "nothing");
    const spawner = newSpawner();
    vi.unstubAllEnvs();
    expect(await spawner.isolation()).toMatchObject({ backend: "none" });
    await expect(spawner.openSandbox(spec)).rejects.toMatchObject({ code: "not_supported" });
  });

  it("[T645] is not available without the spawn helper", async () => {
    const spawner = new Spawner({ environment: process.env, forkBy: "child_process" });
    onTestFinished(() => spawner.close());
    expect(await spawner.isolation()).toMatchObject({ backend: "none" });
    await expect(spawner.openSandbox(spec)).rejects.toMatchObject({ code: "not_supported" });
  });
});
