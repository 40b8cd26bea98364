// The tools that clients lend to one session's agent: each call is a tool call of the turn, decided by policy and answered
// by the client that lent the tool.
import { randomUUID } from "node:crypto";
import { type ClientId, type JsonValue, makeId, type ToolCallId } from "@holdfast/ahp";
import type { LentTool, LentToolResult, SessionTools } from "../editor/client-tools.ts";
import type { PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";
import type { Turn } from "./turn.ts";

const maxTools = 128;

export class LentTools implements SessionTools {
  readonly #context: SessionContext;
  readonly #permissions: PermissionService;

  constructor(context: SessionContext, permissions: PermissionService) {
    this.#context = context;
    this.#permissions = permissions;
  }

  /** The first client that lends a tool of a name has it. */
  list(): readonly LentTool[] {
    const tools = new Map<string, LentTool>();
    for (const { clientId, tools: lent } of this.#context.state.activeClients) {
      for (const each of lent) {
        const tool = readTool(each, clientId);
        if (tool !== undefined && !tools.has(tool.name) && tools.size < maxTools) tools.set(tool.name, tool);
      }
    }
    return [...tools.values()];
  }

  async call(name: string, input: JsonValue, signal: AbortSignal): Promise<LentToolResult> {
    const context = this.#context;
    const tool = this.list().find((each) => each.name === name);
    if (tool === undefined) return failed(`No client offers the tool ${name} any more.`);
    const turn = context.openTurn;
    if (turn === undefined) return failed("No turn runs: tools of clients can be used in turns only.");
    const toolCallId = makeId("tool call", `lent-${randomUUID()}`);
    const { clientId, title = name } = tool;
    const contributor = { kind: "client", clientId } as const;
    const described = { toolName: name, displayName: title, toolKind: "other", contributor } as const;
    // Read from before the call on: a client may be quick.
    const ended = this.#whenEnded(turn, toolCallId, clientId, signal);
    context.dispatch({
      to: "chat",
      action: { type: "chat/toolCallStart", turnId: turn.id, toolCallId, ...described, rawInput: input },
    });
    const request = { name: toolCallId, signal };
    const isAllowed = await this.#permissions.permitLent(turn, { toolCallId, title, input }, request);
    if (isAllowed) return ended.result;
    ended.stop();
    return failed(`The tool ${name} was denied.`);
  }

  /** Follows the call until its client has answered, or nobody will. */
  #whenEnded(
    turn: Turn,
    toolCallId: ToolCallId,
    clientId: ClientId,
    signal: AbortSignal,
  ): { readonly result: Promise<LentToolResult>; readonly stop: () => void } {
    const context = this.#context;
    const { hub } = context.deps;
    const done = new AbortController();
    const result = new Promise<LentToolResult>((resolve) => {
      const settle = (outcome: LentToolResult): void => {
        done.abort();
        resolve(outcome);
      };
      const giveUp = (message: string): void => {
        const { result: outcome } = failed(message);
        const endedAt = context.now().toISOString();
        const action = {
          type: "chat/toolCallComplete",
          turnId: turn.id,
          toolCallId,
          result: outcome,
          endedAt,
        } as const;
        if (!turn.isOver) context.dispatch({ to: "chat", action });
        settle(failed(message));
      };
      const read = (): void => {
        for (let entry = chat.cursor.take(); entry !== undefined; entry = chat.cursor.take()) {
          const { action } = entry;
          if (done.signal.aborted) return;
          if (action.type === "chat/toolCallComplete" && action.toolCallId === toolCallId) {
            return settle({ result: action.result, content: action.content ?? [] });
          }
        }
        if (turn.isOver) return settle(failed("The turn ended before the tool did."));
        while (session.cursor.take() !== undefined);
        const isThere = context.state.activeClients.some((client) => client.clientId === clientId);
        if (!isThere) giveUp("The client that offers the tool is gone.");
      };
      const chat = hub.subscribe(context.chat.uri, () => void setImmediate(read));
      const session = hub.subscribe(context.uri, () => void setImmediate(read));
      done.signal.addEventListener("abort", () => {
        chat.cursor.close();
        session.cursor.close();
      });
      signal.addEventListener("abort", () => {
        if (!done.signal.aborted) giveUp("The agent took the call back.");
      });
    });
    return { result, stop: () => done.abort() };
  }
}

function readTool(value: JsonValue, clientId: ClientId): LentTool | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { name, title, description, inputSchema } = value as Readonly<Record<string, JsonValue>>;
  if (typeof name !== "string" || name === "") return undefined;
  const isSchema = typeof inputSchema === "object" && inputSchema !== null && !Array.isArray(inputSchema);
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema: isSchema ? (inputSchema as LentTool["inputSchema"]) : { type: "object" },
    clientId,
  };
}

function failed(message: string): LentToolResult {
  return { result: { success: false, error: { code: "CLIENT_TOOL_FAILED", message } }, content: [] };
}
