// One call of a tool that a client lends: decided like every action of an agent, then answered by that client.
import { isUnfinished, type JsonObject, type ToolCall, type ToolCallId } from "@holdfast/ahp";
import type { LentToolResult } from "../editor/client-tools.ts";
import { type LentTool, readLentTools } from "../editor/lent-tool.ts";
import type { Permission, PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

/** Why a call failed without its client. */
export type CallFailure =
  | "CLIENT_TOOL_UNKNOWN"
  | "CLIENT_TOOL_INVALID_INPUT"
  | "CLIENT_TOOL_TOO_LARGE"
  | "CLIENT_TOOL_NO_TURN"
  | "CLIENT_TOOL_BUSY"
  | "CLIENT_TOOL_DENIED"
  | "CLIENT_TOOL_GONE"
  | "CLIENT_TOOL_TIMEOUT"
  | "CLIENT_TOOL_CANCELLED"
  | "CLIENT_TOOL_INTERRUPTED";

export interface LentToolCallParts {
  readonly id: ToolCallId;
  /** The name under which the agent knows the tool, which may be numbered. */
  readonly name: string;
  readonly context: SessionContext;
  readonly permissions: PermissionService;
  readonly turn: Turn;
  readonly tool: LentTool;
  /** Aborted when the agent does not wait any longer. */
  readonly signal: AbortSignal;
}

/** The result of a call that did not get to its client, or not back. */
export function failedCall(code: CallFailure, message: string): LentToolResult {
  return { result: { success: false, error: { code, message } }, content: [] };
}

export class LentToolCall {
  readonly #parts: LentToolCallParts;
  readonly #id: ToolCallId;
  /** Aborted with the end of the call, so that no one is asked about it any more. */
  readonly #over = new AbortController();
  readonly #result: Promise<LentToolResult>;
  #resolve: (result: LentToolResult) => void = () => {};
  /** Whether its client lends its tools again only when it has come back to this host. */
  #isExpected = false;
  #awayTimer: NodeJS.Timeout | undefined;
  #limitTimer: NodeJS.Timeout | undefined;

  constructor(parts: LentToolCallParts) {
    this.#parts = parts;
    this.#id = parts.id;
    this.#result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Always resolves: with the client's result, or with the reason why there is none (E821, E822). */
  async run(input: JsonObject): Promise<LentToolResult> {
    const { context, turn, tool } = this.#parts;
    const { clientId, name, title = name } = tool;
    const contributor = { kind: "client", clientId } as const;
    const described = { toolName: name, displayName: title, toolKind: "other", contributor } as const;
    const start = {
      type: "chat/toolCallStart",
      turnId: turn.id,
      toolCallId: this.#id,
      ...described,
    } as const;
    context.dispatch({ to: "chat", action: { ...start, rawInput: input } });
    return this.#finish(input);
  }

  /** Continues a call that an earlier host started: what it asked and decided counts. */
  async resume(call: ToolCall): Promise<LentToolResult> {
    this.#isExpected = true;
    return this.#finish(call.rawInput as JsonObject, call.status === "running");
  }

  async #finish(input: JsonObject, isAllowed = false): Promise<LentToolResult> {
    const stop = this.#watch();
    try {
      const permission = isAllowed ? undefined : await this.#permit(input);
      if (permission === undefined || permission.allowed) this.#startClock();
      else this.#settle(failedCall("CLIENT_TOOL_DENIED", denial(this.#parts.name, permission.by)));
      return await this.#result;
    } finally {
      stop();
    }
  }

  #permit(input: JsonObject): Promise<Permission> {
    const { permissions, turn, tool } = this.#parts;
    const target = `${tool.name} of the client ${tool.clientName}: ${visibleJson(input)}`;
    const request = { name: this.#id, signal: this.#over.signal };
    return permissions.permitLent({ turn, toolCallId: this.#id, target }, request);
  }

  /** Looks at the call whenever something of the session, its clients or the agent's request has changed. */
  #watch(): () => void {
    const { context, turn, signal } = this.#parts;
    // Later: whatever changed is published first.
    const check = (): void => queueMicrotask(() => this.#check());
    const stops = [context.onChange(check), context.deps.clientTools.watch(check)];
    void turn.ended.then(check);
    signal.addEventListener("abort", check);
    check();
    return () => {
      for (const stop of stops) stop();
      signal.removeEventListener("abort", check);
      this.#over.abort();
      clearTimeout(this.#awayTimer);
      clearTimeout(this.#limitTimer);
    };
  }

  #check(): void {
    if (this.#over.signal.aborted) return;
    const { context, turn, tool, name: offeredName, signal } = this.#parts;
    if (turn.isOver) return this.#giveUp("CLIENT_TOOL_CANCELLED", "The turn ended before the tool did.");
    const call = context.chat.toolCall(this.#id);
    if (call?.status === "completed" || call?.status === "failed") {
      return this.#settle({ result: call.result, content: call.content });
    }
    if (signal.aborted) return this.#giveUp("CLIENT_TOOL_CANCELLED", "The agent cancelled the call.");
    const client = context.state.activeClients.find(({ clientId }) => clientId === tool.clientId);
    if (client !== undefined) this.#isExpected = false;
    const isLent = client !== undefined && readLentTools(client).some(({ name }) => name === tool.name);
    if (isLent || this.#isExpected) this.#watchConnection();
    else this.#giveUp("CLIENT_TOOL_GONE", `The client no longer lends the tool ${offeredName}.`);
  }

  /** A client that lost its connection has a moment to come back and answer. */
  #watchConnection(): void {
    const { context, tool, name } = this.#parts;
    if (context.deps.clientTools.isConnected(tool.clientId) && !this.#isExpected) {
      clearTimeout(this.#awayTimer);
      this.#awayTimer = undefined;
      return;
    }
    const { awayToolClientMs } = context.deps.timeouts;
    this.#awayTimer ??= setTimeout(() => {
      this.#giveUp("CLIENT_TOOL_GONE", `The client that lends the tool ${name} is not connected.`);
    }, awayToolClientMs);
  }

  #startClock(): void {
    const { context, name } = this.#parts;
    if (this.#over.signal.aborted) return;
    const { clientToolMs } = context.deps.timeouts;
    const message = `The client did not answer the tool ${name} within ${clientToolMs / 1000} s.`;
    this.#limitTimer = setTimeout(() => this.#giveUp("CLIENT_TOOL_TIMEOUT", message), clientToolMs);
  }

  /** Ends the call for everyone who sees it; a question about it is withdrawn. */
  #giveUp(code: CallFailure, message: string): void {
    if (this.#over.signal.aborted) return;
    const { context, turn } = this.#parts;
    const failure = failedCall(code, message);
    this.#settle(failure);
    const call = turn.isOver ? undefined : context.chat.toolCall(this.#id);
    if (call === undefined || !isUnfinished(call)) return;
    const endedAt = context.now().toISOString();
    const complete = { type: "chat/toolCallComplete", turnId: turn.id, toolCallId: this.#id } as const;
    context.dispatch({ to: "chat", action: { ...complete, result: failure.result, endedAt } });
  }

  #settle(result: LentToolResult): void {
    this.#resolve(result);
    this.#over.abort();
  }
}

/** JSON in which no character is invisible or turns the text around: people decide by what they read. */
function visibleJson(value: JsonObject): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Written for the agent's model, as for every other action (N320). */
function denial(name: string, by: string): string {
  return `The tool ${name} was not allowed (denied by ${by}). Ask the user before trying it again, or continue without it.`;
}
