// Files of a session in the editor that it is open in: read and written there, with what is not saved.
import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { ConnectionError, ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { checkUnmoved, liesIn, type ResolvedFile } from "../resource/files.ts";
import type { SessionContext } from "../session/session-context.ts";
import type { Editor } from "./editors.ts";

/** An editor that takes longer is not waited for. */
const answerMs = 30_000;
/** Larger texts are the host's: a message of an editor has at most 16 MiB. */
const maxTextBytes = 4 * 1024 * 1024;

/** A file that an editor has open, or could open. */
interface EditedFile {
  readonly editor: Editor;
  /** The path as the editor knows the session's folder, without links below it. */
  readonly path: string;
}

/** The files of one session that an editor lends. */
export class EditorFiles {
  readonly #context: SessionContext;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  /** The text of a file and the name of the editor that gave it; undefined where the host reads it itself. */
  async read(file: ResolvedFile): Promise<{ readonly text: string; readonly by: string } | undefined> {
    const edited = await this.#find(file, "readFile");
    const { readFile, name: by } = edited?.editor ?? {};
    if (edited === undefined || readFile === undefined || by === undefined) return undefined;
    try {
      return { text: await withinTime((signal) => readFile(edited.path, signal)), by };
    } catch (error) {
      // A file that an editor does not open, such as one that it ignores, may still be on the disk.
      this.#noteFailure(error, by);
      return undefined;
    }
  }

  /** The name of the editor that wrote the file; undefined where the host writes it itself. */
  async write(file: ResolvedFile, content: string): Promise<string | undefined> {
    if (Buffer.byteLength(content) > maxTextBytes) return undefined;
    const edited = await this.#find(file, "writeFile");
    const { writeFile, name } = edited?.editor ?? {};
    if (edited === undefined || writeFile === undefined) return undefined;
    await checkUnmoved(file.realPath, file.realPath);
    try {
      await withinTime((signal) => writeFile(edited.path, content, signal));
      return name;
    } catch (error) {
      this.#noteFailure(error, name);
      if (error instanceof ConnectionError) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new RpcError(
        ErrorCode.internalError,
        `${file.path}: the editor ${name} did not write it: ${reason}`,
        {
          path: file.path,
          code: "editor_failed",
        },
      );
    }
  }

  async #find({ realPath }: ResolvedFile, use: "readFile" | "writeFile"): Promise<EditedFile | undefined> {
    const { deps, uri, roots, realRoots } = this.#context;
    const editor = deps.editors.find(uri, use);
    if (editor === undefined) this.#noteGone(deps.editors.takeGone(uri));
    const index = realRoots.findIndex((root) => liesIn(realPath, [root]));
    const root = roots[index];
    const realRoot = realRoots[index];
    if (editor === undefined || root === undefined || realRoot === undefined) return undefined;
    const found = await stat(realPath).catch(() => undefined);
    // Only files, and those that are yet to be saved for the first time.
    if (found !== undefined && (!found.isFile() || found.size > maxTextBytes)) return undefined;
    return { editor, path: join(root, relative(realRoot, realPath)) };
  }

  #noteFailure(error: unknown, name: string | undefined): void {
    if (error instanceof ConnectionError) return this.#noteGone(name);
    this.#context.warn(`The editor ${name} did not serve a file: ${String(error)}`);
  }

  /** People see once that unsaved text no longer counts. */
  #noteGone(name: string | undefined): void {
    if (name === undefined) return;
    const { deps, uri, openTurn } = this.#context;
    deps.editors.takeGone(uri);
    const description = "The host reads and writes files itself, without the editor's unsaved changes.";
    openTurn?.response.notify("warning", `The editor ${name} has disconnected`, description);
    this.#context.warn(`The editor ${name} has disconnected. ${description}`);
  }
}

/** Gives an editor its time; then the request is withdrawn. */
async function withinTime<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new Error(`no answer within ${answerMs / 1000} s`));
  }, answerMs);
  try {
    return await ask(late.signal);
  } finally {
    clearTimeout(timer);
  }
}
