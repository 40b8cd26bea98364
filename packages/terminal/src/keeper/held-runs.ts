// Runs and sandboxes that outlive the host that started them: held in this process, used by one host at a time.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { TerminalError } from "../terminal-error.ts";
import type { HeldRun, HeldSandbox, ProcessPort, RunRequest, Sandbox, SandboxSpec } from "../process/port.ts";
import { HeldPort } from "./held-port.ts";
import { DEFAULT_BOUNDS, HeldStorage, type HeldBounds } from "./held-storage.ts";
import { KeptRun } from "./kept-run.ts";
import type { Leaders } from "./leaders.ts";

/** How runs are held. */
export interface HeldRunsOptions {
  /** Default: 64 MiB of a `keep` stream, 1 MiB of a `tail`. */
  readonly bounds?: Partial<HeldBounds> | undefined;
  /** A folder of the caller's for what memory does not hold; it is emptied. Default: none. */
  readonly folder?: string | undefined;
  /** Remembers the first process of each run. */
  readonly leaders?: Leaders | undefined;
}

/** Keys of released runs that are remembered, so that a start which is repeated late runs nothing twice. */
const maxReleasedKeys = 10_000;

/** When everything is ended, a host that does not take the last bytes is waited for no longer than this. */
const deliveryBoundMs = 5000;

/**
 * Holds the runs of a spawner. `takeOver` gives the port of the next host and fences the one before it: from then on
 * its sinks are silent and its calls have no effect.
 */
export class HeldRuns {
  readonly spawner: ProcessPort;
  readonly #storage: HeldStorage;
  readonly #leaders: Leaders | undefined;
  readonly #runs = new Map<string, KeptRun>();
  readonly #starts = new Map<string, Promise<KeptRun>>();
  readonly #releasedKeys = new Set<string>();
  readonly #sandboxes = new Map<string, HeldSandbox>();
  #host: HeldPort | undefined;
  #epoch = 0;
  #closed: Promise<void> | undefined;

  constructor(spawner: ProcessPort, { bounds, folder, leaders }: HeldRunsOptions = {}) {
    this.spawner = spawner;
    this.#leaders = leaders;
    this.#storage = new HeldStorage({ ...DEFAULT_BOUNDS, ...bounds }, folder);
  }

  /** Counts the hosts. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether a host is attached. */
  get hasHost(): boolean {
    return this.#host?.isCurrent === true;
  }

  /** Whether nothing would be lost if this process ended: a sandbox without runs can be opened again. */
  get isEmpty(): boolean {
    return this.#runs.size === 0 && this.#starts.size === 0;
  }

  get memoryBytes(): number {
    return this.#storage.memoryBytes;
  }

  /** Bytes on their way to a host that was fenced stay as they are until the returned function is called. */
  pinMemory(): () => void {
    this.#storage.pin();
    return () => this.#storage.unpin();
  }

  /** The port of the next host. */
  takeOver(): HeldPort {
    this.#host?.fence();
    this.#epoch += 1;
    this.#host = new HeldPort(this, this.#epoch);
    return this.#host;
  }

  /** All runs that were not released; starts that are under way are waited for. */
  async listRuns(): Promise<HeldRun[]> {
    while (this.#starts.size > 0) await Promise.allSettled(this.#starts.values());
    return [...this.#runs.values()].map((run) => run.describe());
  }

  listSandboxes(): HeldSandbox[] {
    return [...this.#sandboxes.values()];
  }

  /** The run of this key, or a new one. `attach` is called before the run can write, once. */
  async start(request: RunRequest, attach: (kept: KeptRun) => void): Promise<KeptRun> {
    const known = this.#findByKey(request.key);
    if (known !== undefined) {
      const kept = await known;
      attach(kept);
      return kept;
    }
    const kept = new KeptRun(request, this.#storage);
    attach(kept);
    const name = request.key ?? randomUUID();
    const starting = this.#startNow(kept, request);
    this.#starts.set(name, starting);
    try {
      return await starting;
    } finally {
      this.#starts.delete(name);
    }
  }

  find(id: string): KeptRun {
    const kept = this.#runs.get(id);
    if (kept === undefined) throw new TerminalError("run_not_found", `No run ${id} is held`);
    return kept;
  }

  /** Frees a run; see `Run.release`. */
  release(kept: KeptRun): void {
    const { id } = kept.run;
    if (!this.#runs.delete(id)) return;
    const { key } = kept.request;
    if (key !== undefined) this.#rememberReleased(key);
    this.#leaders?.remove(id);
    kept.close();
    kept.run.release();
  }

  async openSandbox(spec: SandboxSpec, tag: string | undefined): Promise<Sandbox> {
    const opened = await this.spawner.openSandbox(spec, tag);
    const close = (): void => {
      if (this.#sandboxes.delete(opened.id)) opened.close();
    };
    const sandbox = { ...opened, close };
    this.#sandboxes.set(opened.id, { sandbox, spec, tag });
    return sandbox;
  }

  /** Ends every run and the spawner; the attached host gets each exit and end. Idempotent. */
  close(graceMs?: number): Promise<void> {
    this.#closed ??= this.#closeNow(graceMs);
    return this.#closed;
  }

  async #closeNow(graceMs: number | undefined): Promise<void> {
    await this.spawner.close(graceMs);
    const runs = [...this.#runs.values()];
    const deadlineMs = performance.now() + deliveryBoundMs;
    while (runs.some((kept) => !kept.isDelivered) && performance.now() < deadlineMs) await sleep(1);
    for (const kept of runs) kept.close();
    this.#runs.clear();
    this.#sandboxes.clear();
    this.#storage.close();
    this.#leaders?.close();
  }

  async #startNow(kept: KeptRun, request: RunRequest): Promise<KeptRun> {
    try {
      const marker = request.marker ?? randomUUID();
      const run = await this.spawner.start({ ...request, marker }, kept.sink);
      kept.begin(run);
      this.#leaders?.add(run.id, run.pid, marker);
      this.#runs.set(run.id, kept);
      return kept;
    } catch (error) {
      kept.close();
      throw error;
    }
  }

  /** Synchronous up to its result: two starts of one key in the same tick are one. */
  #findByKey(key: string | undefined): KeptRun | Promise<KeptRun> | undefined {
    if (key === undefined) return undefined;
    if (this.#releasedKeys.has(key)) {
      throw new TerminalError("run_not_found", "The run of this start was released; it is not started again");
    }
    const starting = this.#starts.get(key);
    if (starting !== undefined) return starting;
    for (const kept of this.#runs.values()) if (kept.request.key === key) return kept;
    return undefined;
  }

  #rememberReleased(key: string): void {
    this.#releasedKeys.add(key);
    if (this.#releasedKeys.size <= maxReleasedKeys) return;
    const [oldest] = this.#releasedKeys;
    if (oldest !== undefined) this.#releasedKeys.delete(oldest);
  }
}
