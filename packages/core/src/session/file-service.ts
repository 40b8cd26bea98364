// Reads and writes files for a session's agent.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { coversWrite } from "../approval/coverage.ts";
import { checkPath, checkReadable, isInside, readTextFile, writeTextFile } from "../resource/files.ts";
import type { GatedAction, ApprovalGate } from "./approval-gate.ts";
import type { SessionContext } from "./session-context.ts";

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
    try {
      const inside = await isInside(path, this.#context.roots);
      return { content: inside ? await read() : await this.#readOutside(path, read, signal) };
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
    const inside = await isInside(path, this.#context.roots);
    const action = {
      what: "file-write",
      subject: path,
      isInside: inside,
      ruled: { kind: "write", path },
      isCoveredBy: (call) => coversWrite(call, path, inside),
      question: { kind: "edit", title: "Write file", target: path },
      refusal: `Writing ${path} was not allowed`,
    } as const satisfies GatedAction;
    await this.#gate.run(action, () => writeTextFile(path, content), signal);
    return {};
  }

  async #readOutside(path: string, read: () => Promise<string>, signal: AbortSignal): Promise<string> {
    // Nobody is asked about something that cannot work.
    await checkReadable(path);
    const action = {
      what: "file-read",
      subject: path,
      isInside: false,
      ruled: { kind: "read", path },
      isCoveredBy: () => false,
      question: { kind: "read", title: "Read file outside the session's folders", target: path },
      refusal: `Reading ${path}, outside the session's folders, was not allowed`,
    } as const;
    return this.#gate.run(action, read, signal);
  }
}
