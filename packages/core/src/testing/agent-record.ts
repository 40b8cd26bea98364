// The record of a fake agent: how it was started, the host's messages, the responses it got.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The start of one process of the agent. */
export interface StartedProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A message of the host. */
export interface HeardMessage {
  readonly id?: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The host's answer to a question of the agent. */
export interface HostAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Entry extends HostAnswer {
  readonly started?: StartedProcess;
  readonly heard?: HeardMessage;
  readonly answered?: string;
  readonly endOfInput?: true;
  readonly signal?: string;
}

/** The record of one agent, read from disk each time. */
export class AgentRecord {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Its processes, oldest first. */
  get processes(): readonly StartedProcess[] {
    return this.#entries().flatMap(({ started }) => (started === undefined ? [] : [started]));
  }

  /** The last process that was started. */
  get process(): StartedProcess {
    const last = this.processes.at(-1);
    if (last === undefined) throw new Error("The agent has not been started");
    return last;
  }

  /** The host's messages, requests and notifications, in order. */
  get messages(): readonly HeardMessage[] {
    return this.#entries().flatMap(({ heard }) => (heard === undefined ? [] : [heard]));
  }

  /** The names of the methods that the host called, in order. */
  get methods(): readonly string[] {
    return this.messages.map(({ method }) => method);
  }

  /** The causes of its end, in order: `end of input`, signals. */
  get endings(): readonly string[] {
    return this.#entries().flatMap(({ endOfInput, signal }) =>
      endOfInput ? ["end of input"] : (signal ?? []),
    );
  }

  /** The answer to the question of that name, once it is there. */
  async answer(name: string): Promise<HostAnswer> {
    return until(() => this.#entries().findLast(({ answered }) => answered === name));
  }

  /** The result of a question that went well. */
  async result(name: string): Promise<Readonly<Record<string, unknown>>> {
    const { result, error } = await this.answer(name);
    if (result === undefined) throw new Error(`${name} failed: ${JSON.stringify(error)}`);
    return result;
  }

  /** All responses to questions of that name. */
  answers(name: string): readonly HostAnswer[] {
    return this.#entries()
      .filter(({ answered }) => answered === name)
      .map(({ result, error }) => ({
        ...(result !== undefined && { result }),
        ...(error !== undefined && { error }),
      }));
  }

  /** Whether there is a response yet. */
  hasAnswer(name: string): boolean {
    return this.#entries().some(({ answered }) => answered === name);
  }

  /** Waits until the host has called a method that often. */
  async heard(method: string, times = 1): Promise<HeardMessage> {
    return until(() => this.messages.filter((message) => message.method === method)[times - 1]);
  }

  #entries(): Entry[] {
    if (!existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, "utf8").split("\n");
    // The last line may be half written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
  }
}

/** Looks in `until`; a look that goes on after its test would disturb the files that share the process. */
const mostLooks = process.env["HOLDFAST_LONG"] === undefined ? 10_000 : 150_000;

/** Waits until a look finds something. */
export async function until<Found>(
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await sleep(5);
  }
  throw new Error("Nothing was found in all this time");
}
