// A chat as a flat list of rows, so that only those in sight have to be drawn.
import {
  turnParts,
  type ActiveTurn,
  type ChatState,
  type ResponsePart,
  type ToolCall,
  type Turn,
} from "@holdfast/ahp";

export type ConversationRow =
  | { readonly kind: "message"; readonly key: string; readonly turn: Turn | ActiveTurn }
  | { readonly kind: "plans"; readonly key: string; readonly turn: Turn | ActiveTurn }
  | {
      readonly kind: "part";
      readonly key: string;
      readonly turn: Turn | ActiveTurn;
      readonly part: ResponsePart;
      /** Whether more text may come. */
      readonly isOpen: boolean;
      /** The tool call whose terminal shows the same already. */
      readonly repeated?: ToolCall | undefined;
      /** Whether it is all that the turn gave back, and so is shown open. */
      readonly isAnswer: boolean;
      /** Whether it is the last text of its turn so far. */
      readonly isLastText: boolean;
    }
  /** Finished tool calls in a row, with the thoughts between them (Z804). */
  | {
      readonly kind: "group";
      readonly key: string;
      readonly turn: Turn | ActiveTurn;
      readonly parts: readonly GroupedPart[];
    }
  | { readonly kind: "working"; readonly key: string; readonly turn: ActiveTurn }
  | { readonly kind: "end"; readonly key: string; readonly turn: Turn };

export type GroupedPart = Extract<ResponsePart, { readonly kind: "toolCall" | "reasoning" }>;
type PartRow = Extract<ConversationRow, { readonly kind: "part" }>;

const rowsOfEnded = new WeakMap<Turn, readonly ConversationRow[]>();

/** The rows of a chat, oldest first; those of turns that ended are made once. */
export function conversationRows({ turns, activeTurn }: ChatState): ConversationRow[] {
  const rows: ConversationRow[] = [];
  for (const turn of turns) {
    let made = rowsOfEnded.get(turn);
    if (made === undefined) {
      made = [...contentRows(turn), { kind: "end", key: `${turn.id}:end`, turn }];
      rowsOfEnded.set(turn, made);
    }
    for (const row of made) rows.push(row);
  }
  if (activeTurn) {
    rows.push(...contentRows(activeTurn), {
      kind: "working",
      key: `${activeTurn.id}:working`,
      turn: activeTurn,
    });
  }
  return rows;
}

function contentRows(turn: Turn | ActiveTurn): ConversationRow[] {
  const openPart = "openPart" in turn ? turn.openPart : undefined;
  const all = turnParts(turn);
  const isAnswer = isOneCall(all);
  const lastText = all.findLast((part) => part.kind === "markdown" && part.repeats === undefined);
  const parts = all.map((part, index): PartRow => ({
    kind: "part",
    key: `${turn.id}:${index}`,
    turn,
    part,
    isOpen: part === openPart,
    repeated: repeatedCall(part, all),
    isAnswer,
    isLastText: part === lastText,
  }));
  const plans: ConversationRow[] =
    turn.plans.length === 0 ? [] : [{ kind: "plans", key: `${turn.id}:plans`, turn }];
  return [{ kind: "message", key: `${turn.id}:message`, turn }, ...plans, ...grouped(parts)];
}

/** Whether a turn gave back one tool call that stands for the reply: a change, or a command without words about it. */
function isOneCall(parts: readonly ResponsePart[]): boolean {
  const calls = parts.flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
  if (calls.length !== 1) return false;
  return (
    calls[0]?.content.some(({ type }) => type === "fileEdit") === true ||
    parts.every(
      (part) =>
        part.kind === "toolCall" ||
        part.kind === "reasoning" ||
        (part.kind === "markdown" && part.repeats !== undefined),
    )
  );
}

/** Joins runs of two or more finished tool calls, with the thoughts between them, to groups. */
function grouped(rows: readonly PartRow[]): ConversationRow[] {
  const made: ConversationRow[] = [];
  let run: PartRow[] = [];
  const flush = (): void => {
    // Thoughts after the last call belong to what follows.
    const end = run.findLastIndex(({ part }) => part.kind === "toolCall") + 1;
    const inGroup = run.slice(0, end);
    const [first] = inGroup;
    const callCount = inGroup.filter(({ part }) => part.kind === "toolCall").length;
    if (first !== undefined && callCount > 1) {
      const parts = inGroup.flatMap(({ part }) => (isGrouped(part) ? [part] : []));
      made.push({ kind: "group", key: `${first.key}:group`, turn: first.turn, parts }, ...run.slice(end));
    } else made.push(...run);
    run = [];
  };
  for (const row of rows) {
    if (isGrouped(row.part) && !row.isOpen) run.push(row);
    else {
      flush();
      made.push(row);
    }
  }
  flush();
  return made;
}

function isGrouped(part: ResponsePart): part is GroupedPart {
  if (part.kind === "reasoning") return true;
  return part.kind === "toolCall" && ["completed", "failed", "cancelled"].includes(part.toolCall.status);
}

function repeatedCall(part: ResponsePart, parts: readonly ResponsePart[]): ToolCall | undefined {
  if (part.kind !== "markdown" || part.repeats === undefined) return undefined;
  const { repeats } = part;
  const found = parts.find((each) => each.kind === "toolCall" && each.toolCall.toolCallId === repeats);
  return found?.kind === "toolCall" ? found.toolCall : undefined;
}
