// The tools that clients lend to one session's agent: their names, and the bounds of their calls.
import { randomUUID } from "node:crypto";
import {
  type ActiveClient,
  type ClientId,
  isJsonObject,
  isUnfinished,
  type JsonValue,
  makeId,
  type ToolCall,
  type ToolCallId,
  turnParts,
} from "@holdfast/ahp";
import type { LentToolResult, OfferedTool, ToolLender, ToolRequest } from "../editor/client-tools.ts";
import { type LentTool, maxInputBytes, maxTools, readLentTools, sizeOf } from "../editor/lent-tool.ts";
import { failedCall, LentToolCall } from "./lent-tool-call.ts";
import type { PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";

/** More calls of one agent do not wait at once. */
const maxCalls = 16;
/** Calls whose keys are kept: more than can wait, since one that has ended may be asked for again. */
const maxKeys = 64;

interface NamedTool {
  readonly clientId: ClientId;
  readonly toolName: string;
}

/** The tools as the next host gets to know them, which continues with the same agent. */
export interface SavedLender {
  readonly names: readonly (readonly [string, NamedTool])[];
  /** Calls by the keys of their requests. */
  readonly calls: readonly (readonly [string, ToolCallId])[];
}

/** A call that has not ended. */
interface WaitingCall {
  readonly result: Promise<LentToolResult>;
  /** Aborted when no request waits for it any more. */
  readonly left: AbortController;
  requests: number;
  /** Runs while a call of an earlier host waits for its agent. */
  timer?: NodeJS.Timeout | undefined;
}

export class SessionToolLender implements ToolLender {
  readonly #context: SessionContext;
  readonly #permissions: PermissionService;
  /** By the name that the agent knows, which stays its client's for as long as that lends the tool (N821). */
  readonly #names = new Map<string, NamedTool>();
  /** By the key of its request, the oldest first. The agent knows no call's own id, and so cannot change the call. */
  readonly #ids = new Map<string, ToolCallId>();
  readonly #waiting = new Map<ToolCallId, WaitingCall>();
  /** Requests for tools whose clients may come back after a restart. */
  #expecting = 0;
  /** Ends the time in which clients come back to a host that was just started. */
  #returnTimer: NodeJS.Timeout | undefined;

  constructor(context: SessionContext, permissions: PermissionService) {
    this.#context = context;
    this.#permissions = permissions;
  }

  get saved(): SavedLender {
    return { names: [...this.#names], calls: [...this.#ids] };
  }

  /** Names and calls of an earlier host: the agent is the same, and clients come back in a moment. */
  restore({ names, calls }: SavedLender): void {
    for (const [name, tool] of names) this.#names.set(name, tool);
    for (const [key, id] of calls) this.#ids.set(key, id);
    if (names.length === 0) return;
    const { awayToolClientMs } = this.#context.deps.timeouts;
    this.#returnTimer = setTimeout(() => (this.#returnTimer = undefined), awayToolClientMs);
    this.#returnTimer.unref();
  }

  /** Continues the calls of an earlier host; each ends unless its agent asks for it again (N824). */
  resumeCalls(): void {
    const context = this.#context;
    const { activeTurn } = context.chat;
    if (activeTurn === undefined || context.openTurn === undefined) return;
    for (const part of turnParts(activeTurn)) {
      if (part.kind !== "toolCall" || !isUnfinished(part.toolCall)) continue;
      const tool = this.#toolOf(part.toolCall);
      if (tool === undefined) continue;
      const waiting = this.#begin(part.toolCall.toolCallId, this.#nameOf(tool), tool, (call) =>
        call.resume(part.toolCall),
      );
      // Nobody may ever ask for it.
      waiting.result.catch(() => {});
      const { awayToolClientMs } = context.deps.timeouts;
      waiting.timer = setTimeout(() => waiting.left.abort(), awayToolClientMs);
      waiting.timer.unref();
    }
  }

  list(): readonly OfferedTool[] {
    return this.#offer().map(([name, { title, description, inputSchema }]) => ({
      name,
      title,
      description,
      inputSchema,
    }));
  }

  watch(onChange: () => void): () => void {
    const context = this.#context;
    let { activeClients } = context.state;
    let shown = JSON.stringify(this.list());
    return context.onChange(() => {
      if (context.state.activeClients === activeClients) return;
      ({ activeClients } = context.state);
      const before = shown;
      shown = JSON.stringify(this.list());
      if (shown !== before) onChange();
    });
  }

  /** Every failure is a result that says what happened (E822). */
  async call(name: string, input: JsonValue, { signal, key }: ToolRequest): Promise<LentToolResult> {
    const known = key === undefined ? undefined : this.#ids.get(key);
    if (known !== undefined) return this.#repeat(known, signal);
    const context = this.#context;
    if (this.#waiting.size + this.#expecting >= maxCalls) return busy();
    const tool = this.#find(name) ?? (await this.#expect(name, signal));
    if (signal.aborted) return failedCall("CLIENT_TOOL_CANCELLED", "The agent cancelled the call.");
    if (tool === undefined) {
      const shown = JSON.stringify(name.slice(0, 64));
      return failedCall("CLIENT_TOOL_UNKNOWN", `No client lends a tool ${shown} now. List the tools again.`);
    }
    if (!isJsonObject(input)) {
      return failedCall("CLIENT_TOOL_INVALID_INPUT", "The arguments of a tool must be an object.");
    }
    const sizeBytes = sizeOf(input);
    if (sizeBytes > maxInputBytes) {
      const problem = `The arguments of a tool can have at most ${maxInputBytes} bytes; these have ${sizeBytes}.`;
      return failedCall("CLIENT_TOOL_TOO_LARGE", problem);
    }
    if (context.openTurn === undefined) {
      return failedCall("CLIENT_TOOL_NO_TURN", "No turn runs: tools of clients can be used in turns only.");
    }
    context.deps.hub.recording.require();
    const id = makeId("tool call", `lent-${randomUUID()}`);
    if (key !== undefined) this.#keep(key, id);
    return this.#join(
      this.#begin(id, name, tool, (call) => call.run(input)),
      signal,
    );
  }

  #find(name: string): LentTool | undefined {
    return this.#offer().find(([offered]) => offered === name)?.[1];
  }

  /** A tool that the agent knows, once its client has come back after a restart (N823). */
  async #expect(name: string, signal: AbortSignal): Promise<LentTool | undefined> {
    if (!this.#names.has(name)) return undefined;
    const { awayToolClientMs } = this.#context.deps.timeouts;
    this.#expecting += 1;
    let stop = (): void => {};
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, awayToolClientMs);
      signal.addEventListener("abort", () => resolve(), { once: true });
      stop = this.#context.onChange(() => {
        if (this.#find(name) !== undefined || !this.#names.has(name)) resolve();
      });
    });
    if (!signal.aborted) await over;
    clearTimeout(timer);
    stop();
    this.#expecting -= 1;
    return this.#find(name);
  }

  /** The result of a call that was asked for before (N824). */
  async #repeat(id: ToolCallId, signal: AbortSignal): Promise<LentToolResult> {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) return this.#join(waiting, signal);
    const call = this.#context.chat.toolCall(id);
    if (call?.status === "completed" || call?.status === "failed") {
      return { result: call.result, content: call.content };
    }
    return failedCall(
      "CLIENT_TOOL_INTERRUPTED",
      "The connection was lost during the call, and its turn is over. The tool may have run.",
    );
  }

  /** The name under which the agent knows a tool. */
  #nameOf(tool: LentTool): string {
    return [...this.#names].find(([, named]) => isSame(tool, named))?.[0] ?? tool.name;
  }

  #begin(
    id: ToolCallId,
    name: string,
    tool: LentTool,
    run: (call: LentToolCall) => Promise<LentToolResult>,
  ): WaitingCall {
    const context = this.#context;
    const { openTurn: turn } = context;
    if (turn === undefined) throw new Error("A call needs a turn");
    const left = new AbortController();
    const permissions = this.#permissions;
    const call = new LentToolCall({ id, name, context, permissions, turn, tool, signal: left.signal });
    const waiting: WaitingCall = { result: run(call), left, requests: 0 };
    this.#waiting.set(id, waiting);
    const forget = (): void => {
      clearTimeout(waiting.timer);
      this.#waiting.delete(id);
    };
    void waiting.result.then(forget, forget);
    return waiting;
  }

  async #join(waiting: WaitingCall, signal: AbortSignal): Promise<LentToolResult> {
    if (waiting.requests >= maxCalls) return busy();
    clearTimeout(waiting.timer);
    waiting.requests += 1;
    const leave = (): void => {
      waiting.requests -= 1;
      if (waiting.requests === 0) waiting.left.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      return await waiting.result;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #keep(key: string, id: ToolCallId): void {
    this.#ids.set(key, id);
    const [oldest = ""] = this.#ids.keys();
    if (this.#ids.size > maxKeys) this.#ids.delete(oldest);
    this.#context.ledger?.changed();
  }

  /** The lent tool of a call in the chat; its client may not lend it any more, which ends the call. */
  #toolOf({ contributor, toolName, displayName }: ToolCall): LentTool | undefined {
    if (contributor.kind !== "client") return undefined;
    const { clientId } = contributor;
    const client = this.#context.state.activeClients.find((each) => each.clientId === clientId);
    const lent = client && readLentTools(client).find(({ name }) => name === toolName);
    return lent ?? { name: toolName, title: displayName, inputSchema: {}, clientId, clientName: clientId };
  }

  /** The tools of the clients that are active now, by the names under which the agent knows them. */
  #offer(): [string, LentTool][] {
    const { activeClients } = this.#context.state;
    const lent = activeClients.flatMap((client: ActiveClient) => readLentTools(client));
    for (const [name, named] of this.#names) {
      const isExpected =
        this.#returnTimer !== undefined && !activeClients.some(({ clientId }) => clientId === named.clientId);
      if (!isExpected && !lent.some((tool) => isSame(tool, named))) {
        this.#names.delete(name);
        this.#context.ledger?.changed();
      }
    }
    for (const tool of lent) {
      const isNamed = [...this.#names.values()].some((named) => isSame(tool, named));
      if (isNamed || this.#names.size >= maxTools) continue;
      this.#names.set(this.#freeName(tool.name), { clientId: tool.clientId, toolName: tool.name });
      this.#context.ledger?.changed();
    }
    return [...this.#names].flatMap(([name, named]) => {
      const tool = lent.find((each) => isSame(each, named));
      return tool === undefined ? [] : [[name, tool] satisfies [string, LentTool]];
    });
  }

  /** The client's own name, numbered where another client's tool has it. */
  #freeName(name: string): string {
    let free = name;
    for (let number = 2; this.#names.has(free); number += 1) free = `${name}_${number}`;
    return free;
  }
}

function busy(): LentToolResult {
  const problem = `${maxCalls} calls are waiting already. Call the tool again when one has ended.`;
  return failedCall("CLIENT_TOOL_BUSY", problem);
}

function isSame(tool: LentTool, { clientId, toolName }: NamedTool): boolean {
  return tool.clientId === clientId && tool.name === toolName;
}
