// A client of the agent: real terminals and files, answers to questions as the test says, a record of all that happens.
import { AcpTerminals } from "@holdfast/terminal/acp";
import { Connection, ndjsonFraming, receiveFrom, streamSink } from "@holdfast/jsonrpc";
import { makeReplies } from "./client-replies.ts";
import { ShellProcess } from "./shell-process.ts";
import type { ClientMethods, ElicitationResult, PermissionOutcome } from "../acp/client-methods.ts";
import type { SessionUpdate, ToolCall } from "../acp/session-update.ts";
import type { AgentMethods, InitializeResult, PromptResult } from "../acp/agent-methods.ts";
import type { Params, Replies } from "./client-replies.ts";
import type { ShellProcessOptions } from "./shell-process.ts";

/** Everything a client can have. */
export const ALL_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {} },
};

/** How the client is set up. */
export interface ShellClientOptions extends ShellProcessOptions {
  readonly capabilities?: object | undefined;
}

/** A client with one agent process. */
export class ShellClient {
  readonly process: ShellProcess;
  readonly connection: Connection<ClientMethods, AgentMethods>;
  readonly terminals = new AcpTerminals({ environment: process.env, killGraceMs: 500 });
  readonly updates: { sessionId: string; update: SessionUpdate }[] = [];
  /** The agent's requests and the updates between them, in order. */
  readonly log: string[] = [];
  /** Answers given instead of the usual ones. */
  readonly replies: Replies = {};
  permission: (
    params: Params<"session/request_permission">,
  ) => PermissionOutcome | Promise<PermissionOutcome> = () => ({
    outcome: "selected",
    optionId: "run-it",
  });
  elicitation: (params: Params<"elicitation/create">) => ElicitationResult | Promise<ElicitationResult> =
    () => ({
      action: "decline",
    });
  initialized: InitializeResult | undefined;
  readonly #watchers: (() => void)[] = [];

  private constructor(options: ShellClientOptions) {
    this.process = new ShellProcess(options);
    const { stdin, stdout } = this.process.child;
    const sink = streamSink(stdin, () => undefined);
    const note = (chunk: string | Uint8Array): void => this.process.note(chunk);
    this.connection = new Connection<ClientMethods, AgentMethods>({
      framing: ndjsonFraming(),
      sink: {
        ...sink,
        write(chunks) {
          for (const chunk of chunks) note(chunk);
          return sink.write(chunks);
        },
      },
      source: stdout,
      cancelMethod: "$/cancel_request",
      requests: makeReplies({
        terminals: this.terminals,
        permission: (params) => this.permission(params),
        elicitation: (params) => this.elicitation(params),
        instead: this.replies,
        onRequest: (method) => {
          this.#note(method);
        },
      }),
      notifications: {
        "session/update": (params) => {
          this.updates.push(params);
          this.#note(describe(params.update));
        },
      },
    });
    receiveFrom(stdout, this.connection);
  }

  /** Starts an agent and shakes hands with it. */
  static async start(options: ShellClientOptions = {}): Promise<ShellClient> {
    const client = new ShellClient(options);
    client.initialized = await client.connection.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? ALL_CAPABILITIES,
    });
    return client;
  }

  /** Opens a session. */
  async open(cwd: string): Promise<string> {
    return (await this.connection.request("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  /** Runs a turn. */
  prompt(sessionId: string, text: string): Promise<PromptResult> {
    return this.connection.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The updates of a session. */
  of(sessionId: string): SessionUpdate[] {
    return this.updates.flatMap((entry) => (entry.sessionId === sessionId ? [entry.update] : []));
  }

  /** The text of all messages, or of all thoughts, of a session. */
  text(
    sessionId: string,
    kind: "agent_message_chunk" | "agent_thought_chunk" = "agent_message_chunk",
  ): string {
    return this.of(sessionId)
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : [],
      )
      .join("\n");
  }

  /** The tool calls of a session as they ended up. */
  calls(sessionId: string): ToolCall[] {
    const calls = new Map<string, ToolCall>();
    for (const update of this.of(sessionId)) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { sessionUpdate: _, ...fields } = update;
      calls.set(fields.toolCallId, { title: "", ...calls.get(fields.toolCallId), ...fields });
    }
    return [...calls.values()];
  }

  /** Resolves when the log satisfies the condition. */
  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await new Promise<void>((resolve) => {
        this.#watchers.push(resolve);
      });
    }
  }

  /** Ends the agent and everything it started. */
  async close(): Promise<void> {
    this.process.child.stdin.end();
    await this.process.ended;
    await this.terminals.close();
  }

  #note(entry: string): void {
    this.log.push(entry);
    for (const wake of this.#watchers.splice(0)) wake();
  }
}

function describe(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case "tool_call":
    case "tool_call_update": {
      return `${update.sessionUpdate} ${update.status ?? ""}`.trim();
    }
    case "plan": {
      return `plan ${update.entries.map((entry) => entry.status).join(" ")}`;
    }
    default: {
      return update.sessionUpdate;
    }
  }
}
