// Converts the updates of a turn to actions of the model; unknown kinds are kept unchanged.
import { isDeepStrictEqual } from "node:util";
import {
  type TerminalUri,
  type ToolCall,
  type ToolCallId,
  type ToolContent,
  type TurnId,
  isUnfinished,
  makeId,
} from "@holdfast/ahp";
import type { AcpContent, AcpToolCall, AcpToolContent, AcpUpdate } from "./acp.ts";
import { type Translated, chat, translateOutsideTurn } from "./session-updates.ts";
import { readEmbedded, readToolContent, type ShownTerminal } from "./tool-content.ts";

/** State that the translator reads. */
export interface UpdateContext {
  /** A terminal that the agent created here or shows here; undefined for an id that nobody knows. */
  terminal(terminalId: string): ShownTerminal | undefined;
  /** A tool call of the turn, as the chat has it. */
  toolCall(toolCallId: string): ToolCall | undefined;
  now(): Date;
  /** Called when a tool call first shows a terminal. */
  onShown(toolCallId: string, terminal: ShownTerminal): void;
}

/** A tool call that shows terminals. */
interface ShowingCall {
  readonly content: readonly ToolContent[];
  readonly terminals: Map<TerminalUri, ShownTerminal>;
}

/** A translator as the next host gets to know it. */
export interface SavedTranslator {
  readonly parts: number;
  readonly openPart?: OpenPart | undefined;
  readonly showing: readonly {
    readonly toolCallId: string;
    readonly content: readonly ToolContent[];
    readonly terminals: readonly TerminalUri[];
  }[];
}

interface AcpPlanEntry {
  readonly content?: string;
  readonly priority?: string;
  readonly status?: string;
  readonly _meta?: { readonly holdfast?: { readonly outcome?: unknown } | null } | null;
}

/** Finds a terminal by its URI. */
type FindShown = (uri: TerminalUri) => ShownTerminal | undefined;

type OpenPart = {
  readonly kind: "markdown" | "reasoning";
  /** The kind of update that continues it. */
  readonly updateKind: string;
  readonly id: string;
  readonly messageId: string | undefined;
};

/** Translates the updates of one turn. It remembers which part is open, and the calls that show terminals. */
export class TurnTranslator {
  readonly #turnId: TurnId;
  readonly #context: UpdateContext;
  readonly #showing = new Map<string, ShowingCall>();
  #openPart: OpenPart | undefined;
  #parts = 0;

  constructor(turnId: TurnId, context: UpdateContext) {
    this.#turnId = turnId;
    this.#context = context;
  }

  get saved(): SavedTranslator {
    const showing = [...this.#showing].map(([toolCallId, { content, terminals }]) => ({
      toolCallId,
      content,
      terminals: [...terminals.keys()],
    }));
    return { parts: this.#parts, openPart: this.#openPart, showing };
  }

  /** Continues the translator of an earlier host. */
  restore({ parts, openPart, showing }: SavedTranslator, find: FindShown): void {
    this.#parts = parts;
    this.#openPart = openPart;
    for (const { toolCallId, content, terminals } of showing) {
      const found = terminals.flatMap((uri) => find(uri) ?? []);
      this.#showing.set(toolCallId, { content, terminals: new Map(found.map((each) => [each.uri, each])) });
      for (const terminal of found) this.#context.onShown(toolCallId, terminal);
    }
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
    const known = this.#context.toolCall(id);
    if (known === undefined) actions.push(this.#start(id, call));
    else if (isUnfinished(known)) actions.push(...this.#describe(known, call));
    else return [];
    if (call.content !== undefined && call.content !== null && call.content.length > 0) {
      const content = this.#readContent(id, call.content);
      const changed = {
        type: "chat/toolCallContentChanged",
        turnId: this.#turnId,
        toolCallId: id,
        content,
      } as const;
      // A request that is handled again describes its call again.
      if (!isDeepStrictEqual(content, known?.content)) actions.push(chat(changed));
    }
    actions.push(...this.#progress(id, call, known?.status === "running"));
    return actions;
  }

  /** The action that reports the exit of a terminal that a finished call shows; none if the call has reported it. */
  terminalExited(toolCallId: string, terminal: ShownTerminal): Translated[] {
    const showing = this.#showing.get(toolCallId);
    const call = this.#context.toolCall(toolCallId);
    if (showing === undefined || call === undefined || isUnfinished(call)) return [];
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
      .filter((toolCallId) => this.#context.toolCall(toolCallId)?.status === "running")
      .map((toolCallId) =>
        chat({
          type: "chat/toolCallContentChanged",
          turnId: this.#turnId,
          toolCallId: makeId("tool call", toolCallId),
          content: this.#contentWithResults(toolCallId) ?? [],
        }),
      );
  }

  /** Whether an update appends to the part that is open. */
  continues(update: AcpUpdate): boolean {
    const open = this.#openPart;
    if (open === undefined || update.sessionUpdate !== open.updateKind) return false;
    return update.messageId === undefined || update.messageId === null || update.messageId === open.messageId;
  }

  /** Something else comes between: later text begins a new part. */
  endPart(): void {
    this.#openPart = undefined;
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
    return typeof toolCallId === "string" && this.#context.toolCall(toolCallId) !== undefined
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
          ...(typeof contentType === "string" && { contentType }),
          ...(typeof name === "string" && { name }),
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
      ...(!isOver(call) && { startedAt: this.#context.now().toISOString() }),
    });
  }

  /** Permission requests repeat the whole description; only changes are published. */
  #describe(known: ToolCall, { title, name, kind, locations, rawInput }: AcpToolCall): Translated[] {
    const described: Pick<ToolCall, "displayName" | "toolName" | "toolKind" | "locations" | "rawInput"> = {
      displayName: title ?? known.displayName,
      toolName: name ?? known.toolName,
      toolKind: kind ?? known.toolKind,
      locations: locations ? readLocations(locations) : known.locations,
      rawInput: rawInput ?? known.rawInput,
    };
    const changes = Object.fromEntries(
      Object.entries(described).filter(
        ([field, value]) => !isDeepStrictEqual(value, known[field as "rawInput"]),
      ),
    );
    if (Object.keys(changes).length === 0) return [];
    const { toolCallId } = known;
    return [chat({ type: "chat/toolCallUpdated", turnId: this.#turnId, toolCallId, changes })];
  }

  #progress(id: ToolCallId, call: AcpToolCall, isRunning: boolean): Translated[] {
    const { status } = call;
    const actions: Translated[] = [];
    const hasEnded = isOver(call);
    if ((status === "in_progress" || hasEnded) && !isRunning) {
      actions.push(
        chat({
          type: "chat/toolCallReady",
          turnId: this.#turnId,
          toolCallId: id,
          invocationMessage: call.title ?? "",
          confirmation: { kind: "not-needed" },
          // Many agents never say that a call runs: then it began with its first update.
          ...(!hasEnded && { startedAt: this.#context.now().toISOString() }),
        }),
      );
    }
    if (!hasEnded) return actions;
    const rawOutput = call.rawOutput === undefined ? {} : { rawOutput: call.rawOutput };
    const result =
      status === "completed"
        ? { success: true as const, ...rawOutput }
        : { success: false as const, ...rawOutput };
    const endedAt = this.#context.now().toISOString();
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

  #readContent(id: ToolCallId, parts: readonly AcpToolContent[]): readonly ToolContent[] {
    const terminals = new Map<TerminalUri, ShownTerminal>();
    const content = parts.map((part) => readToolContent(part, this.#context, terminals));
    const known = this.#showing.get(id)?.terminals;
    if (terminals.size === 0) this.#showing.delete(id);
    else this.#showing.set(id, { content, terminals });
    for (const [uri, terminal] of terminals) {
      if (known?.has(uri) !== true) this.#context.onShown(id, terminal);
    }
    return content;
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
}

/** Whether a status ends a tool call. */
export function isOver({ status }: Pick<AcpToolCall, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function readLocations(locations: NonNullable<AcpToolCall["locations"]>): { path: string; line?: number }[] {
  return locations.map(({ path, line }) => ({ path, ...(typeof line === "number" && { line }) }));
}
