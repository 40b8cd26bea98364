// Tries everything that a sandbox promises, with real processes; a program, so that it can run as another user.
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
import { setTimeout as sleep } from "node:timers/promises";
import type { IsolationBackend, ProcessPort, RunRequest, Sandbox } from "../process/port.ts";
import { Spawner } from "../process/index.ts";
import { isAlive, recordRun } from "./run-record.ts";

/** The results of all checks, by name; a check that holds is true, any other says what it saw. */
export type SandboxResults = Readonly<Record<string, true | string>>;

/** Inputs of a check. */
interface Bench {
  readonly port: ProcessPort;
  readonly sandbox: Sandbox;
  readonly home: string;
  readonly work: string;
}

/** No check takes a second on an idle machine. */
const checkBoundMs = 30_000;

const token = "token-that-nobody-may-read";

const makeSpawner = (home: string): ProcessPort =>
  new Spawner({ environment: process.env, privateFolder: path.join(home, "run") });

/** The checks that fail under a backend: only our own program sets the filter that forbids cgroup namespaces (T654). */
export function gapsOf(name: string): readonly string[] {
  return name.includes("+util-linux") ? ["no cgroup namespace can be made"] : [];
}

/** Runs every check under one backend; `name` limits the choice of backends. */
export async function checkSandbox(
  name: string | undefined,
  makePort: (home: string) => ProcessPort | Promise<ProcessPort> = makeSpawner,
): Promise<{
  readonly backend: IsolationBackend;
  readonly results: SandboxResults;
}> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "sandbox-checks-")));
  const home = path.join(folder, "parent", "home");
  const work = path.join(folder, "work");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(work);
  writeFileSync(path.join(home, "token"), token);
  if (name !== undefined) process.env["HOLDFAST_SANDBOX_BACKENDS"] = name;
  const port = await makePort(home);
  delete process.env["HOLDFAST_SANDBOX_BACKENDS"];
  try {
    const sandbox = await port.openSandbox({
      level: "guard",
      hidden: [home],
      visible: [],
      readOnly: ["/usr/share"],
      writable: [work],
    });
    const results: Record<string, true | string> = {};
    for (const [title, check] of checks) {
      const late = sleep(checkBoundMs, "it did not end", { ref: false });
      const outcome = check({ port, sandbox, home, work }).catch((error: unknown) => String(error));
      results[title] = await Promise.race([outcome, late]);
    }
    return { backend: sandbox.backend, results };
  } finally {
    await port.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Outcome {
  readonly text: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

async function run(
  { port, sandbox, work }: Bench,
  command: string,
  request: Partial<RunRequest> = {},
): Promise<Outcome> {
  const { run: started, record } = await recordRun(port, {
    command,
    cwd: work,
    sandbox: sandbox.id,
    ...request,
  });
  const { exitCode, signal } = await record.exited();
  started.release();
  return { text: record.text(), exitCode, signal };
}

/** Ways to the token, as lines for the shell; none may print it. */
function waysToToken({ home }: Bench): string[] {
  const file = path.join(home, "token");
  const copy = `"$TMPDIR"/holdfast-copy-$$`;
  return [
    `cat ${file}`,
    `cat /proc/${process.pid}/root${file}`,
    `cat /proc/1/root${file}; cat /proc/self/root${file}`,
    `umount ${home}; umount -l ${home}; cat ${file}`,
    `nsenter -t 1 -m cat ${file}; nsenter -t ${process.pid} -m cat ${file}`,
    `unshare -m sh -c 'umount ${home}; cat ${file}'`,
    `unshare -Urm sh -c 'umount ${home}; cat ${file}'`,
    `mkdir ${copy} && mount --bind ${path.dirname(home)} ${copy} && cat ${copy}/home/token; rmdir ${copy}`,
    `unshare -Urm sh -c 'mkdir ${copy}; mount --bind ${path.dirname(home)} ${copy}; cat ${copy}/home/token'; rmdir ${copy}`,
    `chroot / cat ${file}`,
    `cd ${home} && cat token`,
    `for device in $(ls /dev/[hsv]d[a-z]* 2>/dev/null); do debugfs -R 'cat ${file}' $device; head -c 1 $device; done`,
    `grep -rs ${token} ${path.dirname(home)}`,
  ];
}

/** All checks, by what they show. */
const checks: readonly (readonly [string, (bench: Bench) => Promise<true | string>])[] = [
  [
    "the token is not to be read",
    async (bench) => {
      for (const way of waysToToken(bench)) {
        const { text } = await run(bench, `${way} 2>&1`);
        if (text.replaceAll(`grep -rs ${token}`, "").includes(token)) return `${way} printed ${text}`;
      }
      return readFileSync(path.join(bench.home, "token"), "utf8") === token || "the token itself is gone";
    },
  ],
  [
    "the host's environment and memory are not to be read",
    async (bench) => {
      const { pid } = process;
      const line = `tr '\\0' '\\n' < /proc/${pid}/environ; readlink /proc/${pid}/fd/0 /proc/${pid}/fd/1; cat /proc/${pid}/maps; ls /proc/${pid}/cwd/; echo over`;
      const { text } = await run(bench, `(${line}) 2>/dev/null`);
      return text === "over\n" || text;
    },
  ],
  [
    "no device can be made",
    async (bench) => {
      const { text } = await run(
        bench,
        "mknod ./node b 1 1 2>&1 && echo made; mknod ./tty c 1 1 2>&1 && echo made",
      );
      return !text.includes("made") || text;
    },
  ],
  [
    "no cgroup namespace can be made",
    async (bench) => {
      const { text } = await run(bench, "unshare -UrC true 2>/dev/null && echo made; echo over");
      return text === "over\n" || text;
    },
  ],
  [
    "read-only folders stay as they are",
    async (bench) => {
      const { text } = await run(bench, "touch /usr/share/holdfast-was-here 2>&1 && echo made; echo over");
      return !text.includes("made") || text;
    },
  ],
  [
    "exit codes and signals are the command's",
    async (bench) => {
      const seen = await Promise.all(
        ["exit 7", "kill -KILL $$", "kill -TERM $$", "exit 0", "exit 255", "kill -SEGV $$"].map(
          async (line) => {
            const { exitCode, signal } = await run(bench, line);
            return exitCode ?? signal;
          },
        ),
      );
      return String(seen) === "7,SIGKILL,SIGTERM,0,255,SIGSEGV" || String(seen);
    },
  ],
  [
    "directory, output and environment are the command's",
    async (bench) => {
      const env = { PATH: process.env["PATH"] ?? "", BASH_ENV: "/nowhere", LD_HOLDFAST: "x", PLAIN: "a b" };
      const { text } = await run(
        bench,
        'pwd; echo "$BASH_ENV|$LD_HOLDFAST|$PLAIN"; echo made > file; cat file',
        {
          env,
        },
      );
      return text === `${bench.work}\n/nowhere|x|a b\nmade\n` || text;
    },
  ],
  [
    "no variable of a command acts outside",
    async (bench) => {
      // The loader of every program that runs outside would name a library that it cannot load.
      const env = { PATH: process.env["PATH"] ?? "", LD_PRELOAD: "/holdfast-not-there.so" };
      const { text } = await run(bench, "/bin/true", { env, separateError: false });
      const complaints = text.split("\n").filter((line) => line.includes("holdfast-not-there")).length;
      return complaints === 1 || text;
    },
  ],
  [
    "no program in a command's PATH runs outside",
    async (bench) => {
      const tools = path.join(bench.work, "tools");
      const marker = path.join(bench.home, "marker");
      mkdirSync(tools);
      // What prepares a terminal: a shell that executes these.
      for (const name of ["stty", "sh", "env", "setsid"]) {
        const script = `#!/bin/sh\n: > ${marker}\n`;
        writeFileSync(path.join(tools, name), script, { mode: 0o755 });
      }
      const env = { PATH: `${tools}:${process.env["PATH"]}` };
      const { text } = await run(bench, "/bin/echo", { kind: "tty", args: ["over"], env });
      if (existsSync(marker)) return "one did";
      return text.trim() === "over" || text;
    },
  ],
  [
    "a later command ends what an earlier one left",
    async (bench) => {
      const { text } = await run(bench, "sleep 1000 > /dev/null 2>&1 & echo $!");
      const { text: after } = await run(bench, `kill ${text.trim()} && echo ended`);
      return after === "ended\n" || after;
    },
  ],
  [
    "left processes are listed by their outer PIDs, and nothing of the sandbox",
    async ({ port, sandbox, work }) => {
      const command = "sleep 1000 > /dev/null 2>&1 & echo ready; cat";
      const request = { command, cwd: work, sandbox: sandbox.id, hasInput: true };
      const { run: started, record } = await recordRun(port, request);
      await record.seen(/ready/);
      const during = await started.members();
      started.endInput();
      await record.exited();
      const after = await started.members();
      const left = await started.end(1000);
      started.release();
      const words = [...during, ...after].map((process) => process.command).join("\n");
      if (/enter|nsenter|bwrap|setsid/.test(words)) return words;
      const [survivor] = after;
      if (after.length !== 1 || survivor?.command !== "sleep 1000" || left.length > 0) {
        return JSON.stringify({ after, left });
      }
      return !isAlive(survivor.pid) || `process ${survivor.pid} is alive`;
    },
  ],
  [
    "ending a run ends its tree, and it says how it ended",
    async ({ port, sandbox, work }) => {
      const command = "setsid sleep 1000 & sleep 1000 & echo ready; wait";
      for (const kind of ["text", "tty"] as const) {
        const request = { kind, command, cwd: work, sandbox: sandbox.id };
        const { run: started, record } = await recordRun(port, request);
        await record.seen(/ready/);
        const members = await started.members();
        const left = await started.end(5000);
        const { signal } = await record.exited();
        started.release();
        const alive = members.filter(({ pid }) => isAlive(pid));
        // Where the leader of a terminal's session ends first, the kernel sends SIGHUP to the others.
        const signals: unknown[] = kind === "tty" ? ["SIGTERM", "SIGHUP"] : ["SIGTERM"];
        if (left.length + alive.length > 0 || members.length < 3 || !signals.includes(signal)) {
          return JSON.stringify({ kind, members, left, alive, signal });
        }
      }
      return true;
    },
  ],
  [
    "an interrupt reaches the command and all of its group",
    async ({ port, sandbox, work }) => {
      const command = "trap 'echo caught; exit 5' INT; sleep 1000 & echo ready; wait";
      const request = { command, cwd: work, sandbox: sandbox.id };
      const { run: started, record } = await recordRun(port, request);
      await record.seen(/ready/);
      await started.interrupt();
      const { exitCode } = await record.exited();
      await started.end(1000);
      started.release();
      return (exitCode === 5 && record.text().includes("caught")) || `${exitCode} ${record.text()}`;
    },
  ],
  [
    "a terminal has job control",
    async ({ port, sandbox, work }) => {
      const request = {
        kind: "tty",
        command: "bash",
        args: ["--norc", "-i"],
        cwd: work,
        sandbox: sandbox.id,
      } as const;
      const { run: started, record } = await recordRun(port, { ...request, env: shellEnvironment() });
      const type = (text: string): boolean => started.write(Buffer.from(text));
      await record.seen(/ready> $/);
      // It says when it has been continued: a key that comes before would be the shell's. It starts no process: one that
      // is stopped before it executes its program would keep its parent from being stopped.
      type("tty; sh -c 'trap \"echo resumed\" CONT; echo begun; while :; do read line; done'\r");
      await record.seen(/\/dev\/pts\/\d+\s+begun/);
      type("\u001A");
      await record.seen(/Stopped[^]*ready> $/);
      type("fg\r");
      await record.seen(/\nresumed/);
      type("\u0003");
      await record.seen(/\^C[^]*ready> $/);
      type("echo status=$?; exit 3\r");
      await record.seen(/status=130/);
      const { exitCode } = await record.exited();
      started.release();
      return exitCode === 3 || `${exitCode} ${record.text()}`;
    },
  ],
  [
    "a program can open another sandbox",
    async (bench) => {
      // Landlock forbids mounts. Root gets no new /proc in there: it would be writable where the sandbox's is not.
      if (bench.sandbox.backend === "landlock") return true;
      const isRoot = process.getuid?.() === 0;
      const proc = isRoot || bench.sandbox.gaps.some((gap) => gap.includes("/proc")) ? "" : "--proc /proc";
      const nested = `bwrap --unshare-user --unshare-pid --ro-bind / / ${proc} --dev /dev`;
      const { text } = await run(
        bench,
        `${nested} sh -c 'echo inside; echo x > made' 2>/dev/null; ls made 2>&1`,
      );
      return (text.startsWith("inside\n") && text.includes("No such file")) || text;
    },
  ],
  [
    "root changes no setting of the kernel, in another sandbox either",
    async (bench) => {
      const file = "/proc/sys/kernel/core_pattern";
      const before = readFileSync(file, "utf8");
      const write = `cat ${file} > ./pattern; cat ./pattern > ${file} && echo written`;
      const fresh =
        "mkdir -p fresh; mount -t proc proc fresh && cat pattern > fresh/sys/kernel/core_pattern && echo written";
      const { text } = await run(bench, `(${write}; unshare -Urmpf sh -c '${fresh}') 2>/dev/null; echo over`);
      return (text === "over\n" && readFileSync(file, "utf8") === before) || text;
    },
  ],
  [
    "git commits in a worktree",
    async (bench) => {
      const main = path.join(bench.work, "main");
      const git = (...args: string[]): void =>
        void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], {
          stdio: "ignore",
        });
      git("init", "-q", main);
      git("-C", main, "commit", "-q", "--allow-empty", "-m", "first");
      git("-C", main, "worktree", "add", "-q", path.join(bench.work, "tree"));
      const line =
        "echo x > file && git add file && git -c user.name=x -c user.email=x@example.org commit -qm second && git log --oneline | wc -l";
      const { text } = await run(bench, line, { cwd: path.join(bench.work, "tree") });
      return text.trim() === "2" || text;
    },
  ],
];

function shellEnvironment(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    TERM: "xterm",
    PS1: "ready> ",
    HOME: "/",
    BASH_SILENCE_DEPRECATION_WARNING: "1",
  };
}
