// What a session does for its agent: files, terminals, questions; each checked, judged and on record.
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { JsonObject } from "@holdfast/ahp";
import { ErrorCode, RawJson, RpcError } from "@holdfast/jsonrpc";
import { KeeperError } from "@holdfast/keeper/port";
import {
  TerminalError,
  type CreateTerminalParams,
  readCreateParams,
  renderOutputResult,
  type WantedTerminal,
} from "@holdfast/terminal/acp-parts";
import type { AcpContent, AcpPermissionOption, AcpToolCall, AcpUpdate } from "../agent/acp.ts";
import type { AgentServices, OfSession } from "../agent/agent-connection.ts";
import { translateOutsideTurn } from "../agent/update-actions.ts";
import { type ApprovedCall, coversCommand, coversWrite } from "../approval/coverage.ts";
import { judgeOutside, judgeUncovered } from "../approval/policy.ts";
import type { AuditEntry } from "../audit/audit.ts";
import { checkPath, checkReadable, isInside, readTextFile, writeTextFile } from "../resource/files.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { type OwnQuestion, type Permission, PermissionService } from "./permission-service.ts";
import { type ServiceContext, openTurn, placeOf } from "./service-context.ts";
import { soleCommandCall } from "./tool-calls.ts";

const unknownTerminal = -32002;

/** Something that an agent does and that stays on record. */
type Deed = Pick<AuditEntry, "what" | "subject" | "cwd">;

/** The services of one session. */
export class SessionServices implements AgentServices {
  readonly #context: ServiceContext;
  readonly #permissions: PermissionService;

  constructor(context: ServiceContext) {
    this.#context = context;
    this.#permissions = new PermissionService(context);
  }

  /** Updates outside a turn are kept too. */
  update(update: AcpUpdate): void {
    const { turn, isReplaying } = this.#context;
    if (isReplaying) return;
    if (turn !== undefined) turn.update(update);
    else for (const translated of translateOutsideTurn(update)) this.#context.dispatch(translated);
  }

  updateText(update: AcpUpdate, text: string): void {
    if (this.#context.isReplaying || this.#context.turn?.updateText(update, text) === true) return;
    const content = { ...(update["content"] as unknown as AcpContent), text };
    this.update({ ...update, content } as unknown as AcpUpdate);
  }

  async requestPermission(
    params: { toolCall: AcpToolCall; options: readonly AcpPermissionOption[] },
    signal: AbortSignal,
  ): Promise<object> {
    return this.#permissions.answerAgent(params.toolCall, params.options, signal);
  }

  async readFile(params: { path: string; line?: number | null; limit?: number | null }): Promise<object> {
    const path = checkPath(params.path);
    try {
      if (!(await isInside(path, this.#context.roots))) await this.#permitReadOutside(path);
      return { content: await readTextFile(path, params.line, params.limit) };
    } catch (error) {
      // This agent takes an error for a missing file as a reason not to create it.
      if (error instanceof RpcError && error.code === -32002 && /gemini/i.test(this.#context.agentName)) {
        return { content: "" };
      }
      throw error;
    }
  }

  async writeFile(params: { path: string; content: string }): Promise<object> {
    const path = checkPath(params.path);
    if (typeof params.content !== "string") {
      throw new RpcError(ErrorCode.invalidParams, "content must be a string");
    }
    const inside = await isInside(path, this.#context.roots);
    const covering = this.#findApproved((call) => coversWrite(call, path, inside));
    const question = { kind: "edit", title: "Write file", target: path };
    const permission = await this.#permit(covering, inside, question);
    const deed = { what: "file-write", subject: path } as const;
    if (!permission.allowed) throw this.#refuse(deed, permission, `Writing ${path} was not allowed`);
    await this.#carryOut(deed, permission, () => writeTextFile(path, params.content));
    return {};
  }

  async createTerminal(params: OfSession, signal: AbortSignal): Promise<object> {
    const { terminal: wanted } = readParams(params, this.#context.roots[0] ?? "/");
    await checkDirectory(wanted.cwd);
    const inside = await isInside(wanted.cwd, this.#context.roots);
    const covering = this.#findApproved((call) => coversCommand(call, wanted, inside));
    const line = [wanted.command, ...wanted.args].join(" ");
    const question = { kind: "execute", title: "Run command", target: line };
    const permission = await this.#permit(covering, inside, question);
    const deed = { what: "command", subject: line, cwd: wanted.cwd } as const;
    if (!permission.allowed) throw this.#refuse(deed, permission, `Running ${line} was not allowed`);
    if (signal.aborted) throw requestCancelled();
    const terminal = await this.#carryOut(deed, permission, () => this.#startTerminal(wanted, covering));
    if (signal.aborted) {
      // Whoever asked for it will never know its name: nothing would end it.
      await terminal.close();
      throw requestCancelled();
    }
    this.#context.held.add(terminal);
    return { terminalId: terminal.id };
  }

  terminalOutput({ terminalId }: { terminalId: string }): RawJson {
    const terminal = this.#find(terminalId);
    const { state } = terminal;
    const exitStatus =
      state.name === "exited" ? { exitCode: state.exit.exitCode, signal: state.exit.signal } : undefined;
    return new RawJson(renderOutputResult(terminal.output.answerJson(), exitStatus));
  }

  async waitForTerminalExit({ terminalId }: { terminalId: string }, signal: AbortSignal): Promise<object> {
    this.#find(terminalId);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(requestCancelled()), { once: true });
    });
    return Promise.race([this.#context.held.wait(terminalId), aborted]);
  }

  async killTerminal({ terminalId }: { terminalId: string }): Promise<object> {
    await this.#find(terminalId).kill();
    return {};
  }

  async releaseTerminal({ terminalId }: { terminalId: string }): Promise<object> {
    await this.#context.held.release(terminalId);
    return {};
  }

  async elicit(params: Readonly<Record<string, unknown>>): Promise<object> {
    const context = this.#context;
    const turn = openTurn(context);
    if (turn === undefined) return { action: "cancel" };
    // Whoever waits for the whole answer cannot be asked.
    if (!turn.isInteractive) return { action: "decline" };
    const { message, mode, requestedSchema, url, toolCallId } = params as {
      message?: string;
      mode?: string;
      requestedSchema?: JsonObject;
      url?: string;
      toolCallId?: string;
    };
    return context.inputs.ask(placeOf(context, turn), {
      message: message ?? "",
      mode: mode === "url" ? "url" : "form",
      requestedSchema,
      url,
      toolCallId,
    });
  }

  warn(message: string): void {
    this.#context.warn(message);
  }

  async #permitReadOutside(path: string): Promise<void> {
    await checkReadable(path);
    const question = { kind: "read", title: "Read file outside the session's folders", target: path };
    const permission = await this.#permit(undefined, false, question);
    const deed = { what: "file-read", subject: path } as const;
    const refusal = `Reading ${path}, outside the session's folders, was not allowed`;
    if (!permission.allowed) throw this.#refuse(deed, permission, refusal);
    this.#record(deed, permission, "read");
  }

  /** By the approval that covers it, else by the policy; outside the session's folders it is judged more strictly. */
  async #permit(
    covering: ApprovedCall | undefined,
    inside: boolean,
    question: OwnQuestion,
  ): Promise<Permission> {
    const { policy } = this.#context;
    if (covering !== undefined) return { allowed: true, by: `approval of ${covering.toolCallId}` };
    const verdict = inside ? judgeUncovered(policy) : judgeOutside(policy);
    if (verdict === "ask") return this.#permissions.askOwn(question);
    return { allowed: verdict === "allow", by: `policy ${policy ?? "none"}` };
  }

  /** The approval of a call of this turn that is not finished and covers what is about to be done. */
  #findApproved(covers: (call: ApprovedCall) => boolean): ApprovedCall | undefined {
    const { turn } = this.#context;
    if (turn === undefined || turn.isOver) return undefined;
    return [...turn.approved.values()].find(
      (call) => turn.translator.isUnfinished(call.toolCallId) && covers(call),
    );
  }

  async #startTerminal(wanted: WantedTerminal, covering: ApprovedCall | undefined): Promise<HostTerminal> {
    const { terminals, uri, chat, turn, hub } = this.#context;
    const toolCallId = covering?.toolCallId ?? soleCommandCall(hub.state(chat, "chat"))?.toolCallId;
    try {
      return await terminals.create(wanted, {
        kind: "session",
        session: uri,
        chat,
        ...(turn !== undefined && !turn.isOver && { turnId: turn.id }),
        ...(toolCallId !== undefined && { toolCallId: toolCallId as never }),
      });
    } catch (error) {
      throw error instanceof KeeperError
        ? new RpcError(ErrorCode.internalError, error.message, { code: error.code, field: error.field })
        : error;
    }
  }

  #find(terminalId: string): HostTerminal {
    const terminal = this.#context.held.find(terminalId);
    if (terminal === undefined) {
      throw new RpcError(
        unknownTerminal,
        `No terminal ${terminalId} in this session; it was released, or never created`,
      );
    }
    return terminal;
  }

  #refuse(deed: Deed, permission: Permission, sentence: string): RpcError {
    this.#record(deed, permission);
    return new RpcError(ErrorCode.internalError, sentence, { code: "denied" });
  }

  /** Does what was allowed, and puts on record how it went. */
  async #carryOut<Result>(deed: Deed, permission: Permission, act: () => Promise<Result>): Promise<Result> {
    try {
      const result = await act();
      this.#record(deed, permission, "done");
      return result;
    } catch (error) {
      this.#record(deed, permission, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #record(deed: Deed, { allowed, by }: Permission, outcome?: string): void {
    const { audit, key, turn } = this.#context;
    audit.record({
      session: key,
      turnId: turn?.id,
      ...deed,
      by,
      verdict: allowed ? "allowed" : "denied",
      outcome,
    });
  }
}

function readParams(params: OfSession, cwd: string): ReturnType<typeof readCreateParams> {
  try {
    return readCreateParams(params as CreateTerminalParams, () => cwd);
  } catch (error) {
    throw error instanceof TerminalError
      ? new RpcError(error.rpcCode, error.message, { code: error.code, field: error.field })
      : error;
  }
}

/** Nobody is asked about something that cannot work. */
async function checkDirectory(cwd: string): Promise<void> {
  if (!isAbsolute(cwd)) {
    throw new RpcError(ErrorCode.invalidParams, `cwd must be an absolute path, not ${JSON.stringify(cwd)}`);
  }
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new RpcError(ErrorCode.invalidParams, `Working directory not found: ${cwd}`);
  }
}

function requestCancelled(): RpcError {
  return new RpcError(ErrorCode.requestCancelled, "The request was cancelled");
}
