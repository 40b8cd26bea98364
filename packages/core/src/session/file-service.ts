// Reads and writes files for a session's agent.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { rpcCodeOf } from "@holdfast/terminal/acp-parts";
import type { AgentRequest } from "../agent/agent-connection.ts";
import { describeRead, describeWrite } from "../approval/subject.ts";
import { ALLOWED, type AuditEntry } from "../audit/audit.ts";
import { EditorFiles } from "../editor/editor-files.ts";
import {
  RESOURCE_NOT_FOUND,
  type ResolvedFile,
  checkPath,
  checkReadable,
  liesIn,
  readTextFile,
  readTextNow,
  resolveFile,
  selectLines,
  writeTextFile,
} from "../resource/files.ts";
import type { GatedAction, ApprovalGate } from "./approval-gate.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

/** The text of a file, and the editor that gave it; the host itself where there is none. */
interface ReadText {
  readonly text: string;
  readonly by?: string | undefined;
}

/** `fs/*` of one session: in the editor that lends its files, and in the host's own. */
export class FileService {
  readonly #context: SessionContext;
  readonly #gate: ApprovalGate;
  readonly #editor: EditorFiles;

  constructor(context: SessionContext, gate: ApprovalGate) {
    this.#context = context;
    this.#gate = gate;
    this.#editor = new EditorFiles(context);
  }

  async read(
    params: { path: string; line?: number | null; limit?: number | null },
    request: AgentRequest,
  ): Promise<object> {
    // Before anything is awaited: the turn may end meanwhile.
    const turn = this.#context.openTurn;
    const file = await resolveFile(checkPath(params.path));
    await this.#requireReachable("read", file, turn);
    const read = async (): Promise<ReadText> => {
      const { line, limit } = params;
      const edited = await this.#editor.read(file);
      return edited === undefined
        ? { text: await readTextFile(file, line, limit) }
        : { ...edited, text: selectLines(edited.text, line, limit) };
    };
    try {
      const inside = liesIn(file.realPath, this.#context.realRoots);
      const isFree = inside && this.#isReadFreely(file);
      return {
        content: isFree
          ? await this.#readFreely(file, read)
          : await this.#readGated(file, read, inside, turn, request),
      };
    } catch (error) {
      // Such an agent takes an error for a missing file as a reason not to create it.
      const isMissing = error instanceof RpcError && error.code === RESOURCE_NOT_FOUND;
      const { quirks } = this.#context.entry;
      if (isMissing && quirks.includes("missing-file-reads-as-empty")) return { content: "" };
      throw error;
    }
  }

  async write(params: { path: string; content: string }, request: AgentRequest): Promise<object> {
    const path = checkPath(params.path);
    const { content } = params;
    if (typeof content !== "string") throw new RpcError(ErrorCode.invalidParams, "content must be a string");
    // Before anything is awaited: the turn may end meanwhile.
    const turn = this.#context.openTurn;
    const file = await resolveFile(path);
    await this.#requireReachable("write", file, turn);
    // A further name of the file may lie outside (N678).
    const inside = liesIn(file.realPath, this.#context.realRoots) && !file.hasOtherNames;
    const action = {
      what: "file-write",
      kind: "edit",
      subject: describeWrite(file, await this.#textNow(file), content),
      isInside: inside,
      ruled: { kind: "write", path: file.realPath },
      turn,
      refusal: `Writing ${path} was not allowed`,
    } as const satisfies GatedAction;
    const write = async (): Promise<{ readonly by?: string | undefined }> => {
      const by = await this.#editor.write(file, content);
      if (by === undefined) await writeTextFile(file, content);
      return { by };
    };
    await this.#gate.run(action, write, request, undefined, this.#record);
    return {};
  }

  /** The text that a write replaces. */
  async #textNow(file: ResolvedFile): Promise<string | undefined> {
    return (await this.#editor.read(file))?.text ?? readTextNow(file);
  }

  /** Records who opened the file. */
  readonly #record = (entry: Omit<AuditEntry, "at">, { by }: { readonly by?: string | undefined }): void => {
    this.#context.deps.audit.record({ ...entry, outcome: doneBy(by) });
  };

  /** Refuses what the agent's own processes could not reach: the host would be a way out of the sandbox (V630). */
  async #requireReachable(
    access: "read" | "write",
    file: ResolvedFile,
    turn: Turn | undefined,
  ): Promise<void> {
    const { sandbox, deps, key } = this.#context;
    if (await sandbox.reaches(access, file.realPath)) return;
    const by = "isolation";
    const what = `file-${access}` as const;
    deps.audit.record({
      session: key,
      turnId: turn?.id,
      what,
      subject: file.realPath,
      by,
      decision: "denied",
    });
    const verb = access === "read" ? "Reading" : "Writing";
    const message = `${verb} ${file.path} was not allowed: the session's isolation keeps it from agents. Continue without it.`;
    throw new RpcError(rpcCodeOf("denied"), message, { code: "denied", by });
  }

  /** Whether neither the session's policy nor a rule of the policy file has a say about a file inside. */
  #isReadFreely({ realPath }: ResolvedFile): boolean {
    const context = this.#context;
    if (context.policy === "deny-all") return false;
    return context.decideByRules({ kind: "read", path: realPath }, "allow").decision === "allow";
  }

  /** Allowed without a question; one entry in the audit for each file. */
  async #readFreely({ realPath }: ResolvedFile, read: () => Promise<ReadText>): Promise<string> {
    const { deps, key, turn } = this.#context;
    deps.hub.recording.require();
    const entry = {
      session: key,
      turnId: turn?.id,
      what: "file-read",
      subject: realPath,
      by: "session folder",
      ...ALLOWED,
    } as const;
    const { text, by } = await read().catch((error: unknown) => {
      deps.audit.record({ ...entry, outcome: error instanceof Error ? error.message : String(error) });
      throw error;
    });
    deps.audit.record({ ...entry, outcome: doneBy(by) });
    return text;
  }

  /** A read that a person or a policy has to allow: outside the session's folders, or where everything is denied. */
  async #readGated(
    file: ResolvedFile,
    read: () => Promise<ReadText>,
    isInside: boolean,
    turn: Turn | undefined,
    request: AgentRequest,
  ): Promise<string> {
    // Nobody is asked about something that cannot work.
    await checkReadable(file);
    const place = isInside ? "" : ", outside the session's folders,";
    const action = {
      what: "file-read",
      kind: "read",
      subject: describeRead(file),
      isInside,
      ruled: { kind: "read", path: file.realPath },
      turn,
      refusal: `Reading ${file.path}${place} was not allowed`,
    } as const satisfies GatedAction;
    return (await this.#gate.run(action, read, request, undefined, this.#record)).text;
  }
}

function doneBy(editor: string | undefined): string {
  return editor === undefined ? "done" : `done in the editor ${editor}`;
}
