// The keeper inside the host: processes are children of the host's own helper and end with the host.
import {
  LoginEnvironment,
  Spawner,
  buildEnvironment,
  type Run,
  type SpawnerOptions,
} from "@holdfast/terminal/process";
import { toKeeperError } from "./inline-error.ts";
import { InlineRun, InlineSink } from "./inline-run.ts";
import {
  KeeperError,
  type EnvironmentRequest,
  type Keeper,
  type KeeperRun,
  type KeeperRunRequest,
  type KeeperSink,
} from "./port.ts";

/** How an inline keeper works. */
export interface InlineKeeperOptions extends SpawnerOptions {
  /** `login`: what the login shell sets up. Or a map, taken as it is. */
  readonly environment?: "login" | Readonly<Record<string, string | undefined>> | undefined;
}

/** A keeper in the host's own process. */
export class InlineKeeper implements Keeper {
  readonly #spawner: Spawner;
  readonly #login: LoginEnvironment;
  readonly #environment: "login" | Readonly<Record<string, string | undefined>>;
  readonly #starting = new Set<Promise<Run>>();
  readonly #sinks = new Map<InlineRun, InlineSink>();
  #closed: Promise<void> | undefined;

  constructor({ environment = "login", forkBy }: InlineKeeperOptions = {}) {
    this.#spawner = new Spawner({ forkBy });
    this.#login = new LoginEnvironment(this.#spawner);
    this.#environment = environment;
  }

  /** The pid of the helper that forks for the host; undefined without one. */
  get helperPid(): number | undefined {
    return this.#spawner.helperPid;
  }

  async start(request: KeeperRunRequest, sink: KeeperSink): Promise<KeeperRun> {
    this.#refuseIfClosed();
    const told = new InlineSink(sink);
    const starting = this.#spawner.run(request, told);
    this.#starting.add(starting);
    try {
      const run = await starting;
      const started = new InlineRun({
        spawner: this.#spawner,
        run,
        sink: told,
        onReleased: (released) => void this.#sinks.delete(released),
      });
      this.#refuseIfClosed();
      this.#sinks.set(started, told);
      return started;
    } catch (error) {
      told.silence();
      throw toKeeperError(error);
    } finally {
      this.#starting.delete(starting);
    }
  }

  async buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>> {
    const base = this.#environment === "login" ? await this.#login.get() : this.#environment;
    try {
      return buildEnvironment({ ...request, base });
    } catch (error) {
      throw toKeeperError(error);
    }
  }

  close(graceMs?: number): Promise<void> {
    this.#closed ??= this.#closeNow(graceMs);
    return this.#closed;
  }

  async #closeNow(graceMs: number | undefined): Promise<void> {
    // What is being started is refused when it runs, and ended below with the rest.
    await Promise.allSettled(this.#starting);
    await this.#spawner.close(graceMs);
    // A process that left its tree may hold a pipe open still; nobody reads it any more.
    for (const sink of this.#sinks.values()) sink.end();
    this.#sinks.clear();
  }

  #refuseIfClosed(): void {
    if (this.#closed === undefined) return;
    throw new KeeperError("closed", "The keeper is closed; it starts nothing more");
  }
}
