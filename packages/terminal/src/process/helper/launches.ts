// The children of the spawn helper: starts them, waits for them, ends their trees.
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { closeSync } from "node:fs";
import { splitEnvironment } from "../../sandbox/environment-split.ts";
import type { OpenSandbox } from "../../sandbox/open-sandbox.ts";
import type { Sandboxes } from "../../sandbox/sandboxes.ts";
import { signalWaitedGroup, WaitedTree } from "../../sandbox/waited-tree.ts";
import { TerminalError } from "../../terminal-error.ts";
import { resolveCommand } from "../command-line.ts";
import { MARKER_VARIABLE, type LaunchExit, type LaunchRequest, type Launched } from "../launch.ts";
import { effectiveLimits } from "../limits.ts";
import type { FiredLimit, KernelLimits, LimitName, LimitScope, TreeMechanism, TreeProcess } from "../port.ts";
import { checkDirectory, startChild } from "../start-failure.ts";
import { CgroupTree, RunCgroups } from "../tree/cgroup.ts";
import type { MarkerSearch } from "../tree/marker-search.ts";
import { PidNamespaceTree, pidNamespacePrefix } from "../tree/pid-namespace.ts";
import { ProcessGroupTree } from "../tree/process-group.ts";
import { describeProcesses as describe, readStartTime } from "../tree/process-table.ts";
import { ScopeGroups } from "../tree/scope-groups.ts";
import { TreeBackends } from "../tree/tree-choice.ts";
import { endTree, signalPid, type Tree, type TreeLeader } from "../tree/tree.ts";
import { openFiles, unlinkFifos } from "./launch-files.ts";
import { limitBackends, limitsInForce } from "./limits-in-force.ts";
import { LimitWatch, type WatchedTree } from "./limit-watch.ts";
import { withRaisedScore } from "./oom-score.ts";
import { wrapCommand } from "./wrapper.ts";

/** One child and what belongs to it. */
interface Launch {
  readonly pid: number;
  /** Whether the command is a child of this process, in a sandbox. */
  readonly isWaiter: boolean;
  readonly tree: Tree;
  readonly groups: RunCgroups | undefined;
  readonly terminationSignals: readonly NodeJS.Signals[];
  readonly cpuLimit: FiredLimit | undefined;
  state: "running" | "exited";
  ending: Promise<number[]> | undefined;
  limitWatch: LimitWatch | undefined;
}

/** All children of this process, by the number the host gave them. */
export class Launches {
  readonly #launches = new Map<number, Launch>();
  readonly #backends: TreeBackends;
  readonly #sandboxes: Pick<Sandboxes, "find">;

  constructor(sandboxes: Pick<Sandboxes, "find">, useCgroups: boolean) {
    this.#sandboxes = sandboxes;
    this.#backends = new TreeBackends(useCgroups);
  }

  /** Starts a child; `onExit` is called once, after this has resolved. */
  async launch(id: number, request: LaunchRequest, onExit: (exit: LaunchExit) => void): Promise<Launched> {
    let mechanism: TreeMechanism;
    let sandbox: OpenSandbox | undefined;
    try {
      mechanism = await this.#backends.choose(request.tree);
      sandbox = await this.#findSandbox(request);
    } catch (error) {
      unlinkFifos(request.io);
      throw error;
    }
    const files = openFiles(request.io);
    try {
      return await this.#spawn(id, request, mechanism, sandbox, files, onExit);
    } finally {
      for (const file of new Set(files)) closeSync(file);
    }
  }

  /** Signals the group of the child itself. */
  signal(id: number, signal: NodeJS.Signals): void {
    const launch = this.#launches.get(id);
    if (launch?.state !== "running") return;
    if (launch.isWaiter) void signalWaitedGroup(launch.pid, signal);
    else signalPid(-launch.pid, signal);
  }

  async end(id: number, graceMs: number): Promise<TreeProcess[]> {
    const launch = this.#launches.get(id);
    if (launch === undefined) return [];
    launch.ending ??= endTree(launch.tree, graceMs, launch.terminationSignals).finally(() => {
      launch.ending = undefined;
    });
    return describe(await launch.ending);
  }

  async members(id: number): Promise<TreeProcess[]> {
    return describe((await this.#launches.get(id)?.tree.members()) ?? []);
  }

  /** Sets changed limits for what runs in these scopes; without cgroups they hold what starts next. */
  limit(scopes: readonly LimitScope[]): void {
    new ScopeGroups(this.#backends.cgroups, scopes).close();
  }

  /** Ends the tree of a child whose own helper has died. */
  async reap(leader: TreeLeader): Promise<void> {
    // Looking for cgroups ends what is left in a dead helper's groups.
    void this.#backends.cgroups;
    await endTree(new ProcessGroupTree(leader), 0, []);
  }

  /** Gives back the groups of a launch. A tree that still lives keeps its group until the helper ends. */
  forget(id: number): void {
    const launch = this.#launches.get(id);
    if (launch === undefined || launch.state === "running") return;
    this.#launches.delete(id);
    launch.limitWatch?.close();
    launch.tree.close();
    launch.groups?.close();
  }

  /** Ends every tree: called when the host is gone, so nobody is left who could want them. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.#launches.keys()].map((id) => this.end(id, graceMs)));
    for (const launch of this.#launches.values()) {
      launch.limitWatch?.close();
      launch.tree.close();
      launch.groups?.close();
    }
    this.#launches.clear();
    this.#backends.close();
  }

  async #spawn(
    id: number,
    request: LaunchRequest,
    mechanism: TreeMechanism,
    sandbox: OpenSandbox | undefined,
    files: readonly number[],
    onExit: (exit: LaunchExit) => void,
  ): Promise<Launched> {
    const { cwd, io, marker, scopes } = request;
    checkDirectory(cwd);
    const command = resolveCommand(request.command, request.args, cwd, request.env["PATH"]);
    const { outside, inside } =
      sandbox === undefined ? { outside: request.env, inside: [] } : splitEnvironment(request.env);
    const device = io.kind === "tty" ? io.device : undefined;
    const entry = sandbox?.enter({ cwd, device, inside });
    const preparesInside = entry?.preparesInside === true;
    const isWaiter = entry?.hasWaiter === true;
    const effective = effectiveLimits(request.limits, scopes);
    const holdTree = mechanism === "cgroup";
    const ownProcesses = isWaiter ? 1 : 0;
    const groups =
      holdTree || effective.size > 0
        ? new RunCgroups(this.#backends.cgroups, { ...request, name: `run-${id}`, holdTree, ownProcesses })
        : undefined;
    const enforcers = groups?.enforcers ?? new Map();
    const limits = valuesOf(effective);
    const prefix = mechanism === "pid-namespace" ? pidNamespacePrefix() : [];
    const wrapped = wrapCommand(command, {
      groupFolders: groups?.folders ?? [],
      prefix: [...prefix, ...(entry?.words ?? [])],
      io: preparesInside ? undefined : io,
      limits,
      enforcers,
    });
    const options: SpawnOptions = {
      // A directory from outside would be a way out of a sandbox.
      cwd: preparesInside ? "/" : cwd,
      env: { ...outside, [MARKER_VARIABLE]: marker },
      stdio: [...files],
      detached: true,
    };
    const fork = (): ChildProcess => withRaisedScore(() => spawn(wrapped.file, wrapped.args, options));
    const child = await startChild(wrapped.file, fork).catch((error: unknown) => {
      groups?.close();
      throw error;
    });
    const startTime = readStartTime(child.pid);
    const leader = { pid: child.pid, startTime, marker };
    const wholeTree = makeTree(mechanism, leader, groups, this.#backends.markers);
    const tree = isWaiter ? new WaitedTree(wholeTree, child.pid) : wholeTree;
    const launch: Launch = {
      pid: child.pid,
      isWaiter,
      tree,
      groups,
      terminationSignals: io.kind === "tty" ? ["SIGTERM", "SIGHUP"] : ["SIGTERM"],
      cpuLimit: effective.get("cpuSeconds"),
      state: "running",
      ending: undefined,
      limitWatch: LimitWatch.of(countersOf(tree, groups), effective, () => void this.end(id, 0)),
    };
    this.#launches.set(id, launch);
    child.once("exit", (exitCode, signal) => {
      launch.state = "exited";
      onExit(explainExit(launch, exitCode, signal));
    });
    return {
      pid: child.pid,
      startTime,
      tree: mechanism,
      limits: limitsInForce(effective, enforcers, wrapped.rlimits),
      limitBackends: limitBackends(this.#backends.cgroups, mechanism),
    };
  }

  async #findSandbox({ sandbox, tree }: LaunchRequest): Promise<OpenSandbox | undefined> {
    if (sandbox === undefined) return undefined;
    if (tree === "pid-namespace") {
      throw new TerminalError("not_supported", "A sandboxed run cannot have another PID namespace", {
        field: "tree",
      });
    }
    return this.#sandboxes.find(sandbox);
  }
}

function makeTree(
  mechanism: TreeMechanism,
  leader: TreeLeader,
  groups: RunCgroups | undefined,
  markers: MarkerSearch,
): Tree {
  if (mechanism === "cgroup" && groups?.killFolder !== undefined) {
    return new CgroupTree(groups.killFolder, leader, markers);
  }
  return mechanism === "pid-namespace" ? new PidNamespaceTree(leader) : new ProcessGroupTree(leader);
}

function countersOf(tree: Tree, groups: RunCgroups | undefined): WatchedTree {
  return {
    cpuSeconds: groups?.killFolder === undefined ? undefined : () => groups.cpuSeconds(),
    writtenBytes: () => groups?.writtenBytes() ?? 0,
    members: () => tree.members(),
  };
}

/** SIGXCPU and a shell's way of saying it: 128 + 24. */
const cpuSignalExitCode = 152;

function explainExit(launch: Launch, exitCode: number | null, signal: NodeJS.Signals | null): LaunchExit {
  launch.limitWatch?.close();
  const isOutOfCpu = signal === "SIGXCPU" || exitCode === cpuSignalExitCode;
  const limit =
    launch.limitWatch?.fired ?? launch.groups?.fired() ?? (isOutOfCpu ? launch.cpuLimit : undefined);
  // The shell inside a namespace can only say 128 + n; when it was us who asked it to end, it is clear what it means.
  const askedToEnd =
    launch.tree.mechanism === "pid-namespace" && launch.ending !== undefined && exitCode === 143;
  return askedToEnd ? { exitCode: null, signal: "SIGTERM", limit } : { exitCode, signal, limit };
}

function valuesOf(limits: ReadonlyMap<LimitName, FiredLimit>): KernelLimits {
  return Object.fromEntries([...limits.values()].map(({ name, value }) => [name, value]));
}
