// Chooses the backend of a machine by running a command with each, strongest first, and opens sandboxes with it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { platform } from "../process/platform.ts";
import type { BubblewrapMode } from "./bubblewrap.ts";
import { findEnterProgram } from "./enter-program.ts";
import { Holder, type HolderParts } from "./holder.ts";
import { findUtilLinux, type Joiner, joinerFiles } from "./join.ts";
import { LANDLOCK_GAPS, LandlockSandbox } from "./landlock.ts";
import type { OpenSandbox } from "./open-sandbox.ts";
import { makePrivateFolders } from "./private-folder.ts";
import type { IsolationBackend, IsolationReport, SandboxSpec } from "./sandbox.ts";
import { SEATBELT_GAPS, SeatbeltSandbox } from "./seatbelt.ts";
import { findSystemProgram, SYSTEM_PATH } from "./system-program.ts";

/** One way to open sandboxes. */
interface Candidate {
  /** Names the joining program and the namespaces, too. */
  readonly name: string;
  readonly backend: IsolationBackend;
  readonly gaps: readonly string[];
  /** Programs that run outside of the sandboxes; none of them can change these. */
  readonly programs: readonly string[];
  open(spec: SandboxSpec): Promise<OpenSandbox>;
}

interface Choice {
  readonly report: IsolationReport;
  readonly candidate: Candidate | undefined;
}

/** A probe that takes longer is a machine on which nothing could be started. */
const probeMs = 10_000;

/** A command that runs and finds the file in `$0` neither by its path nor by what other processes see. */
const probeScript = `test -r /etc || exit 1
for file in "$0" /proc/[0-9]*/root"$0"; do
  if cat "$file" >/dev/null 2>&1; then echo "hidden files can be read by way of other processes" >&2; exit 1; fi
done`;

const visibleProcesses =
  "The host's processes can be seen and signalled, but not read or traced: this machine does not allow another /proc.";
/** Only the `enter` program sets a filter of system calls (T654). */
const writableCgroups =
  "Cgroups that the user may write to can be mounted in a namespace and changed, those of limits included: there is no C compiler to build the sandbox's own program with.";
const noSetuid = "sudo and other setuid programs do not work.";

/** Paths that every sandbox of a helper has in common. */
export interface BackendParts {
  /** Programs and FIFOs of the helper; no sandbox sees it. */
  readonly privateFolder: string;
  /** The helper's own program, which no sandbox can change. */
  readonly ownProgram: string | undefined;
}

/** Limits the choice to some backends, by name, separated by commas; for tests. */
const onlyVariable = "HOLDFAST_SANDBOX_BACKENDS";

/** The backends of this machine; probed once, on first use. */
export class SandboxBackends {
  readonly #parts: BackendParts;
  #choice: Promise<Choice> | undefined;

  constructor(parts: BackendParts) {
    this.#parts = parts;
  }

  get #privateFolder(): string {
    return this.#parts.privateFolder;
  }

  async report(): Promise<IsolationReport> {
    return (await this.#choose()).report;
  }

  /** Opens a sandbox; undefined where the machine has no backend. */
  async open(spec: SandboxSpec): Promise<OpenSandbox | undefined> {
    const { candidate } = await this.#choose();
    if (candidate === undefined) return undefined;
    const { privateFolder, ownProgram } = this.#parts;
    const shared = makePrivateFolders();
    const own = [privateFolder, ...shared].filter(
      (folder) => candidate.backend !== "landlock" || !shared.includes(folder),
    );
    return candidate.open({
      ...spec,
      hidden: [...spec.hidden, ...own],
      readOnly: [...spec.readOnly, ...(ownProgram === undefined ? [] : [ownProgram])],
      fixed: [...(spec.fixed ?? []), ...candidate.programs],
    });
  }

  #choose(): Promise<Choice> {
    this.#choice ??= this.#probeAll();
    return this.#choice;
  }

  async #probeAll(): Promise<Choice> {
    const obstacles: { backend: IsolationBackend; reason: string }[] = [];
    const { candidates, missing } = await findCandidates(this.#privateFolder);
    const only = process.env[onlyVariable]?.split(",");
    for (const candidate of candidates) {
      if (only !== undefined && !only.includes(candidate.name)) continue;
      const reason = await this.#probe(candidate);
      const { backend, gaps } = candidate;
      if (reason === undefined) return { candidate, report: { backend, gaps, obstacles } };
      // A backend is tried in several ways, which mostly fail for one reason.
      if (!obstacles.some((known) => known.backend === backend && known.reason === reason)) {
        obstacles.push({ backend, reason });
      }
    }
    return {
      candidate: undefined,
      report: { backend: "none", gaps: [], obstacles: [...obstacles, ...missing] },
    };
  }

  /** Hides a file and runs a command that looks for it; gives the reason when that did not go as it must. */
  async #probe(candidate: Candidate): Promise<string | undefined> {
    mkdirSync(this.#privateFolder, { recursive: true, mode: 0o700 });
    const folder = mkdtempSync(join(this.#privateFolder, "probe-"));
    const secret = join(folder, "secret");
    let sandbox: OpenSandbox | undefined;
    try {
      writeFileSync(secret, "");
      sandbox = await candidate.open({
        level: "guard",
        hidden: [folder],
        visible: [],
        readOnly: [],
        writable: [],
      });
      const { words } = sandbox.enter({ cwd: "/", device: undefined, inside: [] });
      const [program, ...args] = [...words, "/bin/sh", "-c", probeScript, secret];
      const env = { PATH: SYSTEM_PATH };
      await promisify(execFile)(program, args, { timeout: probeMs, cwd: "/", env });
      return undefined;
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string };
      const said = stderr?.trim() ?? "";
      return (said === "" ? message : said).split("\n").at(-1);
    } finally {
      sandbox?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function findCandidates(privateFolder: string): Promise<{
  readonly candidates: readonly Candidate[];
  readonly missing: readonly { readonly backend: IsolationBackend; readonly reason: string }[];
}> {
  if (platform.isDarwin) return { candidates: [seatbelt()], missing: [] };
  if (!platform.isLinux) return { candidates: [], missing: [] };
  const enter = await findEnterProgram(privateFolder);
  const bubblewrap = findSystemProgram("bwrap");
  const asRoot = process.getuid?.() === 0;
  const backend = asRoot ? "bubblewrap-root" : "bubblewrap-user";
  const joiners: Joiner[] = enter === undefined ? [] : [{ kind: "enter", file: enter }];
  const utilLinux = findUtilLinux();
  if (utilLinux !== undefined) joiners.push(utilLinux);
  const modes: BubblewrapMode[] = [
    { asRoot, hasProcesses: true },
    { asRoot, hasProcesses: false },
  ];
  const candidates: Candidate[] = [];
  if (bubblewrap !== undefined) {
    for (const mode of modes) {
      for (const joiner of joiners) candidates.push(bubblewrapCandidate(backend, bubblewrap, joiner, mode));
    }
  }
  if (enter !== undefined) candidates.push(landlock(enter));
  return {
    candidates,
    missing: [
      ...(bubblewrap === undefined ? [{ backend, reason: "bubblewrap is not installed" } as const] : []),
      ...(enter === undefined
        ? [{ backend: "landlock", reason: "there is no C compiler to build its program with" } as const]
        : []),
    ],
  };
}

function bubblewrapCandidate(
  backend: IsolationBackend,
  bubblewrap: string,
  joiner: Joiner,
  mode: BubblewrapMode,
): Candidate {
  const gaps = [
    ...(mode.hasProcesses ? [] : [visibleProcesses]),
    ...(mode.asRoot ? [] : [noSetuid]),
    ...(joiner.kind === "enter" ? [] : [writableCgroups]),
  ];
  const parts = (spec: SandboxSpec): HolderParts => ({
    bubblewrap,
    joiner,
    mode,
    report: { level: spec.level, backend, gaps },
  });
  const name = [
    backend,
    ...(joiner.kind === "enter" ? [] : ["util-linux"]),
    ...(mode.hasProcesses ? [] : ["shared"]),
  ];
  const programs = [process.execPath, bubblewrap, ...joinerFiles(joiner)];
  return { name: name.join("+"), backend, gaps, programs, open: (spec) => Holder.open(spec, parts(spec)) };
}

function landlock(enter: string): Candidate {
  const backend = "landlock";
  const report = (spec: SandboxSpec) => ({ level: spec.level, backend, gaps: LANDLOCK_GAPS }) as const;
  return {
    name: backend,
    backend,
    gaps: LANDLOCK_GAPS,
    // A rule for each file beside them would keep everybody from installing programs there.
    programs: [],
    open: async (spec) => new LandlockSandbox(enter, spec, report(spec)),
  };
}

function seatbelt(): Candidate {
  const backend = "seatbelt";
  const report = (spec: SandboxSpec) => ({ level: spec.level, backend, gaps: SEATBELT_GAPS }) as const;
  return {
    name: backend,
    backend,
    gaps: SEATBELT_GAPS,
    programs: [process.execPath],
    open: async (spec) => new SeatbeltSandbox(spec, report(spec)),
  };
}
