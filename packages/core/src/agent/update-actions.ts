// Turns the updates of a turn into actions of the model; every kind is kept, the unknown as it came.
import {
  type TerminalResult,
  type TerminalUri,
  type ToolCallId,
  type ToolContent,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { boundTitle } from "../channel/title.ts";
import { jsonOf, type AcpContent, type AcpToolCall, type AcpToolContent, type AcpUpdate } from "./acp.ts";
import { type Translated, chat, translateOutsideTurn } from "./session-updates.ts";

/** A terminal that a tool call can show. */
export interface ShownTerminal {
  readonly uri: TerminalUri;
  readonly title: string;
  readonly isPty: boolean;
  readonly hasExited: boolean;
  /** Its output and exit as they are now. */
  readonly result: TerminalResult;
  /** Resolves when its command has exited. */
  readonly exited: Promise<unknown>;
}

/** State that the translator reads. */
export interface UpdateContext {
  /** A terminal that the agent created here or shows here; undefined for an id that nobody knows. */
  terminal(terminalId: string): ShownTerminal | undefined;
  /** Called when a tool call first shows a terminal. */
  onShown?(toolCallId: string, terminal: ShownTerminal): void;
}

/** A tool call that shows terminals. */
interface ShowingCall {
  readonly content: readonly ToolContent[];
  readonly terminals: Map<TerminalUri, ShownTerminal>;
}

interface AcpPlanEntry {
  readonly content?: string;
  readonly priority?: string;
  readonly status?: string;
  readonly _meta?: { readonly holdfast?: { readonly outcome?: unknown } | null } | null;
}

type OpenPart = {
  readonly kind: "markdown" | "reasoning";
  /** The kind of update that continues it. */
  readonly updateKind: string;
  readonly id: string;
  readonly messageId: string | undefined;
};

/**
 * Translates the updates of one turn.
 * It remembers which part is open, how far each tool call is, and the calls that show terminals.
 */
export class TurnTranslator {
  readonly #turnId: TurnId;
  readonly #context: UpdateContext;
  readonly #now: () => Date;
  readonly #calls = new Map<string, "streaming" | "running" | "finished">();
  /** How each call was last described. */
  readonly #described = new Map<string, string>();
  readonly #showing = new Map<string, ShowingCall>();
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
      actions.push(this.#showContent(id, call.content));
    }
    actions.push(...this.#progress(id, call));
    return actions;
  }

  /** The action that reports the exit of a terminal that a finished call shows; none if the call has reported it. */
  terminalExited(toolCallId: string, terminal: ShownTerminal): Translated[] {
    const showing = this.#showing.get(toolCallId);
    if (showing === undefined || this.#calls.get(toolCallId) !== "finished") return [];
    if (!showing.terminals.delete(terminal.uri)) return [];
    if (showing.terminals.size === 0) this.#showing.delete(toolCallId);
    return [
      chat({
        type: "chat/toolCallTerminalExited",
        turnId: this.#turnId,
        toolCallId: makeId("tool call", toolCallId),
        terminal: terminal.uri,
        result: terminal.result,
      }),
    ];
  }

  /** The turn ends: what is shown by calls that still run, as it is now. */
  showUnfinished(): Translated[] {
    return [...this.#showing.keys()]
      .filter((toolCallId) => this.#calls.get(toolCallId) === "running")
      .map((toolCallId) =>
        chat({
          type: "chat/toolCallContentChanged",
          turnId: this.#turnId,
          toolCallId: makeId("tool call", toolCallId),
          content: this.#contentWithResults(toolCallId) ?? [],
        }),
      );
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
    this.#described.delete(toolCallId);
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
    const part = { id: makeId("part", id), content: content.text };
    const repeats = kind === "markdown" ? this.#repeatedCall(update) : undefined;
    return [
      chat({
        type: "chat/responsePart",
        turnId: this.#turnId,
        part: repeats === undefined ? { kind, ...part } : { kind: "markdown", ...part, repeats },
      }),
    ];
  }

  /** The tool call of this turn that a text only repeats, as its agent marked it. */
  #repeatedCall({ _meta: meta }: AcpUpdate): ToolCallId | undefined {
    const marks = (meta as { readonly holdfast?: { readonly repeatsToolCall?: unknown } | null } | null)
      ?.holdfast;
    const toolCallId = marks?.repeatsToolCall;
    return typeof toolCallId === "string" && this.#calls.has(toolCallId)
      ? makeId("tool call", toolCallId)
      : undefined;
  }

  #wholePart(content: AcpContent | undefined): Translated[] {
    if (content === undefined) return [];
    this.#openPart = undefined;
    const embedded = readEmbedded(content);
    const uri =
      embedded === undefined ? (content.uri ?? "") : `data:${embedded.contentType};base64,${embedded.data}`;
    const contentType = embedded?.contentType ?? content.mimeType;
    const name = content.name ?? content.resource?.uri;
    return [
      chat({
        type: "chat/responsePart",
        turnId: this.#turnId,
        part: {
          kind: "contentRef",
          id: makeId("part", this.#nextPart()),
          uri,
          ...(contentType !== undefined && { contentType }),
          ...(name !== undefined && { name }),
        },
      }),
    ];
  }

  #nextPart(): string {
    this.#parts += 1;
    return `${this.#turnId}-${this.#parts}`;
  }

  #plan(update: AcpUpdate): Translated {
    const entries = Array.isArray(update["entries"]) ? (update["entries"] as AcpPlanEntry[]) : [];
    return chat({
      type: "chat/planChanged",
      turnId: this.#turnId,
      plan: {
        kind: "entries",
        id: makeId("plan", "plan"),
        entries: entries.map(({ content = "", priority = "medium", status = "pending", _meta: meta }) => ({
          content,
          priority,
          // ACP has no status for a step that failed.
          status: meta?.holdfast?.outcome === "failed" ? "failed" : status,
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
      // Titles are for people and may be whole command lines (E326).
      toolName: call.name ?? call.kind ?? "other",
      displayName: title,
      toolKind: call.kind ?? "other",
      contributor: { kind: "agent" },
      ...(call.locations !== undefined &&
        call.locations !== null && { locations: readLocations(call.locations) }),
      ...(call.rawInput !== undefined && { rawInput: call.rawInput }),
      // The start time of a call that is first reported when it is over is unknown.
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
    // Permission requests repeat the whole description; only changes are published.
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
          // Many agents never say that a call runs: then it began with its first update.
          ...(!hasEnded && { startedAt: this.#now().toISOString() }),
        }),
      );
    }
    if (!hasEnded) return actions;
    this.noteFinished(call.toolCallId);
    const rawOutput = call.rawOutput === undefined ? {} : { rawOutput: call.rawOutput };
    const result =
      status === "completed"
        ? { success: true as const, ...rawOutput }
        : { success: false as const, ...rawOutput };
    const endedAt = this.#now().toISOString();
    const content = this.#contentWithResults(id);
    this.#forgetExited(id);
    actions.push(
      chat({
        type: "chat/toolCallComplete",
        turnId: this.#turnId,
        toolCallId: id,
        result,
        ...(content !== undefined && { content }),
        endedAt,
      }),
    );
    return actions;
  }

  #showContent(id: ToolCallId, parts: readonly AcpToolContent[]): Translated {
    const terminals = new Map<TerminalUri, ShownTerminal>();
    const content = parts.map((part) => this.#content(part, terminals));
    const known = this.#showing.get(id)?.terminals;
    if (terminals.size === 0) this.#showing.delete(id);
    else this.#showing.set(id, { content, terminals });
    for (const [uri, terminal] of terminals) {
      if (known?.has(uri) !== true) this.#context.onShown?.(id, terminal);
    }
    return chat({ type: "chat/toolCallContentChanged", turnId: this.#turnId, toolCallId: id, content });
  }

  /** The content of a call with the output and exit of its terminals; undefined for a call that shows none. */
  #contentWithResults(toolCallId: string): readonly ToolContent[] | undefined {
    const showing = this.#showing.get(toolCallId);
    if (showing === undefined) return undefined;
    return showing.content.map((content) => {
      const terminal = content.type === "terminal" ? showing.terminals.get(content.resource) : undefined;
      return terminal === undefined ? content : { ...content, result: terminal.result };
    });
  }

  /** Of a finished call, only terminals that still run are remembered. */
  #forgetExited(toolCallId: string): void {
    const showing = this.#showing.get(toolCallId);
    if (showing === undefined) return;
    for (const [uri, { hasExited }] of showing.terminals) if (hasExited) showing.terminals.delete(uri);
    if (showing.terminals.size === 0) this.#showing.delete(toolCallId);
  }

  #content(part: AcpToolContent, terminals: Map<TerminalUri, ShownTerminal>): ToolContent {
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
        terminals.set(terminal.uri, terminal);
        return {
          type: "terminal",
          resource: terminal.uri,
          title: boundTitle(terminal.title),
          isPty: terminal.isPty,
        };
      }
    }
    if (part.type === "content" && part.content !== undefined) {
      const { content } = part;
      if (content.type === "text") return { type: "text", text: content.text ?? "" };
      const embedded = readEmbedded(content);
      if (embedded !== undefined) return { type: "embeddedResource", ...embedded };
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

/** The data inside a piece of content, in base64; undefined where it only refers to something. */
function readEmbedded({
  data,
  mimeType,
  uri,
  resource,
}: AcpContent): { readonly data: string; readonly contentType: string } | undefined {
  const { text, blob, mimeType: type } = resource ?? {};
  if (typeof text === "string") {
    return { data: Buffer.from(text).toString("base64"), contentType: type ?? "text/plain" };
  }
  const bytes = blob ?? data;
  // A picture may come both ways, and is then read from its place.
  if (typeof bytes !== "string" || (blob === undefined && uri !== undefined)) return undefined;
  return { data: bytes, contentType: type ?? mimeType ?? "application/octet-stream" };
}

/** Whether a status ends a tool call. */
export function isOver({ status }: Pick<AcpToolCall, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function readLocations(locations: NonNullable<AcpToolCall["locations"]>): { path: string; line?: number }[] {
  return locations.map(({ path, line }) => ({ path, ...(typeof line === "number" && { line }) }));
}
