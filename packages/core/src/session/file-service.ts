// Reads and writes files for a session's agent.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { describeRead, describeWrite } from "../approval/subject.ts";
import {
  checkPath,
  checkReadable,
  checkUnmoved,
  isInside,
  readTextFile,
  readTextNow,
  writeTextFile,
} from "../resource/files.ts";
import type { GatedAction, ApprovalGate } from "./approval-gate.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

/** ACP's number for something that is not there. */
const resourceNotFound = -32002;

/** `fs/*` of one session. */
export class FileService {
  readonly #context: SessionContext;
  readonly #gate: ApprovalGate;

  constructor(context: SessionContext, gate: ApprovalGate) {
    this.#context = context;
    this.#gate = gate;
  }

  async read(
    params: { path: string; line?: number | null; limit?: number | null },
    signal: AbortSignal,
  ): Promise<object> {
    const path = checkPath(params.path);
    const read = (): Promise<string> => readTextFile(path, params.line, params.limit);
    const turn = this.#context.openTurn;
    try {
      const inside = await isInside(path, this.#context.roots);
      const isFree = inside && this.#context.policy !== "deny-all";
      return { content: isFree ? await read() : await this.#readGated(path, read, inside, turn, signal) };
    } catch (error) {
      // Such an agent takes an error for a missing file as a reason not to create it.
      const isMissing = error instanceof RpcError && error.code === resourceNotFound;
      const { quirks } = this.#context.entry;
      if (isMissing && quirks.includes("missing-file-reads-as-empty")) return { content: "" };
      throw error;
    }
  }

  async write(params: { path: string; content: string }, signal: AbortSignal): Promise<object> {
    const path = checkPath(params.path);
    const { content } = params;
    if (typeof content !== "string") throw new RpcError(ErrorCode.invalidParams, "content must be a string");
    const turn = this.#context.openTurn;
    const inside = await isInside(path, this.#context.roots);
    const subject = await describeWrite(path, await readTextNow(path), content);
    const action = {
      what: "file-write",
      kind: "edit",
      subject,
      isInside: inside,
      turn,
      refusal: `Writing ${path} was not allowed`,
    } as const satisfies GatedAction;
    const write = async (): Promise<void> => {
      await checkUnmoved(path, subject.files[0]?.path ?? path);
      await writeTextFile(path, content);
    };
    await this.#gate.run(action, write, signal);
    return {};
  }

  /** A read that a person or a policy has to allow: outside the session's folders, or where everything is denied. */
  async #readGated(
    path: string,
    read: () => Promise<string>,
    isInsideRoots: boolean,
    turn: Turn | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    // Nobody is asked about something that cannot work.
    await checkReadable(path);
    const place = isInsideRoots ? "" : ", outside the session's folders,";
    const subject = await describeRead(path);
    const action = {
      what: "file-read",
      kind: "read",
      subject,
      isInside: isInsideRoots,
      turn,
      refusal: `Reading ${path}${place} was not allowed`,
    } as const satisfies GatedAction;
    const readUnmoved = async (): Promise<string> => {
      await checkUnmoved(path, subject.files[0]?.path ?? path);
      return read();
    };
    return this.#gate.run(action, readUnmoved, signal);
  }
}
