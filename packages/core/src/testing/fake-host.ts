// A real host with a real process port whose agents are fake ones, each a separate process that follows its script.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Spawner } from "@holdfast/terminal/process";
import type { ProcessPort } from "@holdfast/terminal/port";
import { type SessionOptions, readConfig } from "@holdfast/protocol";
import { afterEach } from "vitest";
import { Host, type HostOptions } from "../host.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { AgentRecord } from "./agent-record.ts";
import { FakeSession } from "./fake-session.ts";
import type { Script } from "./script.ts";
import { sharedProcessPort } from "./shared-process-port.ts";
import { TerminalClient } from "./terminal-client.ts";

const program = fileURLToPath(new URL("fake-agent.mjs", import.meta.url));

/** The caller in tests. */
export const ME = { kind: "owner" } as const;

/** Options of a host for a test. */
export interface FakeHostOptions {
  /** The script of each agent; a list has one script for each process, the last for all later ones. */
  readonly agents?: Readonly<Record<string, Script | readonly Script[]>>;
  /** Further configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Fields of agents in the configuration besides their launch, such as `cwd`. */
  readonly agentConfig?: Readonly<Record<string, object>>;
  /** Gives the host a separate process port with this environment; else all hosts of the worker share one. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly processPort?: ProcessPort;
  /** Storage of the host; else it keeps nothing. */
  readonly storage?: Storage;
  readonly spool?: TerminalSpool;
  readonly redactor?: HostOptions["redactor"];
  readonly timeouts?: HostOptions["timeouts"];
  readonly now?: HostOptions["now"];
  readonly policy?: HostOptions["policy"];
  readonly paths?: HostOptions["paths"];
}

/** A host for tests. `close` leaves nothing behind. */
export class FakeHost {
  readonly host: Host;
  /** A folder that goes with the host. */
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "core-test-")));
  /** The folder in which sessions work unless they say otherwise. */
  readonly work = path.join(this.folder, "work");
  readonly log: string[] = [];
  readonly terminals: TerminalClient;
  readonly #names: readonly string[];

  constructor(options: FakeHostOptions = {}) {
    const agents = options.agents ?? { mine: {} };
    mkdirSync(this.work);
    this.#names = Object.keys(agents);
    for (const [name, scripts] of Object.entries(agents)) {
      const list: readonly Script[] = "length" in scripts ? scripts : [scripts];
      writeFileSync(path.join(this.folder, `${name}.json`), JSON.stringify(list));
    }
    const own = this.#names.map(
      (name) => [name, { ...this.#launch(name), ...options.agentConfig?.[name] }] as const,
    );
    // Most tests compare the PIDs that agents report with those that the host sees; under guard they differ.
    const isolation = { level: "none" };
    const config = readConfig({ isolation, ...options.config, agents: Object.fromEntries(own) });
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    this.host = new Host({
      processPort: options.processPort ?? this.#newProcessPort(options.environment),
      storage: options.storage ?? new MemoryStorage(),
      spool: options.spool,
      config: config.value,
      stateFolder: path.join(this.folder, "state"),
      paths: options.paths,
      shellAgent: { command: process.execPath, args: [], version: "7.8.9" },
      log: (_level, message) => void this.log.push(message),
      redactor: options.redactor,
      timeouts: options.timeouts,
      now: options.now,
      policy: options.policy,
    });
    this.terminals = new TerminalClient(this.host);
  }

  /** Opens a session with the first agent, or with the one named. */
  async open(options: Partial<SessionOptions> = {}): Promise<FakeSession> {
    const agent = options.agent_id ?? this.#names[0] ?? "mine";
    const session = await this.host.createSession({ cwd: this.work, ...options, agent_id: agent }, ME);
    return new FakeSession(this.host, session.session_key, this.heard(agent));
  }

  /** Messages that an agent has received so far, in all its processes. */
  heard(agent = "mine"): AgentRecord {
    return new AgentRecord(path.join(this.folder, `${agent}.ndjson`));
  }

  /** Unblocks an agent that waits `until` this file exists. */
  pass(gate: string): void {
    writeFileSync(path.join(this.folder, gate), "");
  }

  async close(): Promise<void> {
    await this.host.close();
    rmSync(this.folder, { recursive: true });
  }

  #newProcessPort(environment: FakeHostOptions["environment"]): ProcessPort {
    return new Spawner({
      environment: { PATH: process.env["PATH"], HOME: this.folder, ...environment },
    });
  }

  #launch(name: string): object {
    const env = {
      FAKE_AGENT_SCRIPT: path.join(this.folder, `${name}.json`),
      FAKE_AGENT_RECORD: path.join(this.folder, `${name}.ndjson`),
    };
    return { command: process.execPath, args: [program], env };
  }
}

/** Makes hosts that are closed after each test. */
export function useFakeHosts(): (options?: FakeHostOptions) => FakeHost {
  const hosts: FakeHost[] = [];
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });
  return (options = {}) => {
    const needsOwnPort = options.environment !== undefined;
    const host = new FakeHost(needsOwnPort ? options : { processPort: sharedProcessPort(), ...options });
    hosts.push(host);
    return host;
  };
}
