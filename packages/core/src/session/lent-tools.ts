// The tools that clients lend to one session's agent: their names, and the bounds of their calls.
import type { ActiveClient, ClientId, JsonValue } from "@holdfast/ahp";
import type { LentToolResult, OfferedTool, ToolLender } from "../editor/client-tools.ts";
import {
  isObject,
  type LentTool,
  maxInputBytes,
  maxTools,
  readLentTools,
  sizeOf,
} from "../editor/lent-tool.ts";
import { failedCall, LentToolCall } from "./lent-tool-call.ts";
import type { PermissionService } from "./permission-service.ts";
import type { SessionContext } from "./session-context.ts";

/** More calls of one agent do not wait at once. */
const maxCalls = 16;

interface NamedTool {
  readonly clientId: ClientId;
  readonly toolName: string;
}

export class SessionToolLender implements ToolLender {
  readonly #context: SessionContext;
  readonly #permissions: PermissionService;
  /** By the name that the agent knows, which stays its client's for as long as that lends the tool (N821). */
  readonly #names = new Map<string, NamedTool>();
  #calls = 0;

  constructor(context: SessionContext, permissions: PermissionService) {
    this.#context = context;
    this.#permissions = permissions;
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
  async call(name: string, input: JsonValue, signal: AbortSignal): Promise<LentToolResult> {
    const context = this.#context;
    const tool = this.#offer().find(([offered]) => offered === name)?.[1];
    if (tool === undefined) {
      const shown = JSON.stringify(name.slice(0, 64));
      return failedCall("CLIENT_TOOL_UNKNOWN", `No client lends a tool ${shown} now. List the tools again.`);
    }
    if (!isObject(input)) {
      return failedCall("CLIENT_TOOL_INVALID_INPUT", "The arguments of a tool are an object.");
    }
    const sizeBytes = sizeOf(input);
    if (sizeBytes > maxInputBytes) {
      const problem = `The arguments of a tool have at most ${maxInputBytes} bytes; these have ${sizeBytes}.`;
      return failedCall("CLIENT_TOOL_TOO_LARGE", problem);
    }
    const turn = context.openTurn;
    if (turn === undefined) {
      return failedCall("CLIENT_TOOL_NO_TURN", "No turn runs: tools of clients can be used in turns only.");
    }
    if (this.#calls >= maxCalls) {
      const problem = `${maxCalls} calls are waiting already. Call the tool again when one has ended.`;
      return failedCall("CLIENT_TOOL_BUSY", problem);
    }
    this.#calls += 1;
    try {
      context.deps.hub.recording.require();
      return await new LentToolCall({ context, permissions: this.#permissions, turn, tool, signal }).run(
        input,
      );
    } finally {
      this.#calls -= 1;
    }
  }

  /** The tools of the clients that are active now, by the names under which the agent knows them. */
  #offer(): [string, LentTool][] {
    const { activeClients } = this.#context.state;
    const lent = activeClients.flatMap((client: ActiveClient) => readLentTools(client));
    for (const [name, named] of this.#names) {
      if (!lent.some((tool) => isSame(tool, named))) this.#names.delete(name);
    }
    for (const tool of lent) {
      const isNamed = [...this.#names.values()].some((named) => isSame(tool, named));
      if (isNamed || this.#names.size >= maxTools) continue;
      this.#names.set(this.#freeName(tool.name), { clientId: tool.clientId, toolName: tool.name });
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

function isSame(tool: LentTool, { clientId, toolName }: NamedTool): boolean {
  return tool.clientId === clientId && tool.name === toolName;
}
