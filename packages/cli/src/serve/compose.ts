// Composition of the host from its concrete classes; nothing else names them.
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Host, type HostOptions, type Log } from "@holdfast/core";
import type { Storage, TerminalSpool } from "@holdfast/core/ports";
import { connectKeeper, type KeeperPort, keeperStatus } from "@holdfast/terminal/keeper";
import { SocketPeers, Spawner } from "@holdfast/terminal/process";
import { type ProcessPort, TerminalError } from "@holdfast/terminal/port";
import type { Config } from "@holdfast/protocol";
import { type Readiness, startServer } from "@holdfast/server";
import { openFileSpool, openSqliteStorage } from "@holdfast/storage-sqlite";
import { StartError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { readKeeper } from "../link/keeper-link.ts";
import { listProcesses } from "../link/process-list.ts";
import { VERSION } from "../version.ts";
import { problemOf, requireSoundDatabase, startErrorFor } from "./database.ts";
import { AGENTS_FOLDER, APP_DATA_FOLDER, DATABASE_FILE, RUN_FOLDER, SPOOL_FOLDER } from "./home.ts";
import { agentIds, checkOwnAgents, shellAgent, toolBridge } from "./agents.ts";
import type { HostParts, ListeningHost } from "./serve.ts";
import { PolicyFileSource, policyPath } from "./policy-file.ts";
import { checkOwnFile } from "./whole-file.ts";

interface Kept {
  readonly storage: Storage;
  readonly spool: TerminalSpool;
  close(): Promise<void>;
}

/** Starts processes as children of this one. Its own files lie in the home, which no agent sees. */
export function createProcessPort(home?: string): Spawner {
  return new Spawner({ ...(home !== undefined && { privateFolder: path.join(home, RUN_FOLDER) }) });
}

const mebibyte = 1024 * 1024;

/** The keeper of the home, which holds processes while hosts come and go; undefined where they end with the host. */
async function openKeeper({
  home,
  config,
  keeper,
  log,
  onFatal,
}: HostParts): Promise<KeeperPort | undefined> {
  if (!keeper || process.platform === "win32") return undefined;
  const bounds = { keepBytes: config.keeper.awayMebibytes * mebibyte };
  const onFault = (error: unknown): void => log("error", "Internal error", { error });
  const connected = connectKeeper({ home, version: VERSION, bounds, onFault });
  const port = await connected.catch((error: unknown) => {
    throw explainKeeperError(error);
  });
  port.onFenced(() => {
    onFatal(
      new StartError(EXIT_CODES.fault, "Another host has taken over the agents and terminals of this one."),
    );
  });
  port.onLost(() => log("error", "The keeper died, and what it held has ended. Another one is started."));
  return port;
}

/** Leaves everything to the next host, and says so: a person who pressed Ctrl-C may expect it to end. */
async function leaveRunning(host: Host, { home, log }: HostParts): Promise<void> {
  await host.detach();
  const { runs = [] } = (await keeperStatus(home)) ?? {};
  const running = runs.filter(({ hasExited }) => !hasExited).length;
  if (running === 0) return;
  const words = running === 1 ? "1 agent or terminal keeps" : `${running} agents and terminals keep`;
  log("info", `${words} running: holdfast serve continues with them, holdfast stop --all ends them`);
}

function explainKeeperError(error: unknown): unknown {
  if (!(error instanceof TerminalError)) return error;
  return new StartError(
    EXIT_CODES.setup,
    `${error.message}. Or start without it: holdfast serve --no-keeper`,
    {
      cause: error,
    },
  );
}

/** The folder of this program: the package that was installed, or all packages of the repository. */
const programFolder = path.resolve(fileURLToPath(new URL("../../../", import.meta.url)));

/** The program with all that it loads and runs: of a checkout, the whole of it, with its scripts and dependencies (V702). */
export function findProgram(folder: string): string {
  const root = path.dirname(folder);
  const isCheckout = path.basename(folder) === "packages" && existsSync(path.join(root, "scripts/start.mjs"));
  return isCheckout ? root : folder;
}

/** The paths that agents must not see or change. */
function hostPaths({ home, config, configFile }: HostParts): NonNullable<HostOptions["paths"]> {
  const program = findProgram(programFolder);
  const isInstalled = program.split(path.sep).includes("node_modules");
  const fixed = [policyPath(home, config), ...(configFile === undefined ? [] : [path.resolve(configFile)])];
  return {
    hidden: [home],
    readOnly: isInstalled ? [] : [program],
    fixed: isInstalled ? [...fixed, program] : fixed,
    private: [RUN_FOLDER, SPOOL_FOLDER, AGENTS_FOLDER].map((name) => path.join(home, name)),
  };
}

/** Starts a host whose processes are its own children, on what its home keeps, and serves it. */
export async function startHost(parts: HostParts): Promise<ListeningHost> {
  const { home, config, token, log, redactor, onStopRequest } = parts;
  checkOwnAgents(config);
  const policy = new PolicyFileSource(policyPath(home, config), config.policy !== undefined, log);
  const kept = await openKept(parts);
  const { storage, spool } = kept;
  let host: Host | undefined;
  try {
    const keeper = await openKeeper(parts);
    const processPort = keeper ?? createProcessPort(home);
    const options: HostOptions = {
      processPort,
      storage,
      spool,
      config,
      stateFolder: home,
      appDataFolder: path.join(home, APP_DATA_FOLDER),
      paths: hostPaths(parts),
      shellAgent: shellAgent(),
      toolBridge: toolBridge(),
      policy,
      log,
      redactor,
    };
    const started = keeper === undefined ? new Host(options) : await Host.start(options);
    host = started;
    const { recording } = started;
    const isolation = new ProbedIsolation(config.isolation, processPort, log);
    const webRoot = findWebRoot();
    const server = await startServer({
      host: started,
      token,
      listen: config.listen,
      log,
      meta: storage.meta,
      audit: started.audit,
      apps: config.apps,
      peers: new SocketPeers(() => processPort.helperPid),
      trustedAgents: agentIds(config, config.security.agentsMayUseApi),
      appDataFolder: path.join(home, APP_DATA_FOLDER),
      webhooks: { redactor },
      onStopRequest,
      processes: async () => listProcesses(home, await readKeeper(home), true),
      ...(webRoot !== undefined && { webRoot }),
      isReady: () => ({
        ...readinessOf(recording.problem, policy.current().problem),
        isolation: isolation.current,
      }),
    });
    return {
      url: server.url,
      signInUrl: () => (webRoot === undefined ? server.url : server.signInUrl()),
      close: (work) =>
        closeInTurn([
          () => server.stop(keeper === undefined ? "end" : work),
          // Webhooks for the end of a turn are also called for turns that end here (A83).
          () => (work === "keep" && keeper !== undefined ? leaveRunning(started, parts) : started.close()),
          () => server.close(),
          () => kept.close(),
        ]),
    };
  } catch (error) {
    await closeInTurn([async () => host?.detach(), () => kept.close()]);
    throw error;
  }
}

/** Closes one after the other, even if earlier ones fail. */
async function closeInTurn(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => failures.push(error));
  const [cause] = failures;
  // The log shows an error with its cause.
  if (failures.length > 0) throw new AggregateError(failures, "The host did not close cleanly", { cause });
}

/** The isolation of sessions that name none; what enforces it is found while the host starts. */
class ProbedIsolation {
  #current: NonNullable<Readiness["isolation"]>;

  constructor({ level, require }: Config["isolation"], processPort: ProcessPort, log: Log) {
    this.#current = { level };
    if (level === "none") return;
    processPort.isolation().then(
      ({ backend, gaps, obstacles }) => {
        this.#current = { level: backend === "none" ? "none" : level, backend };
        if (backend !== "none") return log("info", `Agents are isolated (${level}, ${backend})`, { gaps });
        const consequence = require ? "Sessions are refused" : "Agents and their commands are not isolated";
        log("warn", `${consequence}: this machine cannot isolate processes. Run holdfast doctor.`, {
          obstacles,
        });
      },
      // The host was stopped meanwhile.
      () => {},
    );
  }

  get current(): NonNullable<Readiness["isolation"]> {
    return this.#current;
  }
}

function readinessOf(problem: string | undefined, policyProblem: string | undefined): Readiness {
  // The sentences that name files are in the log: this is read by anybody.
  if (problem !== undefined) return { ready: false, code: "STORAGE_UNAVAILABLE" };
  return policyProblem === undefined ? { ready: true } : { ready: true, policy: "broken" };
}

async function openKept({ home, log, startEmpty, isTakenOver, onFatal }: HostParts): Promise<Kept> {
  checkOwnFile(path.join(home, DATABASE_FILE));
  // A host that had it open closed it a moment ago, and its clients wait for this one.
  const endCheck = isTakenOver ? () => undefined : await requireSoundDatabase(home, log, startEmpty, onFatal);
  try {
    return await openSound(home, log, onFatal, endCheck);
  } catch (error) {
    endCheck();
    throw error;
  }
}

async function openSound(
  home: string,
  log: Log,
  onFatal: HostParts["onFatal"],
  endCheck: () => void,
): Promise<Kept> {
  const onFault = createFaultLog(log);
  const file = path.join(home, DATABASE_FILE);
  const storage = await openSqliteStorage({
    file,
    onFault,
    onCorrupt: (error) => onFatal(startErrorFor({ kind: "damaged", problem: problemOf(error) }, home)),
  });
  try {
    const spool = await openFileSpool({ folder: path.join(home, SPOOL_FOLDER), onFault });
    return {
      storage,
      spool,
      async close(): Promise<void> {
        endCheck();
        try {
          await spool.close();
        } finally {
          storage.close();
        }
      },
    };
  } catch (error) {
    storage.close();
    throw error;
  }
}

const quietMs = 60_000;

/** Logs faults; one that repeats is counted and logged again after a minute. */
function createFaultLog(log: Log, nowMs: () => number = Date.now): (error: unknown) => void {
  const seen = new Map<string, { readonly atMs: number; repeated: number }>();
  return (error) => {
    const kind = kindOf(error);
    const last = seen.get(kind);
    if (last !== undefined && nowMs() - last.atMs < quietMs) {
      last.repeated += 1;
      return;
    }
    seen.set(kind, { atMs: nowMs(), repeated: 0 });
    const repeated = last !== undefined && last.repeated > 0 ? { repeated: last.repeated } : {};
    log("error", "Something could not be stored", { ...repeated, error });
  };
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  // Messages name files and rows, of which there are many.
  return `${error.name} ${code}`;
}

/** The folder of the built page; undefined where it was not built, and then there is none. */
export function findWebRoot(): string | undefined {
  const folder = fileURLToPath(new URL("../../../web/dist/page", import.meta.url));
  return existsSync(path.join(folder, "index.html")) ? folder : undefined;
}
