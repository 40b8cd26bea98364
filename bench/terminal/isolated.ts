// Runs a part of the benchmark in a separate Node process, so that no part pays for another's heap.
import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Request handlers of a program, by name; arguments and results cross a pipe as JSON. */
export type Handlers = Record<string, (argument: never) => Promise<unknown>>;

interface Question {
  readonly name: string;
  readonly argument: unknown;
}

type Reply = { readonly result: unknown } | { readonly failure: string };

/** Answers the parent's questions, one at a time; called once by an isolated program. */
export function serve<Served extends Handlers>(handlers: Served): Served {
  process.on("message", ({ name, argument }: Question) => {
    const handler = handlers[name] as ((argument: unknown) => Promise<unknown>) | undefined;
    const send = (reply: Reply): void => void process.send?.(reply);
    if (handler === undefined) return send({ failure: `no handler ${name}` });
    handler(argument).then(
      (result) => send({ result }),
      (error: unknown) =>
        send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  // Without a parent nobody wants the answer.
  process.once("disconnect", () => process.exit());
  return handlers;
}

/** The parent's end of an isolated program. */
export class Isolated<Served extends Handlers> {
  readonly #child: ChildProcess;

  constructor(program: URL) {
    this.#child = fork(fileURLToPath(program), { stdio: ["ignore", 2, 2, "ipc"] });
  }

  /** Asks one question; the next may follow when it is answered. */
  ask<Name extends keyof Served & string>(
    name: Name,
    argument: Parameters<Served[Name]>[0],
  ): Promise<Awaited<ReturnType<Served[Name]>>> {
    return new Promise((resolve, reject) => {
      const died = (): void =>
        reject(new Error(`${this.#child.spawnargs.at(-1)} died while it measured ${name}`));
      this.#child.once("exit", died);
      this.#child.once("message", (reply: Reply) => {
        this.#child.off("exit", died);
        if ("failure" in reply) reject(new Error(reply.failure));
        else resolve(reply.result as Awaited<ReturnType<Served[Name]>>);
      });
      this.#child.send({ name, argument });
    });
  }

  /** Ends the program; its children end with it. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    this.#child.kill("SIGKILL");
    await exited;
  }
}

/** Asks one question of a program that is started for it alone. */
export async function askOnce<Served extends Handlers, Name extends keyof Served & string>(
  program: URL,
  name: Name,
  argument: Parameters<Served[Name]>[0],
): Promise<Awaited<ReturnType<Served[Name]>>> {
  const isolated = new Isolated<Served>(program);
  try {
    return await isolated.ask(name, argument);
  } finally {
    await isolated.close();
  }
}
