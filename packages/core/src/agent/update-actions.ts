// Turns the updates of a turn into actions of the model; every kind is kept, the unknown as it came.
import { type TerminalUri, type ToolCallId, type ToolContent, type TurnId, makeId } from "@holdfast/ahp";
import { jsonOf, type AcpContent, type AcpToolCall, type AcpToolContent, type AcpUpdate } from "./acp.ts";
import { type Translated, chat, translateOutsideTurn } from "./session-updates.ts";

/** What the translator asks about. */
export interface UpdateContext {
  /** The channel of a terminal that the agent created here or shows here; undefined for an id that nobody knows. */
  terminal(
    terminalId: string,
  ): { readonly uri: TerminalUri; readonly title: string; readonly isPty: boolean } | undefined;
}

type OpenPart = {
  readonly kind: "markdown" | "reasoning";
  /** The kind of update that continues it. */
  readonly updateKind: string;
  readonly id: string;
  readonly messageId: string | undefined;
};

/** Translates the updates of one turn; what it remembers is which part is open and how far each tool call is. */
export class TurnTranslator {
  readonly #turnId: TurnId;
  readonly #context: UpdateContext;
  readonly #now: () => Date;
  readonly #calls = new Map<string, "streaming" | "running" | "finished">();
  /** How each call was last described. */
  readonly #described = new Map<string, string>();
  #openPart: OpenPart | undefined;
  #parts = 0;

  constructor(turnId: TurnId, context: UpdateContext, now: () => Date) {
    this.#turnId = turnId;
    this.#context = context;
    this.#now = now;
  }

  /** The actions for one update; the hot path is a piece of text. */
  translate(update: AcpUpdate): Translated[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#text("markdown", update);
      case "agent_thought_chunk":
        return this.#text("reasoning", update);
      case "tool_call":
      case "tool_call_update":
        return typeof update.toolCallId === "string" ? this.toolCall(update as AcpToolCall) : [];
      case "plan":
        return [this.#plan(update)];
      default:
        return translateOutsideTurn(update);
    }
  }

  /** A tool call by an update, or by a permission request that mentions it first. */
  toolCall(call: AcpToolCall): Translated[] {
    const id = makeId("tool call", call.toolCallId);
    const actions: Translated[] = [];
    const known = this.#calls.get(call.toolCallId);
    if (known === "finished") return [];
    if (known === undefined) actions.push(this.#start(id, call));
    else actions.push(...this.#describe(id, call));
    if (call.content !== undefined && call.content !== null && call.content.length > 0) {
      actions.push(
        chat({
          type: "chat/toolCallContentChanged",
          turnId: this.#turnId,
          toolCallId: id,
          content: call.content.map((part) => this.#content(part)),
        }),
      );
    }
    actions.push(...this.#progress(id, call));
    return actions;
  }

  /** True while the call is known and not finished. */
  isUnfinished(toolCallId: string): boolean {
    const state = this.#calls.get(toolCallId);
    return state !== undefined && state !== "finished";
  }

  /** The call was decided on and runs; the host said so itself. */
  noteRunning(toolCallId: string): void {
    this.#calls.set(toolCallId, "running");
  }

  noteFinished(toolCallId: string): void {
    this.#calls.set(toolCallId, "finished");
  }

  /** Whether an update appends to the part that is open. */
  continues(update: AcpUpdate): boolean {
    const open = this.#openPart;
    if (open === undefined || update.sessionUpdate !== open.updateKind) return false;
    return update.messageId === undefined || update.messageId === null || update.messageId === open.messageId;
  }

  /** The text of an update that continues the open part; undefined for any other update. */
  readContinuation(update: AcpUpdate): string | undefined {
    const content = update["content"] as AcpContent | undefined;
    return content?.type === "text" && this.continues(update) ? content.text : undefined;
  }

  /** Makes the action that appends text to the part that is open now. */
  continuing(): (text: string) => Translated {
    const type = this.#openPart?.kind === "reasoning" ? "chat/reasoning" : "chat/delta";
    const partId = makeId("part", this.#openPart?.id ?? this.#nextPart());
    return (content) => chat({ type, turnId: this.#turnId, partId, content });
  }

  #text(kind: "markdown" | "reasoning", update: AcpUpdate): Translated[] {
    const text = this.readContinuation(update);
    if (text !== undefined) return [this.continuing()(text)];
    const content = update["content"] as AcpContent | undefined;
    if (content?.type !== "text" || typeof content.text !== "string") return this.#wholePart(content);
    const id = this.#nextPart();
    this.#openPart = { kind, id, messageId: update.messageId ?? undefined, updateKind: update.sessionUpdate };
    return [
      chat({
        type: "chat/responsePart",
        turnId: this.#turnId,
        part: { kind, id: makeId("part", id), content: content.text },
      }),
    ];
  }

  #wholePart(content: AcpContent | undefined): Translated[] {
    if (content === undefined) return [];
    this.#openPart = undefined;
    const uri =
      content.uri ?? `data:${content.mimeType ?? "application/octet-stream"};base64,${content.data ?? ""}`;
    const contentType = content.mimeType;
    return [
      chat({
        type: "chat/responsePart",
        turnId: this.#turnId,
        part: {
          kind: "contentRef",
          id: makeId("part", this.#nextPart()),
          uri,
          ...(contentType !== undefined && { contentType }),
        },
      }),
    ];
  }

  #nextPart(): string {
    this.#parts += 1;
    return `${this.#turnId}-${this.#parts}`;
  }

  #plan(update: AcpUpdate): Translated {
    const entries = Array.isArray(update["entries"])
      ? (update["entries"] as { content?: string; priority?: string; status?: string }[])
      : [];
    return chat({
      type: "chat/planChanged",
      turnId: this.#turnId,
      plan: {
        kind: "entries",
        id: makeId("plan", "plan"),
        entries: entries.map(({ content = "", priority = "medium", status = "pending" }) => ({
          content,
          priority,
          status,
        })),
      },
    });
  }

  #start(id: ToolCallId, call: AcpToolCall): Translated {
    // Text after a tool call is a new part, so that parts keep their order.
    this.#openPart = undefined;
    this.#calls.set(call.toolCallId, "streaming");
    const title = call.title ?? call.name ?? "Tool call";
    return chat({
      type: "chat/toolCallStart",
      turnId: this.#turnId,
      toolCallId: id,
      toolName: call.name ?? title,
      displayName: title,
      toolKind: call.kind ?? "other",
      contributor: { kind: "agent" },
      ...(call.locations !== undefined &&
        call.locations !== null && { locations: readLocations(call.locations) }),
      ...(call.rawInput !== undefined && { rawInput: call.rawInput }),
      // Of a call that is told of when it is over, nobody knows when it began.
      ...(!isOver(call) && { startedAt: this.#now().toISOString() }),
    });
  }

  #describe(id: ToolCallId, call: AcpToolCall): Translated[] {
    const changes = {
      ...(typeof call.title === "string" && { displayName: call.title }),
      ...(typeof call.name === "string" && { toolName: call.name }),
      ...(typeof call.kind === "string" && { toolKind: call.kind }),
      ...(call.locations !== undefined &&
        call.locations !== null && { locations: readLocations(call.locations) }),
      ...(call.rawInput !== undefined && call.rawInput !== null && { rawInput: call.rawInput }),
    };
    // Permission requests repeat the whole description; only what is news is told.
    const described = JSON.stringify(changes);
    if (described === "{}" || described === this.#described.get(id)) return [];
    this.#described.set(id, described);
    return [chat({ type: "chat/toolCallUpdated", turnId: this.#turnId, toolCallId: id, changes })];
  }

  #progress(id: ToolCallId, call: AcpToolCall): Translated[] {
    const { status } = call;
    const actions: Translated[] = [];
    const hasEnded = isOver(call);
    if ((status === "in_progress" || hasEnded) && this.#calls.get(call.toolCallId) === "streaming") {
      this.#calls.set(call.toolCallId, "running");
      actions.push(
        chat({
          type: "chat/toolCallReady",
          turnId: this.#turnId,
          toolCallId: id,
          invocationMessage: call.title ?? "",
          confirmation: { kind: "not-needed" },
          // Many agents never say that a call runs: then it began when it was first told of.
          ...(!hasEnded && { startedAt: this.#now().toISOString() }),
        }),
      );
    }
    if (!hasEnded) return actions;
    this.#calls.set(call.toolCallId, "finished");
    const rawOutput = call.rawOutput === undefined ? {} : { rawOutput: call.rawOutput };
    const result =
      status === "completed"
        ? { success: true as const, ...rawOutput }
        : { success: false as const, ...rawOutput };
    const endedAt = this.#now().toISOString();
    actions.push(
      chat({ type: "chat/toolCallComplete", turnId: this.#turnId, toolCallId: id, result, endedAt }),
    );
    return actions;
  }

  #content(part: AcpToolContent): ToolContent {
    if (part.type === "diff" && typeof part.path === "string") {
      const before =
        typeof part.oldText === "string" ? { before: { kind: "text" as const, text: part.oldText } } : {};
      return {
        type: "fileEdit",
        path: part.path,
        ...before,
        after: { kind: "text", text: part.newText ?? "" },
      };
    }
    if (part.type === "terminal" && typeof part.terminalId === "string") {
      const terminal = this.#context.terminal(part.terminalId);
      if (terminal !== undefined) {
        return { type: "terminal", resource: terminal.uri, title: terminal.title, isPty: terminal.isPty };
      }
    }
    if (part.type === "content" && part.content !== undefined) {
      const { content } = part;
      if (content.type === "text") return { type: "text", text: content.text ?? "" };
      if (typeof content.data === "string") {
        return {
          type: "embeddedResource",
          data: content.data,
          contentType: content.mimeType ?? "application/octet-stream",
        };
      }
      if (typeof content.uri === "string") {
        return {
          type: "resource",
          uri: content.uri,
          ...(content.mimeType !== undefined && { contentType: content.mimeType }),
        };
      }
    }
    return { type: "raw", value: jsonOf(part) };
  }
}

/** Whether a tool call is told to be over. */
export function isOver({ status }: Pick<AcpToolCall, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function readLocations(locations: NonNullable<AcpToolCall["locations"]>): { path: string; line?: number }[] {
  return locations.map(({ path, line }) => ({ path, ...(typeof line === "number" && { line }) }));
}
