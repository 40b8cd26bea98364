// Hosts that come after each other on the same storage and the same held runs, each killed between two ticks.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig, type SessionOptions } from "@holdfast/protocol";
import { connectKeeper, endKeeper, HeldRuns } from "@holdfast/terminal/keeper";
import type { ProcessPort } from "@holdfast/terminal/port";
import { Spawner } from "@holdfast/terminal/process";
import { afterEach, expect } from "vitest";
import { Host } from "../host.ts";
import type { Storage } from "../ports.ts";
import { AgentRecord } from "./agent-record.ts";
import { ME } from "./fake-host.ts";
import { MemorySpool } from "./memory-spool.ts";
import { MemoryStorage } from "./memory-storage.ts";
import type { Script } from "./script.ts";

const program = fileURLToPath(new URL("fake-agent.mjs", import.meta.url));
const shellAgent = fileURLToPath(new URL("../../../agent-shell/dist/main.js", import.meta.url));

/** A storage that a killed host writes to no more. */
class MortalStorage {
  readonly #kept: Storage;
  #isDead = false;

  constructor(kept: Storage) {
    this.#kept = kept;
  }

  get forHost(): Storage {
    const kept = this.#kept;
    const ifAlive =
      <Args extends unknown[]>(write: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!this.#isDead) write(...args);
      };
    const { journal, audit, meta } = kept;
    const parts: Partial<Storage> = {
      journal: { commit: (records) => (this.#isDead ? undefined : journal.commit(records)) },
      audit: {
        append: ifAlive((entry) => audit.append(entry)),
        read: (query) => audit.read(query),
        chain: () => audit.chain(),
      },
      meta: {
        get: (key) => meta.get(key),
        set: ifAlive((key, value) => meta.set(key, value)),
        delete: ifAlive((key) => meta.delete(key)),
        keys: (prefix) => meta.keys(prefix),
      },
    };
    return new Proxy<Storage>(kept, {
      get: (target, name) => {
        const own: unknown = Reflect.get(parts, name);
        if (own !== undefined) return own;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  die(): void {
    this.#isDead = true;
  }
}

/** The holder of the hosts' runs. */
interface RunsHolder {
  /** Fences the host before, and gives the port of the next one. */
  takeOver(): Promise<ProcessPort>;
  close(graceMs: number): Promise<void>;
}

/** Options of a series of hosts. */
export interface RestartsOptions {
  /** The script of the agent; it may need the folder in which sessions work. */
  readonly script?: Script | ((work: string) => Script);
  readonly storage?: Storage;
  /** Holder of the runs: this process (default), or a keeper process. */
  readonly keeper?: "in-process" | "process";
  readonly config?: Readonly<Record<string, unknown>>;
  readonly timeouts?: ConstructorParameters<typeof Host>[0]["timeouts"];
}

/** Hosts, one at a time. `close` leaves nothing behind. */
export class Restarts {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "core-restart-")));
  readonly work = path.join(this.folder, "work");
  readonly spool = new MemorySpool();
  readonly storage: Storage;
  readonly log: string[] = [];
  #runs: RunsHolder;
  readonly #options: RestartsOptions;
  #host: Host | undefined;
  #port: ProcessPort | undefined;
  #mortal: MortalStorage;

  constructor(options: RestartsOptions = {}) {
    this.#options = options;
    mkdirSync(this.work);
    const script = typeof options.script === "function" ? options.script(this.work) : (options.script ?? {});
    writeFileSync(path.join(this.folder, "mine.json"), JSON.stringify([script]));
    this.storage = options.storage ?? new MemoryStorage();
    this.#mortal = new MortalStorage(this.storage);
    this.#runs = this.#hold();
  }

  #hold(): RunsHolder {
    const environment = { PATH: process.env["PATH"], HOME: this.folder };
    if (this.#options.keeper !== "process") {
      const runs = new HeldRuns(new Spawner({ environment }));
      return { takeOver: async () => runs.takeOver(), close: (graceMs) => runs.close(graceMs) };
    }
    const home = path.join(this.folder, "keeper");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return {
      takeOver: () => connectKeeper({ home, environment }),
      close: async (graceMs) => void (await endKeeper(home, graceMs)),
    };
  }

  /** The host and everything that it started are gone. */
  async loseRuns(): Promise<void> {
    await this.kill();
    await this.#runs.close(0);
    this.#runs = this.#hold();
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error("There is no host");
    return this.#host;
  }

  /** Starts the next host; the one before it, if it still runs, is killed. */
  async start(): Promise<Host> {
    // Between two ticks.
    await new Promise(setImmediate);
    if (this.#host !== undefined) await this.kill();
    const { script: _, config: extra, timeouts } = this.#options;
    const env = {
      FAKE_AGENT_SCRIPT: path.join(this.folder, "mine.json"),
      FAKE_AGENT_RECORD: path.join(this.folder, "mine.ndjson"),
    };
    const mine = { command: process.execPath, args: [program], env };
    const config = readConfig({ isolation: { level: "none" }, ...extra, agents: { mine } });
    if (!config.ok) throw new Error(JSON.stringify(config.problems));
    this.#mortal = new MortalStorage(this.storage);
    this.#host = await Host.start({
      processPort: await this.#runs.takeOver(),
      storage: this.#mortal.forHost,
      spool: this.spool,
      config: config.value,
      stateFolder: path.join(this.folder, "state"),
      shellAgent: { command: process.execPath, args: [shellAgent], version: "7.8.9" },
      log: (level, message, facts) =>
        void this.log.push(`${level} ${message} ${JSON.stringify(facts ?? {})}`),
      timeouts,
    });
    return this.#host;
  }

  /** From now on nothing that the host does counts, and it does not know. */
  async kill(): Promise<void> {
    this.#mortal.die();
    this.host.hub.freeze();
    this.#host = undefined;
    this.#port = await this.#runs.takeOver();
  }

  /** The port while no host is there. */
  get port(): ProcessPort {
    return this.#port ?? expect.fail("A host has the port");
  }

  /** Opens a session of the scripted agent, or of another; gives its key. */
  async open(options: Partial<SessionOptions> = {}): Promise<string> {
    const session = await this.host.createSession({ cwd: this.work, agent_id: "mine", ...options }, ME);
    return session.session_key;
  }

  /** Messages that the scripted agent has received. */
  get heard(): AgentRecord {
    return new AgentRecord(path.join(this.folder, "mine.ndjson"));
  }

  /** Unblocks an agent that waits `until` this file exists. */
  pass(gate: string): void {
    writeFileSync(path.join(this.folder, gate), "");
  }

  async close(): Promise<void> {
    await this.#host?.close();
    await this.#runs.close(200);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Makes series of hosts that are closed after each test. */
export function useRestarts(): (options?: RestartsOptions) => Restarts {
  const all: Restarts[] = [];
  afterEach(async () => {
    await Promise.all(all.splice(0).map((each) => each.close()));
  });
  return (options) => {
    const restarts = new Restarts(options);
    all.push(restarts);
    return restarts;
  };
}
