// The process port of one host over runs that outlive it.
import { checkSize, type ScreenSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
import type {
  EnvironmentRequest,
  Held,
  InputKey,
  IsolationReport,
  LimitBackends,
  LimitScope,
  LimitsInForce,
  ProcessPort,
  Run,
  RunKind,
  RunRequest,
  RunStream,
  Sandbox,
  SandboxSpec,
  TreeMechanism,
  TreeProcess,
} from "../process/port.ts";
import type { Feed, FeedSink, StreamOffsets } from "./feed.ts";
import type { HeldRuns } from "./held-runs.ts";
import type { KeyedPiece } from "./input-keys.ts";
import type { KeptRun } from "./kept-run.ts";

/** Attached until the next host takes over, or until it detaches or closes. */
type State = "attached" | "fenced" | "detached" | "closed";

/** One host's view of held runs. `HeldRuns.takeOver` makes it. */
export class HeldPort implements ProcessPort {
  readonly keysInput = true;
  readonly epoch: number;
  readonly #held: HeldRuns;
  readonly #feeds = new Map<Feed, KeptRun>();
  readonly #fenceListeners: (() => void)[] = [];
  #state: State = "attached";

  constructor(held: HeldRuns, epoch: number) {
    this.#held = held;
    this.epoch = epoch;
  }

  get isCurrent(): boolean {
    return this.#state === "attached";
  }

  /** Called once, when another host has taken over: this one must stop serving. */
  onFenced(listener: () => void): void {
    this.#fenceListeners.push(listener);
  }

  /** Starts a run; `windowBytes` of each stream are given to the sink before it has to grant more. */
  async start(
    request: RunRequest,
    sink: FeedSink,
    windowBytes = Number.POSITIVE_INFINITY,
  ): Promise<AttachedRun> {
    this.#refuseIfGone();
    const feeds: Feed[] = [];
    try {
      const kept = await this.#held.start(request, (run) => {
        feeds.push(this.#feed(run, sink, {}, windowBytes));
      });
      this.#refuseIfGone();
      const [feed] = feeds;
      if (feed === undefined) throw new Error("a started run is attached");
      feed.pumpLater();
      return new AttachedRun(this, this.#held, kept, feed);
    } catch (error) {
      for (const feed of feeds) this.forget(feed);
      throw error;
    }
  }

  async attach(
    id: string,
    sink: FeedSink,
    from: StreamOffsets,
    windowBytes = Number.POSITIVE_INFINITY,
  ): Promise<AttachedRun> {
    this.#refuseIfGone();
    const kept = this.#held.find(id);
    const feed = this.#feed(kept, sink, from, windowBytes);
    feed.pumpLater();
    return new AttachedRun(this, this.#held, kept, feed);
  }

  async held(): Promise<Held> {
    this.#refuseIfGone();
    const runs = await this.#held.listRuns();
    const sandboxes = this.#held.listSandboxes();
    return {
      runs,
      sandboxes: sandboxes.map((each) => ({ ...each, sandbox: this.#guard(each.sandbox) })),
    };
  }

  limit(scopes: readonly LimitScope[]): void {
    if (this.isCurrent) this.#held.spawner.limit(scopes);
  }

  buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>> {
    return this.#held.spawner.buildEnvironment(request);
  }

  isolation(): Promise<IsolationReport> {
    return this.#held.spawner.isolation();
  }

  async openSandbox(spec: SandboxSpec, tag?: string): Promise<Sandbox> {
    this.#refuseIfGone();
    return this.#guard(await this.#held.openSandbox(spec, tag));
  }

  /** Closes a sandbox by its id. */
  closeSandbox(id: string): void {
    const found = this.#held.listSandboxes().find(({ sandbox }) => sandbox.id === id);
    if (this.isCurrent) found?.sandbox.close();
  }

  async detach(): Promise<void> {
    if (this.#state === "attached") this.#leave("detached");
  }

  async close(graceMs?: number): Promise<void> {
    if (this.#state === "detached" || this.#state === "fenced") return;
    this.#state = "closed";
    await this.#held.close(graceMs);
    this.#leave("closed");
  }

  /** Another host has taken over. */
  fence(): void {
    if (this.#state !== "attached") return;
    this.#leave("fenced");
    for (const listener of this.#fenceListeners) listener();
  }

  /** The host's sinks are ready again. */
  pump(): void {
    for (const feed of this.#feeds.keys()) feed.resume();
  }

  /** A host's run was released. */
  forget(feed: Feed): void {
    this.#feeds.delete(feed);
  }

  refusal(): TerminalError {
    return this.#state === "fenced"
      ? new TerminalError("fenced", "Another host has taken over; this one must stop")
      : new TerminalError("closed", "The process port is closed");
  }

  #refuseIfGone(): void {
    if (!this.isCurrent) throw this.refusal();
  }

  #feed(kept: KeptRun, sink: FeedSink, from: StreamOffsets, windowBytes: number): Feed {
    this.#refuseIfGone();
    const feed = kept.attach(sink, from, windowBytes);
    this.#feeds.set(feed, kept);
    return feed;
  }

  #guard(sandbox: Sandbox): Sandbox {
    const close = (): void => {
      if (this.isCurrent) sandbox.close();
    };
    return { ...sandbox, close };
  }

  #leave(state: Exclude<State, "attached">): void {
    this.#state = state;
    for (const [feed, kept] of this.#feeds) kept.detach(feed);
    this.#feeds.clear();
  }
}

/** A run as its attached host has it; without effect once the host is fenced. */
export class AttachedRun implements Run {
  readonly id: string;
  readonly pid: number;
  readonly kind: RunKind;
  readonly tree: TreeMechanism;
  readonly limits: LimitsInForce;
  readonly limitBackends: LimitBackends | undefined;
  readonly #port: HeldPort;
  readonly #held: HeldRuns;
  readonly #kept: KeptRun;
  readonly #feed: Feed;

  constructor(port: HeldPort, held: HeldRuns, kept: KeptRun, feed: Feed) {
    const { id, pid, kind, tree, limits, limitBackends } = kept.run;
    this.id = id;
    this.pid = pid;
    this.kind = kind;
    this.tree = tree;
    this.limits = limits;
    this.limitBackends = limitBackends;
    this.#port = port;
    this.#held = held;
    this.#kept = kept;
    this.#feed = feed;
  }

  get inputOffset(): number {
    return this.#kept.inputOffset;
  }

  get takenInputOffset(): number {
    return this.#kept.takenInputOffset;
  }

  get hasInput(): boolean {
    return this.#kept.hasInput;
  }

  write(bytes: Uint8Array, key?: InputKey): boolean {
    return this.writeAt(this.inputOffset, bytes, key && { ...key, at: 0 });
  }

  /** Writes input that begins at an offset; see `KeptRun.writeAt`. */
  writeAt(offset: number, bytes: Uint8Array, piece?: KeyedPiece): boolean {
    if (!this.#port.isCurrent) throw this.#port.refusal();
    return this.#kept.writeAt(offset, bytes, piece);
  }

  onDrain(listener: () => void): void {
    this.#kept.onDrain(listener);
  }

  async inputTaken(): Promise<void> {
    // The process of this port holds the run.
  }

  endInput(): void {
    if (this.#port.isCurrent) this.#kept.run.endInput();
  }

  hold(isHeld: boolean): void {
    if (this.#port.isCurrent) this.#kept.hold(isHeld);
  }

  /** The sink has taken so many bytes; see `HeldPort.start`. */
  grant(stream: RunStream, bytes: number): void {
    if (this.#port.isCurrent) this.#feed.grant(stream, bytes);
  }

  acknowledge(stream: RunStream, offset: number, note?: string): void {
    if (this.#port.isCurrent) this.#kept.acknowledge(stream, offset, note);
  }

  resize(size: Partial<ScreenSize>): ScreenSize {
    return this.#port.isCurrent ? this.#kept.run.resize(size) : checkSize(size);
  }

  async interrupt(): Promise<void> {
    if (this.#port.isCurrent) await this.#kept.run.interrupt();
  }

  async end(graceMs: number): Promise<readonly TreeProcess[]> {
    if (!this.#port.isCurrent) throw this.#port.refusal();
    return this.#kept.run.end(graceMs);
  }

  async members(): Promise<readonly TreeProcess[]> {
    if (!this.#port.isCurrent) throw this.#port.refusal();
    return this.#kept.run.members();
  }

  release(): void {
    if (!this.#port.isCurrent) return;
    this.#port.forget(this.#feed);
    this.#held.release(this.#kept);
  }
}
