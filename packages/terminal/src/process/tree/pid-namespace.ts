// A tree in a separate PID namespace: when its first process dies, the kernel ends all the others (T21).
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SYSTEM_PATH, systemProgramPath } from "../../sandbox/system-program.ts";
import { readPidNamespace, readProcessTable, isSameProcess, type ProcessRow } from "./process-table.ts";
import { signalPid, type Tree, type TreeLeader } from "./tree.ts";

/**
 * The words before a command that put it into a namespace. The first process inside is a shell that waits for the
 * command, because a namespace's first process ignores every signal it has no handler for, TERM among them.
 */
export function pidNamespacePrefix(): string[] {
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  return [
    systemProgramPath("unshare"),
    ...asUser,
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
    "/bin/sh",
    "-c",
    '"$@"; exit "$?"',
    "holdfast",
  ];
}

/** Why PID namespaces cannot be used here, or undefined when they can. */
export async function pidNamespaceObstacle(): Promise<string | undefined> {
  const [program = "", ...args] = pidNamespacePrefix();
  try {
    await promisify(execFile)(program, [...args, "true"], { timeout: 5000, env: { PATH: SYSTEM_PATH } });
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    return (stderr?.trim() ?? "") === "" ? message : stderr?.trim();
  }
}

/** The processes of one PID namespace, seen from outside. */
export class PidNamespaceTree implements Tree {
  readonly mechanism = "pid-namespace";
  readonly #outerPid: number;
  readonly #outerStart: number | undefined;
  readonly #ownNamespace = readPidNamespace(process.pid);
  #found: { readonly namespace: string; readonly first: ProcessRow } | undefined;

  /** The leader is the `unshare` process, which stays outside and waits. */
  constructor({ pid, startTime }: TreeLeader) {
    this.#outerPid = pid;
    this.#outerStart = startTime;
  }

  async members(): Promise<number[]> {
    const inside = await this.#inside();
    return this.#outerLives() ? [this.#outerPid, ...inside] : inside;
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    const inside = await this.#inside();
    for (const pid of inside) signalPid(pid, signal);
    // In its first moment `unshare` has nobody inside yet.
    if (inside.length === 0 && this.#outerLives()) signalPid(this.#outerPid, signal);
  }

  async kill(): Promise<void> {
    // `--kill-child` makes the kernel end the first process with `unshare`, and with it the namespace; the others
    // are killed as well in case `unshare` is gone already.
    if (this.#outerLives()) signalPid(this.#outerPid, "SIGKILL");
    for (const pid of await this.#inside()) signalPid(pid, "SIGKILL");
  }

  close(): void {
    this.#found = undefined;
  }

  /**
   * A namespace lives exactly as long as its first process, and then the kernel gives its number to the next one: what
   * has the number is ours only if the first process is still there after the look (T95).
   */
  async #inside(): Promise<number[]> {
    const table = await readProcessTable();
    this.#found ??= this.#findNamespace(table);
    if (this.#found === undefined) return [];
    const { namespace, first } = this.#found;
    const inside = table.map((row) => row.pid).filter((pid) => readPidNamespace(pid) === namespace);
    return isSameProcess(first.pid, first.startTime) ? inside : [];
  }

  #outerLives(): boolean {
    return isSameProcess(this.#outerPid, this.#outerStart);
  }

  #findNamespace(table: readonly ProcessRow[]): { namespace: string; first: ProcessRow } | undefined {
    const first = table.find((row) => row.parentPid === this.#outerPid);
    const namespace = first && readPidNamespace(first.pid);
    if (first === undefined || namespace === undefined || namespace === this.#ownNamespace) return undefined;
    return this.#outerLives() ? { namespace, first } : undefined;
  }
}
