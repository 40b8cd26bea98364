// The process port of a host whose runs a keeper holds.
import { buildEnvironment } from "../process/environment.ts";
import { checkScopes } from "../process/limits.ts";
import { LoginEnvironment } from "../process/login-shell.ts";
import type {
  EnvironmentRequest,
  Held,
  IsolationReport,
  LimitScope,
  ProcessPort,
  RunRequest,
  RunSink,
  Sandbox,
  SandboxSpec,
} from "../process/port.ts";
import { ReadBudget } from "../process/read-budget.ts";
import type { StreamOffsets } from "./feed.ts";
import { type KeeperLink, type LinkEnd, type LinkEvents, type LinkedRun, endError } from "./keeper-link.ts";
import type { RunDescription, Welcome } from "./message.ts";
import { RemoteRun } from "./remote-run.ts";

/** How a host uses its keeper. */
export interface KeeperPortParts {
  /** Connects to the keeper of the home, and starts one if none runs. */
  readonly open: (events: LinkEvents) => Promise<KeeperLink>;
  /** `login` (default): what the login shell sets up. Or a map, taken as it is. */
  readonly environment?: "login" | Readonly<Record<string, string | undefined>> | undefined;
  /** Called when a run's sink throws. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A sandbox that this host opened or took over; another keeper opens it again under another id. */
interface KnownSandbox {
  readonly spec: SandboxSpec;
  readonly tag: string | undefined;
  keeperId: string;
}

/** The host's end; `connectKeeper` makes it. */
export class KeeperPort implements ProcessPort {
  readonly #parts: KeeperPortParts;
  readonly #budget = new ReadBudget();
  readonly #login = new LoginEnvironment(this);
  readonly #runs = new Set<RemoteRun>();
  readonly #sandboxes = new Map<string, KnownSandbox>();
  readonly #fencedListeners: (() => void)[] = [];
  readonly #lostListeners: (() => void)[] = [];
  /** The runs that were reported as lost with the last connection, and the keeper at its other end. */
  #lost: { readonly keeperPid: number; readonly runIds: readonly string[] } | undefined;
  #link: KeeperLink | undefined;
  #opening: Promise<KeeperLink> | undefined;
  #end: "fenced" | "closed" | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: KeeperPortParts) {
    this.#parts = parts;
  }

  /** The keeper that is connected: its version, pid and epoch. */
  get keeper(): Welcome | undefined {
    return this.#link?.welcome;
  }

  /** A keeper that is started from now on reads keys. */
  get keysInput(): boolean {
    return this.#link === undefined || this.#link.welcome.keysInput === true;
  }

  /** The process above everything that the keeper runs. */
  get helperPid(): number | undefined {
    return this.#link?.welcome.helperPid;
  }

  /** Called once, when another host has taken over: this one must stop serving at once. */
  onFenced(listener: () => void): void {
    this.#fencedListeners.push(listener);
  }

  /** Called when the keeper died, after every run was reported as lost. The next one is started automatically. */
  onLost(listener: () => void): void {
    this.#lostListeners.push(listener);
  }

  /** Connects; every call does so where it is needed. */
  async connect(): Promise<void> {
    await this.#connected();
  }

  start(request: RunRequest, sink: RunSink): Promise<RemoteRun> {
    return this.#open(sink, {}, (link, run) => {
      // Known once it is connected: another keeper has opened the sandbox again.
      const { keeperId } = this.#sandboxes.get(request.sandbox ?? "") ?? {};
      const sent = keeperId === undefined ? request : { ...request, sandbox: keeperId };
      return link.request("start", { request: sent }, run);
    });
  }

  attach(id: string, sink: RunSink, from: StreamOffsets): Promise<RemoteRun> {
    return this.#open(sink, from, (link, run) => link.request("attach", { id, from }, run));
  }

  async held(): Promise<Held> {
    const link = await this.#connected();
    const { runs, sandboxes } = await link.request("held", {});
    return {
      runs: runs.map((run) => ({ ...run, key: run.key, tag: run.tag, note: run.note })),
      sandboxes: sandboxes.map(({ sandbox, spec, tag }) => {
        this.#sandboxes.set(sandbox.id, { spec, tag, keeperId: sandbox.id });
        return { sandbox: { ...sandbox, close: () => this.#closeSandbox(sandbox.id) }, spec, tag };
      }),
    };
  }

  limit(scopes: readonly LimitScope[]): void {
    this.#link?.command({ do: "limit", scopes: checkScopes(scopes) });
  }

  async buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>> {
    const { environment = "login" } = this.#parts;
    const base = environment === "login" ? await this.#login.get() : environment;
    return buildEnvironment({ ...request, base });
  }

  async isolation(): Promise<IsolationReport> {
    return (await this.#connected()).request("isolation", {});
  }

  async openSandbox(spec: SandboxSpec, tag?: string): Promise<Sandbox> {
    const link = await this.#connected();
    const opened = await link.request("openSandbox", { spec, tag });
    this.#sandboxes.set(opened.id, { spec, tag, keeperId: opened.id });
    return { ...opened, close: () => this.#closeSandbox(opened.id) };
  }

  async detach(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#end = "closed";
    const link = this.#link;
    for (const run of this.#runs) run.abandon();
    this.#runs.clear();
    // A keeper that dies meanwhile has nothing to leave.
    await link?.request("detach", {}).catch(() => {});
    await link?.close();
  }

  close(graceMs?: number): Promise<void> {
    this.#closed ??= this.#closeNow(graceMs);
    return this.#closed;
  }

  async #closeNow(graceMs: number | undefined): Promise<void> {
    // A keeper that is being started in place of one that died would outlive this port unseen.
    const link = this.#link ?? (await this.#opening?.catch(() => undefined));
    if (this.#end !== undefined) return;
    this.#end = "closed";
    // A keeper that dies meanwhile has ended its runs, too.
    await link?.request("close", { graceMs }).catch(() => {});
    // The keeper closes the connection when nothing of it is left.
    await link?.untilClosed();
  }

  #connected(): Promise<KeeperLink> {
    if (this.#end !== undefined) return Promise.reject(endError(this.#end));
    if (this.#link !== undefined) return Promise.resolve(this.#link);
    const { open, onFault = () => {} } = this.#parts;
    this.#opening ??= open({ ended: (end) => this.#ended(end), fault: onFault })
      .then((link) => this.#begin(link))
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  async #begin(link: KeeperLink): Promise<KeeperLink> {
    if (link.end !== undefined) throw endError(link.end);
    if (this.#end !== undefined) {
      await link.close();
      throw endError(this.#end);
    }
    // It closed the connection and did not die: its sandboxes are there, and what was reported as lost still runs.
    if (link.welcome.pid === this.#lost?.keeperPid) await endRuns(link, this.#lost.runIds);
    else await this.#openSandboxesAgain(link);
    this.#lost = undefined;
    if (link.end !== undefined) throw endError(link.end);
    this.#link = link;
    return link;
  }

  async #openSandboxesAgain(link: KeeperLink): Promise<void> {
    for (const known of this.#sandboxes.values()) {
      // A run that needs it reports the failure.
      const opened = await link.request("openSandbox", known).catch(() => undefined);
      if (opened !== undefined) known.keeperId = opened.id;
    }
  }

  async #open(
    sink: RunSink,
    from: StreamOffsets,
    request: (link: KeeperLink, run: number) => Promise<RunDescription>,
  ): Promise<RemoteRun> {
    const link = await this.#connected();
    const onReleased = (released: RemoteRun): void => void this.#runs.delete(released);
    const run = new RemoteRun({ link, sink, from, budget: this.#budget, onReleased });
    try {
      run.begin(await request(link, run.number));
    } catch (error) {
      run.abandon();
      throw error;
    }
    if (link.end !== undefined) throw endError(link.end);
    this.#runs.add(run);
    return run;
  }

  #closeSandbox(id: string): void {
    const known = this.#sandboxes.get(id);
    if (known === undefined) return;
    this.#sandboxes.delete(id);
    this.#link?.command({ do: "closeSandbox", id: known.keeperId });
  }

  #ended(end: LinkEnd): void {
    const runs = [...this.#runs];
    const keeperPid = this.#link?.welcome.pid;
    if (keeperPid !== undefined) this.#lost = { keeperPid, runIds: runs.map(({ id }) => id) };
    this.#link = undefined;
    this.#runs.clear();
    if (end === "fenced") {
      this.#end = "fenced";
      for (const run of runs) run.abandon();
      for (const listener of this.#fencedListeners) listener();
      return;
    }
    for (const run of runs) run.lose();
    if (end !== "lost" || this.#end !== undefined) return;
    for (const listener of this.#lostListeners) listener();
    // The next one ends what this one left; a failure is reported by the call that needs it.
    this.#connected().catch(() => {});
  }
}

/** Ends runs that were reported as lost. */
async function endRuns(link: KeeperLink, ids: readonly string[]): Promise<void> {
  const silent: LinkedRun = { bytes: () => {}, event: () => {}, taken: () => {} };
  const endRun = async (id: string): Promise<void> => {
    const run = link.add(silent);
    await link.request("attach", { id, from: {} }, run);
    await link.request("end", { graceMs: 0 }, run);
    link.command({ do: "release" }, run);
    link.remove(run);
  };
  // One that is not held any more needs no end.
  await Promise.allSettled(ids.map(endRun));
}
