// Editors that lend their files and terminals to sessions, so that what is not saved in them counts.
import type { SessionUri } from "@holdfast/ahp";
import type { WantedTerminal } from "@holdfast/terminal/acp-parts";

/** An editor as a session uses it; a function that it lacks is the host's own. Each rejects when the editor is gone. */
export interface Editor {
  /** How it calls itself. */
  readonly name: string;
  readonly readFile?: ((path: string, signal: AbortSignal) => Promise<string>) | undefined;
  readonly writeFile?: ((path: string, content: string, signal: AbortSignal) => Promise<void>) | undefined;
  readonly startCommand?: ((command: EditorCommand) => Promise<EditorTerminal>) | undefined;
}

/** A variable of an editor's command. */
export interface EditorVariable {
  readonly name: string;
  readonly value: string;
}

/** A command for an editor's terminal. */
export interface EditorCommand {
  /** The host's name of the terminal. */
  readonly terminalId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: readonly EditorVariable[];
  /** The most that the editor keeps of the output. */
  readonly outputByteLimit: number;
}

/** A command that runs in an editor. */
export interface EditorTerminal {
  /** The output that the editor keeps. */
  readOutput(): Promise<string>;
  waitForExit(): Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  kill(): Promise<void>;
  release(): Promise<void>;
}

/** The isolation of an editor's commands, as people read it. */
export function describeEditor(name: string): string {
  return `not isolated, in the editor ${name}`;
}

/** The editors of all sessions of a host. */
export class Editors {
  readonly #lending = new Map<SessionUri, Set<Editor>>();
  /** The names of editors that are gone, until their session has noticed. */
  readonly #gone = new Map<SessionUri, string>();

  /** Lends an editor to a session, until the returned function is called. */
  lend(session: SessionUri, editor: Editor): () => void {
    const lending = this.#lending.get(session) ?? new Set();
    this.#lending.set(session, lending.add(editor));
    this.#gone.delete(session);
    return () => {
      if (!lending.delete(editor) || lending.size > 0) return;
      this.#lending.delete(session);
      this.#gone.set(session, editor.name);
    };
  }

  /** The editor that a session uses for something: of several, the one that came last. */
  find(session: SessionUri, use: keyof Editor): Editor | undefined {
    return [...(this.#lending.get(session) ?? [])].findLast((editor) => editor[use] !== undefined);
  }

  /** The name of the editor that the session had until now; given once. */
  takeGone(session: SessionUri): string | undefined {
    const name = this.#gone.get(session);
    this.#gone.delete(session);
    return name;
  }

  /** The session is closed. */
  forget(session: SessionUri): void {
    this.#lending.delete(session);
    this.#gone.delete(session);
  }
}

/** The variables that an agent sets, in ACP's form. */
export function listVariables(env: WantedTerminal["env"]): readonly EditorVariable[] {
  if (isVariableList(env)) return env;
  return Object.entries(env ?? {}).map(([name, value]) => ({ name, value }));
}

function isVariableList(env: WantedTerminal["env"]): env is readonly EditorVariable[] {
  return Array.isArray(env);
}
