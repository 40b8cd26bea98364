// Composition of a host: makes its parts from what it is given and from what an earlier host stored.
import { homedir } from "node:os";
import { join } from "node:path";
import { newRootState, ROOT_URI } from "@holdfast/ahp";
import type { Config } from "@holdfast/protocol";
import type { Held, ProcessPort } from "@holdfast/terminal/port";
import { AgentFolders } from "./agent/agent-folders.ts";
import { AgentEntries, type BuiltInProgram, shellVariables } from "./agent/agent-entry.ts";
import { AgentList, PublishedAgents } from "./agent/agent-list.ts";
import { Installations } from "./agent/installations.ts";
import { KnownModels } from "./agent/known-models.ts";
import { McpServers } from "./agent/mcp-servers.ts";
import { ModelProbes } from "./agent/model-probe.ts";
import { Approvals } from "./approval/approvals.ts";
import { PermissionRules } from "./approval/permission-rules.ts";
import { InputRequests } from "./approval/input-requests.ts";
import { Audit } from "./audit/audit.ts";
import { Hub } from "./channel/hub.ts";
import { ClientToolLeases, type ToolBridge } from "./editor/client-tools.ts";
import { Editors } from "./editor/editors.ts";
import { HostLimits } from "./limit/host-limits.ts";
import { ChangeListeners } from "./changes/change-listeners.ts";
import { HostWatchers } from "./host-watchers.ts";
import { type HostPaths, Isolation } from "./isolation/isolation.ts";
import { OutageWatch } from "./outage.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "./timeouts.ts";
import type { Storage, TerminalSpool } from "./ports.ts";
import type { Redactor } from "./redaction/redactor.ts";
import { type RetentionRules, RetentionWatch } from "./retention.ts";
import { buildLaunch } from "./session/agent-launch.ts";
import { Remains } from "./session/reattach.ts";
import { recoverTerminals } from "./session/recovery.ts";
import { HostSearch } from "./search/host-search.ts";
import { Rights } from "./session/rights.ts";
import { SessionAdmission } from "./session/session-admission.ts";
import { SessionDirectory } from "./session/session-directory.ts";
import type { PolicySource } from "./policy/host-policy.ts";
import type { Log, SessionDeps } from "./session/session-deps.ts";
import { Sessions } from "./session/sessions.ts";
import { Submissions } from "./submit/submissions.ts";
import { FinishedTerminals } from "./terminal/finished-terminals.ts";
import { HostTerminals } from "./terminal/host-terminals.ts";
import { disposeOf, PersonTerminals } from "./terminal/person-terminals.ts";
import { markRuns, ProcessOwners } from "./terminal/process-owners.ts";
import { TerminalClaims } from "./terminal/terminal-claims.ts";
import { TerminalDirectory } from "./terminal/terminal-directory.ts";

/** Settings and ports of a host. */
export interface HostOptions {
  readonly processPort: ProcessPort;
  /** Its storage; the caller that opened it closes it, after the host. */
  readonly storage: Storage;
  /** Keeps the output of terminals; without it, their output goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly config: Config;
  /** Where built-in agents may keep their own files. */
  readonly stateFolder: string;
  /** The folder in it that holds one for each app. */
  readonly appDataFolder?: string | undefined;
  readonly shellAgent: BuiltInProgram;
  /** Serves lent tools to agents that have no MCP over HTTP; those get none if left out. */
  readonly toolBridge?: ToolBridge | undefined;
  /** Its own paths, which agents must not see or change; none if left out. */
  readonly paths?: HostPaths | undefined;
  readonly log: Log;
  /** Learns what is handed to agents in secret, and takes it out of what they say when they fail. */
  readonly redactor?: Redactor | undefined;
  /** Rules about what agents may do. */
  readonly policy?: PolicySource | undefined;
  readonly now?: (() => Date) | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

/** The part of each channel's log that is held in memory: a reader that is further behind reads from storage. */
const logLimitBytes = 1024 * 1024;
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const mebibyte = 1024 * 1024;

/** The parts of a host that it uses itself. */
export interface HostParts extends SessionDeps, ClientParts {
  /** The remains of an earlier host. */
  readonly remains: Remains | undefined;
  readonly outage: OutageWatch;
  readonly sessions: Sessions;
  readonly probes: ModelProbes;
  readonly agents: AgentList;
  readonly publishedAgents: PublishedAgents;
  readonly retention: RetentionWatch;
}

/** The parts that serve clients: finding and following channels, and submitting to them. */
interface ClientParts {
  readonly finished: FinishedTerminals;
  readonly claims: TerminalClaims;
  readonly directory: SessionDirectory;
  readonly terminalDirectory: TerminalDirectory;
  readonly submissions: Submissions;
}

/** `held`: what an earlier host left in the process port; absent where processes end with their host. */
export function composeHost(options: HostOptions, held?: Held): HostParts {
  const { config, storage, spool, log, now = (): Date => new Date() } = options;
  const owners = new ProcessOwners(options.stateFolder);
  const processPort = markRuns(options.processPort, owners);
  const timeouts = { ...DEFAULT_TIMEOUTS, idleMs: config.acp.idleSeconds * 1000, ...options.timeouts };
  const onFault = (error: unknown): void => log("error", "Internal error", { error });
  const outage = new OutageWatch(() => sessions.all, log);
  const hub = openHub(storage, outage, log, onFault);
  outage.watch(hub.recording);
  const audit = new Audit(now, storage.audit);
  const watchers = new HostWatchers(now);
  const limits = new HostLimits(config.limits);
  const isolation = new Isolation(config.isolation, options.paths);
  const terminals = new HostTerminals({
    processPort,
    hub,
    spool,
    now,
    owners,
    onFault,
    scopes: limits.scopesOf(),
    keepsRuns: held !== undefined,
  });
  const entries = new AgentEntries(config, options.shellAgent);
  const deps: SessionDeps = {
    hub,
    storage,
    search: new HostSearch(storage.search, onFault),
    watchers,
    processPort,
    installations: new Installations(processPort, options.shellAgent.version, {
      openSandbox: () => isolation.openFor(processPort, isolation.level, { roots: [], ownFolders: [] }),
    }),
    mcpServers: readMcpServers(options),
    models: new KnownModels(storage.meta, now),
    approvals: new Approvals(hub, now, timeouts.approvalMs, watchers),
    inputs: new InputRequests(now, timeouts.approvalMs),
    rules: new PermissionRules(storage.meta, now),
    audit,
    limits,
    rights: new Rights({ audit, entries, home: options.stateFolder, appData: options.appDataFolder }),
    terminals,
    owners,
    isolation,
    editors: new Editors(),
    clientTools: new ClientToolLeases({
      keepSecret: (secret) => options.redactor?.add(secret) ?? (() => {}),
      bridge: options.toolBridge,
    }),
    log,
    timeouts,
    policy: options.policy,
    keepsRuns: held !== undefined,
    now,
    turnTextBytes: config.acp.turnTextMebibytes * mebibyte,
    defaultModel: config.defaults.model,
    changesFolder: join(options.stateFolder, "changes"),
    changeListeners: new ChangeListeners(),
    ...agentDeps(options),
  };
  const admission = new SessionAdmission(deps, entries, { ...config, defaultCwd: homedir() });
  const sessions = new Sessions(deps, entries, admission);
  const remains = held && recoverRuns(held, storage, hub);
  sessions.recover(recoverTerminals({ ...deps, remains }), remains);
  const probes = makeProbes(deps);
  const agents = makeAgentList(deps, entries, admission, probes);
  return {
    ...deps,
    remains,
    outage,
    sessions,
    probes,
    agents,
    publishedAgents: new PublishedAgents({ hub, look: () => agents.look(), onFault }),
    retention: watchRetention(options, deps, onFault),
    ...composeClientParts(deps, sessions, spool, onFault),
  };
}

/** Finds what still runs; of runs that nobody will continue, nothing is kept. */
function recoverRuns(held: Held, storage: Storage, hub: Hub): Remains {
  const remains = new Remains(held, storage);
  for (const run of remains.lostRuns) {
    hub.join({ takeRecords: () => [{ type: "runEnded", run }], committed: () => {} });
  }
  return remains;
}

function makeAgentList(
  deps: SessionDeps,
  entries: AgentEntries,
  admission: SessionAdmission,
  probes: ModelProbes,
): AgentList {
  return new AgentList({
    ...deps,
    entries: entries.all,
    probes,
    waitMs: deps.timeouts.modelsMs,
    mayStart: (entry) => admission.mayStart(entry),
  });
}

function watchRetention(
  { config, storage, spool }: HostOptions,
  { changesFolder, removeAgentFolders, now }: SessionDeps,
  onFault: (error: unknown) => void,
): RetentionWatch {
  const rules = readRetention(config.retention);
  const parts = { storage, spool, changesFolder, removeAgentFolders, rules, now };
  return new RetentionWatch({ ...parts, everyMs: hour, onFault });
}

function composeClientParts(
  deps: SessionDeps,
  sessions: Sessions,
  spool: TerminalSpool | undefined,
  onFault: (error: unknown) => void,
): ClientParts {
  const terminalDeps = { ...deps, spool, onFault };
  const finished = new FinishedTerminals(terminalDeps);
  const { goneClientMs, goneSizeMs } = deps.timeouts;
  const claims = new TerminalClaims({ ...terminalDeps, goneClientMs, goneSizeMs, dispose: disposeOf });
  const directory = new SessionDirectory({ ...deps, sessions });
  const terminalDirectory = new TerminalDirectory(terminalDeps);
  const personTerminals = new PersonTerminals({ ...terminalDeps, finished, claims });
  const submissions = new Submissions({
    ...deps,
    spool,
    sessions,
    directory,
    claims,
    terminalDirectory,
    personTerminals,
  });
  return { finished, claims, directory, terminalDirectory, submissions };
}

function openHub(
  { sequence, journal }: Storage,
  outage: OutageWatch,
  log: Log,
  onFault: (error: unknown) => void,
): Hub {
  const hub = new Hub({
    sequence,
    journal,
    onFault,
    onOutage: (failure) => outage.begin(failure),
    onRecovery: () => outage.end(),
    onRoom: (problem) => {
      if (problem === undefined) log("info", "There is enough disk space again: changes are accepted");
      else log("error", `Changes are refused. ${problem}`);
    },
    logLimitBytes,
  });
  hub.open(ROOT_URI, "root", newRootState());
  return hub;
}

function readMcpServers({ config, redactor }: HostOptions): McpServers {
  const mcpServers = new McpServers(config.mcpServers);
  for (const secret of mcpServers.secrets) redactor?.add(secret);
  return mcpServers;
}

function agentDeps({
  config,
  shellAgent,
  stateFolder,
  redactor,
}: HostOptions): Pick<
  SessionDeps,
  | "clientVersion"
  | "onSecrets"
  | "redact"
  | "agentVariables"
  | "agentFolders"
  | "commandRunOf"
  | "removeAgentFolders"
> {
  const folders = new AgentFolders(stateFolder);
  return {
    clientVersion: shellAgent.version,
    commandRunOf: ({ id }) => config.acp.commandRunOf?.[id] ?? config.acp.commandRun,
    onSecrets: (values) => values.forEach((value) => redactor?.add(value)),
    redact: (text) => redactor?.redact(text) ?? text,
    agentVariables: ({ builtIn, id }, session) => (builtIn ? shellVariables(folders.make(id, session)) : {}),
    agentFolders: ({ builtIn, id }, session) => (builtIn ? [folders.make(id, session)] : []),
    removeAgentFolders: (session) => folders.remove(session),
  };
}

function readRetention({ maxAgeDays, maxMebibytes, auditDays }: Config["retention"]): RetentionRules {
  return {
    maxAgeMs: maxAgeDays * day,
    maxBytes: maxMebibytes * mebibyte,
    auditMaxAgeMs: auditDays * day,
  };
}

function makeProbes({ processPort, installations, timeouts, ...deps }: SessionDeps): ModelProbes {
  const { clientVersion, redact } = deps;
  return new ModelProbes({
    processPort,
    connection: { timeouts, clientVersion, redact },
    timeoutMs: timeouts.modelsMs,
    openSandbox: (entry, folder) =>
      deps.isolation.openFor(processPort, deps.isolation.level, {
        roots: [folder],
        ownFolders: deps.agentFolders(entry),
      }),
    launch: (entry, cwd) =>
      buildLaunch(processPort, installations, {
        entry,
        cwd,
        model: undefined,
        offersModel: undefined,
        variables: deps.agentVariables(entry),
        forwardedProvider: undefined,
        hostEnvironment: process.env,
        scopes: deps.limits.scopesOf(),
      }),
  });
}
