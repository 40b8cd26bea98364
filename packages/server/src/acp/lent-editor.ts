// The files and terminals that an editor lends to the agents of its sessions when a person asks for it, by ACP's own requests.
import { randomUUID } from "node:crypto";
import type { Editor, EditorTerminal } from "@holdfast/core";
import type { Connection } from "@holdfast/jsonrpc";
import type { EditorFeatures } from "./features.ts";
import { membersOf } from "./params.ts";

/** The parts that a person asked an editor to lend. */
export interface LentParts {
  readonly files: boolean;
  readonly terminals: boolean;
}

export interface LentEditorParts {
  readonly rpc: Pick<Connection, "request">;
  readonly sessionId: string;
  readonly name: string;
  readonly features: EditorFeatures;
  readonly lends: LentParts;
}

/** An editor that takes longer for anything but a command's exit is not waited for. */
const answerMs = 30_000;
/** Terminals of which the editor's own name is known; of more, the oldest are shown as the host's. */
const maxTerminals = 256;

/** The editor of one connection, as one of its sessions uses it. */
export class LentEditor implements Editor {
  readonly name: string;
  readonly readFile: Editor["readFile"];
  readonly writeFile: Editor["writeFile"];
  readonly startCommand: Editor["startCommand"];
  readonly #parts: LentEditorParts;
  /** The editor's names of its terminals, by the host's. */
  readonly #ownIds = new Map<string, string>();

  constructor(parts: LentEditorParts) {
    this.#parts = parts;
    const { features, lends, name } = parts;
    this.name = name;
    if (lends.files && features.readsFiles) this.readFile = this.#readFile;
    if (lends.files && features.writesFiles) this.writeFile = this.#writeFile;
    if (lends.terminals && features.runsCommands) this.startCommand = this.#startCommand;
  }

  get lendsAny(): boolean {
    return [this.readFile, this.writeFile, this.startCommand].some((each) => each !== undefined);
  }

  /** The editor's name of a terminal that it runs itself. */
  ownIdOf(terminalId: string): string | undefined {
    return this.#ownIds.get(terminalId);
  }

  readonly #readFile = async (path: string, signal: AbortSignal): Promise<string> => {
    const { content } = membersOf(await this.#ask("fs/read_text_file", { path }, signal));
    if (typeof content === "string") return content;
    throw new Error("the response to fs/read_text_file has no content");
  };

  readonly #writeFile = async (path: string, content: string, signal: AbortSignal): Promise<void> => {
    await this.#ask("fs/write_text_file", { path, content }, signal);
  };

  readonly #startCommand: NonNullable<Editor["startCommand"]> = async ({
    terminalId: hostId,
    ...command
  }) => {
    const { terminalId } = membersOf(await this.#ask("terminal/create", command));
    if (typeof terminalId !== "string") throw new Error("the response to terminal/create has no terminalId");
    this.#ownIds.set(hostId, terminalId);
    const [oldest] = this.#ownIds.keys();
    if (this.#ownIds.size > maxTerminals && oldest !== undefined) this.#ownIds.delete(oldest);
    return this.#terminal(terminalId);
  };

  #terminal(terminalId: string): EditorTerminal {
    return {
      readOutput: async () => {
        const { output } = membersOf(await this.#ask("terminal/output", { terminalId }));
        return typeof output === "string" ? output : "";
      },
      waitForExit: async () => {
        const { exitCode, signal } = membersOf(
          await this.#ask("terminal/wait_for_exit", { terminalId }, new AbortController().signal),
        );
        return {
          exitCode: typeof exitCode === "number" ? exitCode : null,
          signal: typeof signal === "string" ? signal : null,
        };
      },
      kill: async () => void (await this.#ask("terminal/kill", { terminalId })),
      release: async () => void (await this.#ask("terminal/release", { terminalId })),
    };
  }

  #ask(method: string, params: object, signal = AbortSignal.timeout(answerMs)): Promise<unknown> {
    const { rpc, sessionId } = this.#parts;
    // An id that no other connection used: the editor's bridge answers a question that is asked again.
    const id = `${method}-${randomUUID()}`;
    return rpc.request(method, { sessionId, ...params }, { id, signal });
  }
}

/** Sentences about parts that were asked for and the editor does not have. */
export function listMissing(lends: LentParts, features: EditorFeatures): string[] {
  const lacks = (name: string, consequence: string): string =>
    `The editor does not offer ${name}: the host ${consequence}.`;
  return [
    ...(lends.files && !features.readsFiles
      ? [lacks("fs.readTextFile", "reads files itself, as they are saved")]
      : []),
    ...(lends.files && !features.writesFiles ? [lacks("fs.writeTextFile", "writes files itself")] : []),
    ...(lends.terminals && !features.runsCommands ? [lacks("terminal", "runs commands itself")] : []),
  ];
}
