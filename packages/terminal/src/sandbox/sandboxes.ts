// The sandboxes of a spawn helper: opened by the host, entered by launches, ended when their last process has ended.
import { TerminalError } from "../terminal-error.ts";
import type { SandboxBackends } from "./backends.ts";
import type { OpenSandbox } from "./open-sandbox.ts";
import type { SandboxReport, SandboxSpec } from "./sandbox.ts";

interface NamedSandbox {
  readonly spec: SandboxSpec;
  opened: Promise<OpenSandbox>;
}

/** How often a sandbox that nobody will enter any more is looked at. */
const lookAgainMs = 1000;

/** All sandboxes, by the names that the host gave them. */
export class Sandboxes {
  readonly #backends: SandboxBackends;
  readonly #entries = new Map<string, NamedSandbox>();
  /** Closed by the host, with processes still in them. */
  readonly #closing = new Set<OpenSandbox>();
  #timer: NodeJS.Timeout | undefined;

  constructor(backends: SandboxBackends) {
    this.#backends = backends;
  }

  /** Opens one under a name; rejects where the machine has no backend or the backend fails. */
  async open(id: string, spec: SandboxSpec): Promise<SandboxReport> {
    const entry: NamedSandbox = { spec, opened: this.#openNow(spec) };
    this.#entries.set(id, entry);
    try {
      return (await entry.opened).report;
    } catch (error) {
      this.#entries.delete(id);
      throw error;
    }
  }

  /** The sandbox of a launch; one that was ended from outside is opened again. */
  async find(id: string): Promise<OpenSandbox> {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new TerminalError("not_supported", "The sandbox of this run is closed");
    const found = entry.opened;
    // One that could not be opened again is tried again.
    const sandbox = await found.catch(() => undefined);
    if (sandbox?.isAlive === true) return sandbox;
    // Another launch may have noticed it, too.
    if (found === entry.opened) entry.opened = this.#openNow(entry.spec);
    return entry.opened;
  }

  /** Nobody will enter it any more; it ends with its last process. */
  close(id: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.opened.then(
      (sandbox) => {
        this.#closing.add(sandbox);
        void this.#endEmpty();
      },
      () => {},
    );
  }

  /** Ends all of them and everything in them. */
  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    const open = await Promise.allSettled([...this.#entries.values()].map(({ opened }) => opened));
    this.#entries.clear();
    for (const result of open) if (result.status === "fulfilled") result.value.close();
    for (const sandbox of this.#closing) sandbox.close();
    this.#closing.clear();
  }

  async #openNow(spec: SandboxSpec): Promise<OpenSandbox> {
    let sandbox: OpenSandbox | undefined;
    try {
      sandbox = await this.#backends.open(spec);
    } catch (error) {
      const { message } = error as Error;
      throw new TerminalError("not_supported", `The sandbox could not be opened: ${message}`, {
        cause: error,
      });
    }
    if (sandbox !== undefined) return sandbox;
    const { obstacles } = await this.#backends.report();
    const reasons = obstacles.map(({ backend, reason }) => `${backend}: ${reason}`).join("; ");
    throw new TerminalError("not_supported", `This machine cannot isolate processes (${reasons})`);
  }

  async #endEmpty(): Promise<void> {
    for (const sandbox of this.#closing) {
      if (!(await sandbox.isEmpty())) continue;
      this.#closing.delete(sandbox);
      sandbox.close();
    }
    clearInterval(this.#timer);
    if (this.#closing.size === 0) return;
    this.#timer = setInterval(() => void this.#endEmpty(), lookAgainMs);
    this.#timer.unref();
  }
}
